//! A TLS server on loopback that sends each client the identity it recognised, and the client of the tests.

use crate::authority::{Authority, Leaf};
use brunt_feed::Files;
use brunt_net::Failure;
use brunt_net::stream::Stream;
use brunt_net::tcp::{self, Close, Dialer, Endpoint};
use brunt_net::tls::{Agreement, Client, Options};
use rustls::crypto::ring;
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use x509_parser::prelude::{FromDer, X509Certificate};

/// A configuration with that certificate; if `clients` is given, one of their certificates is demanded.
pub(crate) fn config(leaf: &Leaf, clients: Option<&Authority>) -> ServerConfig {
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .unwrap();
    let builder = match clients {
        None => builder.with_no_client_auth(),
        Some(authority) => {
            let mut roots = RootCertStore::empty();
            roots.add(authority.der()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                .build()
                .unwrap();
            builder.with_client_cert_verifier(verifier)
        }
    };
    builder.with_single_cert(vec![leaf.certificate.der().clone()], leaf.key_der()).unwrap()
}

/// A configuration that resumes no session.
pub(crate) fn forgetful(mut config: ServerConfig) -> ServerConfig {
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    config
}

/// Serves until the test process ends. Returns the port.
pub(crate) fn serve(config: ServerConfig) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let config = Arc::new(config);
    std::thread::spawn(move || {
        for tcp in listener.incoming() {
            let config = Arc::clone(&config);
            std::thread::spawn(move || greet(tcp.unwrap(), config));
        }
    });
    port
}

/// Sends the common name of the client's certificate, and a full stop. Some tests are about a client that aborts the
/// connection.
fn greet(tcp: TcpStream, config: Arc<ServerConfig>) {
    let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), tcp);
    while stream.conn.is_handshaking() {
        if stream.conn.complete_io(&mut stream.sock).is_err() {
            return;
        }
    }
    let name = stream.conn.peer_certificates().and_then(|chain| {
        let (_, certificate) = X509Certificate::from_der(chain.first()?).ok()?;
        certificate.subject().iter_common_name().next()?.as_str().ok().map(str::to_owned)
    });
    let _ = write!(stream, "{}.", name.as_deref().unwrap_or("nobody"));
    let _ = stream.read(&mut [0; 16]);
}

/// Connects to `host`, performs the handshake and reads the greeting.
pub(crate) fn greeted(
    client: &Client,
    host: &str,
    port: u16,
) -> Result<(String, Agreement), Failure> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let endpoint = Endpoint { host: "127.0.0.1".to_owned(), port };
        let options =
            tcp::Options { timeout: Some(Duration::from_secs(10)), ..tcp::Options::default() };
        let dialer = Dialer::new(&brunt_net::Network::private(), &[endpoint], options).unwrap();
        let name = client.name_for(host).unwrap();
        let plain = Stream::Plain(dialer.connect(0).await?);
        let mut stream = plain.secure(client, &name).await?;
        let mut greeting = Vec::new();
        let mut buffer = [0; 64];
        while !greeting.ends_with(b".") {
            let count = stream.receive(&mut buffer).await.map_err(Failure::Tls)?;
            assert!(count > 0, "the server said nothing");
            greeting.extend_from_slice(&buffer[..count]);
        }
        let agreement = stream.agreement().unwrap();
        stream.close(Close::Fin).await;
        Ok((String::from_utf8(greeting).unwrap(), agreement))
    })
}

/// The error text of one attempt with these options.
pub(crate) fn refusal(options: &Options, host: &str, port: u16) -> String {
    let failure =
        greeted(&Client::new(options, &Files::default()).unwrap(), host, port).unwrap_err();
    assert_eq!(failure.class(), brunt_exchange::Class::Tls, "{failure}");
    failure.to_string()
}
