//! HTTP over TLS: the version that both sides agree on, their identities, and session resumption.

use crate::{Worker, run};
use brunt_exchange::Class;
use brunt_http_driver::{
    CONNECT, FIRST_BYTE, Failure, Http2Failure, Keep, Proxy, Settings, TLS, Version,
};
use brunt_net::keystore::Store;
use brunt_net::tls::{self, Identity, Resume, Trust};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// A server that offers these protocols, and answers 200 over the one agreed on. If `clients` is given, it demands that
/// certificate.
fn serve(alpn: &[&str], clients: Option<&rcgen::Certificate>) -> String {
    let provider = Arc::new(ring::default_provider());
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap();
    let builder = match clients {
        None => builder.with_no_client_auth(),
        Some(certificate) => {
            let mut roots = RootCertStore::empty();
            roots.add(certificate.der().clone()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().unwrap())
        }
    };
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let mut config = builder.with_single_cert(vec![cert.der().clone()], key).unwrap();
    config.alpn_protocols = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let acceptor = TlsAcceptor::from(Arc::new(config));
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    // Some tests are about a client that aborts the handshake.
                    if let Ok(stream) = acceptor.accept(stream).await {
                        answer(stream).await;
                    }
                });
            }
        });
    });
    format!("https://127.0.0.1:{port}")
}

async fn answer(mut stream: TlsStream<tokio::net::TcpStream>) {
    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
        let Ok(mut connection) = h2::server::handshake(stream).await else { return };
        while let Some(Ok((_, mut reply))) = connection.accept().await {
            let head = http::Response::builder().header("version", "2").body(()).unwrap();
            reply.send_response(head, true).unwrap();
        }
        return;
    }
    let mut requested = Vec::new();
    while let Ok(byte) = stream.read_u8().await {
        requested.push(byte);
        if requested.ends_with(b"\r\n\r\n") {
            requested.clear();
            let answer = b"HTTP/1.1 200 OK\r\nVersion: 1\r\nContent-Length: 0\r\n\r\n";
            if stream.write_all(answer).await.is_err() || stream.flush().await.is_err() {
                return;
            }
        }
    }
}

fn settings(version: Version) -> Settings {
    let tls = tls::Options { trust: Trust::Anything, ..tls::Options::default() };
    Settings { version, tls: Some(tls), streams: 2, ..Settings::default() }
}

/// The version that two users who could share a connection get, and how many connections there are afterwards.
fn agreed(version: Version, alpn: &[&str]) -> Result<(String, u64), Failure> {
    let url = serve(alpn, None);
    run(async {
        let worker = Worker::new(settings(version));
        let mut users = [worker.user(0), worker.user(1)];
        let mut spoken = Vec::new();
        for turn in 0..4 {
            let user = &mut users[turn % 2];
            assert_eq!(user.get(&url, "/").await?, 200);
            spoken.push(user.response.values("version").next().unwrap().to_vec());
        }
        let counts = worker.network.counts();
        assert_eq!((counts.lost, counts.healed), (0, 0));
        assert_eq!(
            worker.network.handshakes().full + worker.network.handshakes().resumed,
            counts.opened
        );
        Ok((String::from_utf8(spoken.concat()).unwrap(), counts.opened))
    })
}

#[test]
fn alpn_decides_the_version() {
    use Version::{Http1, Http2, Negotiate};
    for (version, alpn, spoken, connections) in [
        (Negotiate, &["h2", "http/1.1"][..], "2222", 1),
        (Negotiate, &["http/1.1"], "1111", 2),
        (Negotiate, &[], "1111", 2),
        (Http2, &["h2"], "2222", 1),
        (Http1, &["h2", "http/1.1"], "1111", 2),
        (Http1, &[], "1111", 2),
    ] {
        let found = agreed(version, alpn).unwrap();
        assert_eq!(found, (spoken.to_owned(), connections), "{version:?} {alpn:?}");
    }
    let failure = agreed(Http2, &[]).unwrap_err();
    let Failure::Shared(inner) = &failure else { panic!("{failure:?}") };
    assert!(matches!(**inner, Failure::Http2(Http2Failure::NotAgreed)), "{failure}");
    assert_eq!(failure.class(), Class::Protocol);
    assert!(failure.to_string().contains("ask for HTTP/1.1"), "{failure}");
    // With prior knowledge the client uses HTTP/2 anyway, which this server does not understand.
    let failure = agreed(Version::Http2PriorKnowledge, &[]).unwrap_err();
    assert!(matches!(failure, Failure::Http2(Http2Failure::Violation(_))), "{failure}");
    // If there is no common protocol, rustls on the other side aborts the handshake.
    assert_eq!(agreed(Http2, &["http/1.1"]).unwrap_err().class(), Class::Tls);
}

#[test]
fn resumed_handshakes_are_distinguished_from_full_ones() {
    let url = serve(&["h2", "http/1.1"], None);
    for version in [Version::Http1, Version::Http2] {
        for (resume, expected) in [(Resume::Always, (1, 4)), (Resume::Never, (5, 0))] {
            let mut settings = settings(version);
            settings.keep = Keep::Requests(1);
            settings.tls.as_mut().unwrap().resume = resume;
            run(async {
                let worker = Worker::new(settings);
                let mut user = worker.user(0);
                for _ in 0..5 {
                    assert_eq!(user.get(&url, "/").await.unwrap(), 200);
                    assert_eq!(user.parts, [CONNECT.0, TLS.0, FIRST_BYTE.0]);
                }
                let found = worker.network.handshakes();
                assert_eq!((found.full, found.resumed), expected, "{version:?} {resume:?}");
            });
        }
    }
}

#[test]
fn client_certificate_is_sent_in_both_versions() {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["client".to_owned()]).unwrap();
    let url = serve(&["h2", "http/1.1"], Some(&cert));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("client.pem");
    std::fs::write(&path, cert.pem() + &signing_key.serialize_pem()).unwrap();
    for version in [Version::Http1, Version::Http2] {
        let mut settings = settings(version);
        run(async {
            let mut nobody = Worker::new(settings.clone()).user(0);
            let failure = nobody.get(&url, "/").await.unwrap_err();
            // The reset of a connection with an unread request may arrive before the refusal.
            match failure.class() {
                Class::Tls => {
                    assert!(failure.to_string().contains("CertificateRequired"), "{failure}");
                }
                class => assert_eq!(class, Class::Closed, "{failure}"),
            }
            let store = Store { path: path.clone(), password: None };
            let identity = Identity::Store { store, alias: None };
            settings.tls.as_mut().unwrap().identity = Some(identity);
            let mut somebody = Worker::new(settings).user(0);
            assert_eq!(somebody.get(&url, "/").await.unwrap(), 200, "{version:?}");
        });
    }
}

/// A proxy that opens the requested tunnels and is itself reached over TLS, and the number of tunnels it has opened.
fn proxy() -> (String, Arc<AtomicU64>) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let config = builder.with_single_cert(vec![cert.der().clone()], key).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let opened = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&opened);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let acceptor = TlsAcceptor::from(Arc::new(config));
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let mut near = acceptor.accept(stream).await.unwrap();
                let mut requested = Vec::new();
                while !requested.ends_with(b"\r\n\r\n") {
                    requested.push(near.read_u8().await.unwrap());
                }
                let requested = String::from_utf8(requested).unwrap();
                let to = requested.strip_prefix("CONNECT ").unwrap().split(' ').next().unwrap();
                let mut far = tokio::net::TcpStream::connect(to).await.unwrap();
                near.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
                count.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(async move {
                    let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
                });
            }
        });
    });
    (format!("https://127.0.0.1:{port}"), opened)
}

#[test]
fn tls_works_through_an_https_proxy_tunnel() {
    let url = serve(&["h2", "http/1.1"], None);
    let (proxy, opened) = proxy();
    for (round, version) in (1..).zip([Version::Http1, Version::Http2]) {
        let mut settings = settings(version);
        let mut through: Proxy = proxy.parse().unwrap();
        through.tls.clone_from(&settings.tls);
        settings.proxy = Some(through);
        run(async {
            let mut user = Worker::new(settings).user(0);
            for _ in 0..3 {
                assert_eq!(user.get(&url, "/").await.unwrap(), 200, "{version:?}");
            }
        });
        assert_eq!(opened.load(Ordering::Relaxed), round);
    }
}

#[test]
fn connecting_time_counts_only_for_per_exchange_connections() {
    // For five requests: after how many a connection is replaced, and which of them opens its own.
    let table = [
        (Keep::Alive, [false, false, false, false, false]),
        (Keep::Requests(1), [true, true, true, true, true]),
        (Keep::Requests(2), [false, false, true, false, true]),
    ];
    let url = serve(&["h2", "http/1.1"], None);
    for version in [Version::Http1, Version::Http2] {
        for (keep, owned) in table {
            run(async {
                let worker = Worker::new(Settings { keep, ..settings(version) });
                let mut user = worker.user(0);
                for (number, own) in owned.into_iter().enumerate() {
                    assert_eq!(user.get(&url, "/").await.unwrap(), 200);
                    let about = format!("{version:?}, {keep:?}, request {number}");
                    let opened = user.parts.contains(&CONNECT.0) && user.parts.contains(&TLS.0);
                    assert_eq!(opened, own || number == 0, "{about}: {:?}", user.parts);
                    assert_eq!(!user.opening.is_zero(), own, "{about}");
                    assert!(!own || user.opening >= user.connecting, "{about}");
                }
                user.client.close(&*user.clock).await;
            });
        }
    }
}
