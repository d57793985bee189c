//! [`Client`]: a TLS client, based on rustls with ring, set up once and used for every connection.
//!
//! All errors in files, passwords, names and versions are found in [`Client::new`], before the run. The counters
//! distinguish full handshakes from resumed ones, because their costs differ by a factor of five or more and a report
//! that mixes them is meaningless. The caller measures how long a handshake takes. It must not depend on the data sent
//! under TLS.

mod demand;
mod identity;
mod provider_argument;
mod secured;
mod token;
mod trust;

pub use identity::Identity;
pub use provider_argument::{ProviderArgumentError, TokenModule};
pub use secured::limited;
pub use token::{Token, TokenError};
pub use trust::Trust;

use super::Failure;
use super::keystore::StoreError;
use super::stream::Stream;
use brunt_feed::Files;
use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::ServerName;
use rustls::{
    ClientConfig, ClientConnection, HandshakeKind, StreamOwned, SupportedProtocolVersion, version,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// The name a server's certificate is checked against.
pub type Name = ServerName<'static>;

/// The number of servers whose tickets are kept, for [`Resume::Always`].
const TICKET_SERVERS_MAX: usize = 1024;

/// A version of TLS. Versions before 1.2 are not supported (RFC 8996).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// TLS 1.2.
    Tls12,
    /// TLS 1.3.
    Tls13,
}

/// Whether handshakes may resume an earlier session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resume {
    /// If the server gave a ticket or a session id, as most clients do.
    #[default]
    Always,
    /// Never: each handshake is full.
    Never,
}

/// How connections are secured.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which certificates of a server are trusted.
    pub trust: Trust,
    /// The client's identity, if the server requests it.
    pub identity: Option<Identity>,
    /// The name to send and to check, instead of the name of the target.
    pub name: Option<String>,
    /// The lowest version that is accepted.
    pub lowest: Version,
    /// The highest version that is offered.
    pub highest: Version,
    /// Cipher suites in order of preference, by their IANA names; empty for rustls' own order.
    pub ciphers: Vec<String>,
    /// Whether handshakes may be resumed.
    pub resume: Resume,
    /// Application protocols to offer (RFC 7301), the best first.
    pub alpn: Vec<Vec<u8>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            trust: Trust::System,
            identity: None,
            name: None,
            lowest: Version::Tls12,
            highest: Version::Tls13,
            ciphers: Vec::new(),
            resume: Resume::default(),
            alpn: Vec::new(),
        }
    }
}

/// TLS as a client. Cheap to clone; clones share tickets and counters.
#[derive(Clone)]
pub struct Client {
    connector: TlsConnector,
    name: Option<Name>,
    full: Arc<AtomicU64>,
    resumed: Arc<AtomicU64>,
}

/// How many handshakes there were of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Handshakes {
    /// With certificates and a key exchange in full.
    pub full: u64,
    /// From a ticket or a session id.
    pub resumed: u64,
}

/// What a handshake negotiated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// `TLSv1_3`.
    pub version: &'static str,
    /// The IANA name of the cipher suite.
    pub cipher: &'static str,
    /// Whether an earlier session was resumed.
    pub resumed: bool,
    /// The application protocol, if one was negotiated.
    pub alpn: Option<Vec<u8>>,
}

/// Why TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A key store or trust store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A token cannot be used.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The machine has no trusted authorities.
    #[error("find the authorities this machine trusts: {0}; give a trust store")]
    NoSystemRoots(String),
    /// A trust store without a usable certificate.
    #[error("use the certificates of {path} to trust: {why}")]
    Unusable {
        /// The file.
        path: std::path::PathBuf,
        /// The first error.
        why: rustls::Error,
    },
    /// A key that does not belong to the certificate, or is of an unknown kind.
    #[error("present the certificate '{alias}' of {origin}: {why}")]
    Identity {
        /// The entry.
        alias: String,
        /// The file or token.
        origin: String,
        /// What is wrong.
        why: rustls::Error,
    },
    /// The lowest version is above the highest.
    #[error("offer a version of TLS: the lowest ({lowest:?}) is above the highest ({highest:?})")]
    Versions {
        /// The lowest requested.
        lowest: Version,
        /// The highest requested.
        highest: Version,
    },
    /// An unknown cipher suite.
    #[error("offer the cipher suite '{name}': those known are {known}")]
    Cipher {
        /// The name.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// Cipher suites that none of the versions supports.
    #[error("offer the cipher suites: {0}")]
    Suites(rustls::Error),
    /// The name is neither a host name nor an address.
    #[error("check certificates against '{0}': it is neither a host name nor an IP address")]
    Name(String),
}

impl Client {
    /// Reads every store, unlocks every key and makes every decision.
    pub fn new(options: &Options, files: &Files) -> Result<Self, TlsError> {
        let provider = Arc::new(provider(&options.ciphers)?);
        let versions = versions(options.lowest, options.highest)?;
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(versions)
            .map_err(TlsError::Suites)?
            .dangerous()
            .with_custom_certificate_verifier(trust::verifier((&options.trust, files), &provider)?);
        let mut config = match &options.identity {
            None => builder.with_client_cert_resolver(Arc::new(demand::NoCertificate)),
            Some(identity) => {
                builder.with_client_cert_resolver(identity::resolver((identity, files), &provider)?)
            }
        };
        config.resumption = match options.resume {
            Resume::Always => Resumption::in_memory_sessions(TICKET_SERVERS_MAX),
            Resume::Never => Resumption::disabled(),
        };
        config.alpn_protocols.clone_from(&options.alpn);
        let name = options.name.as_deref().map(parse_name).transpose()?;
        Ok(Self {
            connector: TlsConnector::from(Arc::new(config)),
            name,
            full: Arc::default(),
            resumed: Arc::default(),
        })
    }

    /// The name to check for a server given as `host`: [`Options::name`], if it is set.
    pub fn name_for(&self, host: &str) -> Result<Name, TlsError> {
        self.name.clone().map_or_else(|| parse_name(host), Ok)
    }

    /// Does the handshake. It ends when the client may send; in TLS 1.3 a server that refuses the client's certificate
    /// reports this only afterwards.
    pub async fn handshake(
        &self,
        stream: Stream,
        name: &Name,
    ) -> Result<TlsStream<Stream>, Failure> {
        let shaking = demand::explained(self.connector.connect(name.clone(), stream));
        let stream = shaking.await.map_err(Failure::Tls)?;
        let counter = if is_resumed(stream.get_ref().1) { &self.resumed } else { &self.full };
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(stream)
    }

    /// Does the handshake over a blocking socket, whose own timeouts are the limit.
    pub fn secure_blocking(
        &self,
        mut stream: std::net::TcpStream,
        host: &str,
    ) -> std::io::Result<StreamOwned<ClientConnection, std::net::TcpStream>> {
        let name = self.name_for(host).map_err(std::io::Error::other)?;
        let config = Arc::clone(self.connector.config());
        let mut connection = ClientConnection::new(config, name).map_err(std::io::Error::other)?;
        while connection.is_handshaking() {
            connection.complete_io(&mut stream)?;
        }
        let counter = if is_resumed(&connection) { &self.resumed } else { &self.full };
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(StreamOwned::new(connection, stream))
    }

    /// How many handshakes succeeded so far, by kind, over all clones.
    pub fn handshakes(&self) -> Handshakes {
        Handshakes {
            full: self.full.load(Ordering::Relaxed),
            resumed: self.resumed.load(Ordering::Relaxed),
        }
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Agreement {
    /// What this connection negotiated.
    pub(super) fn new(connection: &rustls::ClientConnection) -> Self {
        Self {
            version: connection
                .protocol_version()
                .and_then(|version| version.as_str())
                .unwrap_or("unknown"),
            cipher: connection
                .negotiated_cipher_suite()
                .and_then(|suite| suite.suite().as_str())
                .unwrap_or("unknown"),
            resumed: is_resumed(connection),
            alpn: connection.alpn_protocol().map(<[u8]>::to_vec),
        }
    }
}

/// The names of all cipher suites that can be requested.
pub fn cipher_names() -> impl Iterator<Item = &'static str> {
    ring::ALL_CIPHER_SUITES.iter().filter_map(|suite| suite.suite().as_str())
}

fn is_resumed(connection: &rustls::ClientConnection) -> bool {
    connection.handshake_kind() == Some(HandshakeKind::Resumed)
}

fn parse_name(name: &str) -> Result<Name, TlsError> {
    ServerName::try_from(name.to_owned()).map_err(|_| TlsError::Name(name.to_owned()))
}

fn provider(ciphers: &[String]) -> Result<CryptoProvider, TlsError> {
    let mut provider = ring::default_provider();
    if ciphers.is_empty() {
        return Ok(provider);
    }
    provider.cipher_suites.clear();
    for name in ciphers {
        // rustls spells TLS 1.3 suites TLS13_AES_..., other programs TLS_AES_...
        let wanted = name.to_ascii_uppercase().replace("TLS13_", "TLS_");
        let found = ring::ALL_CIPHER_SUITES.iter().find(|suite| {
            suite.suite().as_str().is_some_and(|known| known.replace("TLS13_", "TLS_") == wanted)
        });
        let Some(suite) = found else {
            let known = cipher_names().collect::<Vec<_>>().join(", ");
            return Err(TlsError::Cipher { name: name.clone(), known });
        };
        provider.cipher_suites.push(*suite);
    }
    Ok(provider)
}

fn versions(
    lowest: Version,
    highest: Version,
) -> Result<&'static [&'static SupportedProtocolVersion], TlsError> {
    static BOTH: [&SupportedProtocolVersion; 2] = [&version::TLS13, &version::TLS12];
    match (lowest, highest) {
        (Version::Tls12, Version::Tls13) => Ok(&BOTH),
        (Version::Tls12, Version::Tls12) => Ok(&BOTH[1..]),
        (Version::Tls13, Version::Tls13) => Ok(&BOTH[..1]),
        (Version::Tls13, Version::Tls12) => Err(TlsError::Versions { lowest, highest }),
    }
}
