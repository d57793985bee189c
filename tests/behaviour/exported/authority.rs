//! A certificate authority for a test, and the servers with certificates of it.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// An authority, whose certificate is in a PEM file.
pub(super) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    path: PathBuf,
}

impl Authority {
    /// An authority of this name, with its file in a directory.
    pub(super) fn new(name: &str, directory: &Path) -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names are names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().expect("a key");
        let issuer = CertifiedIssuer::self_signed(params, key).expect("an authority");
        let path = directory.join(format!("{name}.pem"));
        fs::write(&path, issuer.pem()).expect("a file");
        Self { issuer, path }
    }

    /// The file with its certificate.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What a server of this name needs.
    pub(super) fn served(&self, name: &str) -> Served {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions of TLS")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("a certificate and its key");
        Served(Arc::new(config))
    }
}

/// A server that the authority vouches for.
pub(super) struct Served(Arc<ServerConfig>);

impl Served {
    /// TLS over a connection, once it is agreed upon.
    pub(super) fn accept(
        &self,
        mut stream: TcpStream,
    ) -> Option<StreamOwned<ServerConnection, TcpStream>> {
        let mut connection = ServerConnection::new(Arc::clone(&self.0)).ok()?;
        while connection.is_handshaking() {
            connection.complete_io(&mut stream).ok()?;
        }
        Some(StreamOwned::new(connection, stream))
    }
}
