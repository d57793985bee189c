//! [`Identity`]: the certificate and key that a client presents, from a file or from a token.
//!
//! The key is loaded, and compared with its certificate, before the run. Java presents a certificate only if the server
//! names an authority that issued it; here the certificate that the user chose is presented whenever a server requests
//! one, since withholding it can only lead to a refusal.

use super::{TlsError, Token, token};
use crate::keystore::{self, Store};
use brunt_feed::Files;
use rustls::client::ResolvesClientCert;
use rustls::crypto::CryptoProvider;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The identity of a client.
#[derive(Clone, Debug)]
pub enum Identity {
    /// A key in a key store.
    Store {
        /// The file.
        store: Store,
        /// The entry, case-insensitive; the first key if none is named.
        alias: Option<String>,
    },
    /// A certificate chain in one PEM file and its key in another.
    Pair {
        /// The chain, and the password of the key.
        certificate: Store,
        /// The key.
        key: PathBuf,
    },
    /// A key that never leaves its token.
    Token(Token),
}

/// The resolver that presents the certificate when a server requests one.
pub(super) fn resolver(
    (identity, files): (&Identity, &Files),
    provider: &CryptoProvider,
) -> Result<Arc<dyn ResolvesClientCert>, TlsError> {
    let certified = match identity {
        Identity::Store { store, alias } => {
            certified(&store.path, store.identity(alias.as_deref(), files)?, provider)?
        }
        Identity::Pair { certificate, key } => {
            certified(&certificate.path, certificate.identity_with_key(key, files)?, provider)?
        }
        Identity::Token(token) => token::certified(token)?,
    };
    Ok(Arc::new(SingleCertAndKey::from(certified)))
}

fn certified(
    origin: &Path,
    identity: keystore::Identity,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, TlsError> {
    CertifiedKey::from_der(identity.chain, identity.key, provider).map_err(|why| {
        TlsError::Identity { alias: identity.alias, origin: origin.display().to_string(), why }
    })
}
