//! TLS with the operator's own certificate and key.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A TLS acceptor with this certificate chain and this key, as PEM. The error reads after "failed to".
pub fn acceptor(chain: &Path, key: &Path) -> Result<TlsAcceptor, String> {
    let unread =
        |path: &Path, why: &dyn std::fmt::Display| format!("read {}: {why}", path.display());
    let certificates = CertificateDer::pem_file_iter(chain).and_then(Iterator::collect);
    let certificates: Vec<CertificateDer<'static>> =
        certificates.map_err(|error| unread(chain, &error))?;
    if certificates.is_empty() {
        return Err(unread(chain, &"it holds no certificate"));
    }
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| unread(key, &error))?;
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()));
    let config = config
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("use TLS: {error}"))?;
    let config = config.with_no_client_auth().with_single_cert(certificates, secret);
    let config = config
        .map_err(|error| format!("use {} with {}: {error}", chain.display(), key.display()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
