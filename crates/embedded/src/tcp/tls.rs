//! The certificate of an embedded server, generated at its start together with the authority that issues it.
//!
//! An authority rather than a self-signed certificate, so that clients verify a chain as they would with a real server.
//! Both keys exist in memory only.

use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType,
    ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose,
};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;

/// What a server needs for TLS, and what its clients need to trust it.
pub struct Identity {
    /// Makes TLS of a connection.
    pub acceptor: TlsAcceptor,
    /// The certificate of the authority.
    pub ca_pem: String,
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// No certificate can be made for these names.
    #[error("make a certificate for {names}: {source}")]
    Certificate {
        /// The requested names.
        names: String,
        /// What is wrong with them.
        source: rcgen::Error,
    },
    /// The TLS library rejects the certificate.
    #[error("set up TLS: {0}")]
    Tls(#[from] rustls::Error),
}

impl Identity {
    /// Generates an authority, and a certificate issued by it for a server of this kind with these names. The server
    /// offers these protocols by ALPN, in order of preference (RFC 7301).
    pub fn generate(
        kind: &str,
        host_names: &[String],
        protocols: &[&[u8]],
    ) -> Result<Self, IdentityError> {
        let (certificate, key, ca_pem) = issue(kind, host_names).map_err(|source| {
            IdentityError::Certificate { names: host_names.join(", "), source }
        })?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::Pkcs8(key))?;
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), ca_pem })
    }
}

/// The names that this machine reaches itself by: those of the loopback interface, and its host name.
pub fn host_names() -> Vec<String> {
    let mut names: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into();
    // OpenLDAP's tools replace localhost by the host name before they verify the certificate.
    let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
    if !machine.is_empty() && machine.is_ascii() && !names.contains(&machine) {
        names.push(machine);
    }
    names
}

type Issued = (rcgen::Certificate, PrivatePkcs8KeyDer<'static>, String);

fn issue(kind: &str, host_names: &[String]) -> Result<Issued, rcgen::Error> {
    let mut authority = CertificateParams::new(Vec::new())?;
    authority.distinguished_name = common_name("brunt embedded authority");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;
    let mut params = CertificateParams::new(host_names.to_vec())?;
    params.distinguished_name = common_name(&format!("brunt embedded {kind}"));
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
