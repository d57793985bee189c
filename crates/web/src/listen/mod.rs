//! Connections. They are accepted here, because axum's own server does not limit their number, the time for a request
//! head, or the memory of a connection.

mod hosts;
mod shares;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::Request;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use ipnet::IpNet;
use rustix::net::sockopt::set_tcp_user_timeout;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use shares::Shares;

pub use hosts::Hosts;

use crate::watch::STUCK_MAX;

/// The address of a client, as determined when its connection was accepted.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// The most connections at a time.
const CONNECTIONS_MAX: usize = 1_024;
/// The most bytes of a connection that the server buffers before it handles them.
const BUFFER: usize = 64 << 10;
/// How long a head, and a handshake, may take.
const HEAD_MAX: Duration = Duration::from_secs(10);
/// How long to wait after a failed accept, for example when no file descriptors are left.
const AGAIN: Duration = Duration::from_millis(100);

/// The proxies that may report the address of a client.
#[derive(Clone, Debug, Default)]
pub struct Proxies(pub Vec<IpNet>);

impl Proxies {
    /// The address of a client: the one that the last trusted proxy reports, otherwise the peer's.
    fn client(&self, peer: IpAddr, forwarded: Option<&str>) -> IpAddr {
        let peer = peer.to_canonical();
        if !self.has(peer) {
            return peer;
        }
        let last = forwarded.and_then(|text| text.rsplit(',').next());
        last.and_then(|text| text.trim().parse().ok()).unwrap_or(peer)
    }

    /// Whether this is one of them.
    fn has(&self, peer: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&peer))
    }
}

/// Accepts and serves connections forever.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    tls: Option<TlsAcceptor>,
    proxies: Proxies,
) -> io::Result<()> {
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let (proxies, shares) = (Arc::new(proxies), Arc::new(Shares::default()));
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return Ok(()) };
        let Ok((stream, peer)) = listener.accept().await else {
            let _ = timeout(AGAIN, std::future::pending::<()>()).await;
            continue;
        };
        // All connections of a proxy are those of its clients.
        let from = peer.ip().to_canonical();
        let share = if proxies.has(from) { None } else { Some(shares.enter(from)) };
        if matches!(share, Some(None)) {
            continue;
        }
        let (router, tls, proxies) = (router.clone(), tls.clone(), Arc::clone(&proxies));
        tokio::spawn(async move {
            connection(stream, peer, router, tls, &proxies).await;
            drop((place, share));
        });
    }
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    tls: Option<TlsAcceptor>,
    proxies: &Arc<Proxies>,
) {
    // The connection is served even if a socket option cannot be set.
    let _ = stream.set_nodelay(true);
    let _ = set_tcp_user_timeout(&stream, STUCK_MAX.as_millis() as u32);
    match tls {
        None => requests(stream, peer, router, proxies).await,
        Some(tls) => {
            // A client that does not complete the TLS handshake in time gets no answer.
            if let Ok(Ok(stream)) = timeout(HEAD_MAX, tls.accept(stream)).await {
                requests(stream, peer, router, proxies).await;
            }
        }
    }
}

async fn requests(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    router: Router,
    proxies: &Arc<Proxies>,
) {
    let service = service_fn(|request: Request<hyper::body::Incoming>| {
        let forwarded =
            request.headers().get("x-forwarded-for").and_then(|text| text.to_str().ok());
        let from = proxies.client(peer.ip(), forwarded);
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(from));
        TowerToHyperService::new(router.clone()).call(request)
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_MAX).max_buf_size(BUFFER);
    // A browser that disconnects is not a failure.
    let _ = server.serve_connection(TokioIo::new(stream), service).await;
}

/// Why there is no acceptor; reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub enum AcceptorError {
    /// A file cannot be read.
    #[error("read {}: {}", .0.display(), .1)]
    Unread(PathBuf, #[source] pem::Error),
    /// The chain is empty.
    #[error("read {}: it holds no certificate", .0.display())]
    NoCertificate(PathBuf),
    /// The library offers no version of TLS.
    #[error("use TLS: {0}")]
    Tls(#[source] tokio_rustls::rustls::Error),
    /// The key does not belong to the certificate, or is of an unknown kind.
    #[error("use {} with {}: {}", .0.display(), .1.display(), .2)]
    Pair(PathBuf, PathBuf, #[source] tokio_rustls::rustls::Error),
}

/// A TLS acceptor with this certificate chain and this key, as PEM.
pub fn acceptor(chain: &Path, key: &Path) -> Result<TlsAcceptor, AcceptorError> {
    let unread = |path: &Path, source: pem::Error| AcceptorError::Unread(path.to_owned(), source);
    let certificates = CertificateDer::pem_file_iter(chain).and_then(Iterator::collect);
    let certificates: Vec<CertificateDer<'static>> =
        certificates.map_err(|error| unread(chain, error))?;
    if certificates.is_empty() {
        return Err(AcceptorError::NoCertificate(chain.to_owned()));
    }
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| unread(key, error))?;
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()));
    let config = config.with_safe_default_protocol_versions().map_err(AcceptorError::Tls)?;
    let config = config.with_no_client_auth().with_single_cert(certificates, secret);
    let config =
        config.map_err(|source| AcceptorError::Pair(chain.to_owned(), key.to_owned(), source))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forwarded_addresses_are_trusted_only_from_our_proxies() {
        let proxies = Proxies(vec!["10.0.0.0/8".parse().unwrap()]);
        let [ours, other, client]: [IpAddr; 3] =
            ["10.1.2.3", "192.0.2.9", "198.51.100.7"].map(|text| text.parse().unwrap());
        assert_eq!(proxies.client(ours, Some("203.0.113.1, 198.51.100.7")), client);
        assert_eq!(proxies.client(other, Some("198.51.100.7")), other);
        assert_eq!(proxies.client(ours, Some("x")), ours);
        assert_eq!(proxies.client(ours, None), ours);
        assert_eq!(
            proxies.client("::ffff:10.1.2.3".parse().unwrap(), Some("198.51.100.7")),
            client
        );
    }
}
