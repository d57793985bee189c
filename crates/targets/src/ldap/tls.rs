//! The certificate of an embedded server: made at its start, with an authority that issued it.
//!
//! There is an authority rather than a self-signed certificate so that clients check the chain as
//! they would with a real server. Both keys die with the process.

use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType,
    ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose,
};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;

/// What a server needs for TLS, and what its clients need to trust it.
pub(super) struct Identity {
    pub(super) acceptor: TlsAcceptor,
    /// The certificate of the authority.
    pub(super) ca_pem: String,
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// The names do not make a certificate.
    #[error("make a certificate for {names}: {source}")]
    Certificate {
        /// The names asked for.
        names: String,
        /// What is wrong with them.
        source: rcgen::Error,
    },
    /// The TLS library does not take the certificate.
    #[error("set up TLS: {0}")]
    Tls(#[from] rustls::Error),
}

impl Identity {
    /// A new authority, and a certificate by it that is good for these names.
    pub(super) fn generate(host_names: &[String]) -> Result<Self, IdentityError> {
        let (certificate, key, ca_pem) = issue(host_names).map_err(|source| {
            IdentityError::Certificate { names: host_names.join(", "), source }
        })?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::Pkcs8(key))?;
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), ca_pem })
    }
}

type Issued = (rcgen::Certificate, PrivatePkcs8KeyDer<'static>, String);

fn issue(host_names: &[String]) -> Result<Issued, rcgen::Error> {
    let mut authority = CertificateParams::new(Vec::new())?;
    authority.distinguished_name = common_name("brunt embedded authority");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;
    let mut params = CertificateParams::new(host_names.to_vec())?;
    params.distinguished_name = common_name("brunt embedded directory");
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let key = KeyPair::generate()?;
    let certificate = params.signed_by(&key, &authority)?;
    Ok((certificate, PrivatePkcs8KeyDer::from(key.serialize_der()), authority.pem()))
}

fn common_name(name: &str) -> DistinguishedName {
    let mut distinguished = DistinguishedName::new();
    distinguished.push(DnType::CommonName, name);
    distinguished
}
