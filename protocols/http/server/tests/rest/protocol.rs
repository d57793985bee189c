//! HTTP/1, well-formed and malformed, and TLS.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use brunt_http_server::{Config, Server};
use brunt_testbed::until;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};

use super::client::{Client, End};
use super::{connect, server};

#[test]
fn pipelined_requests_are_answered_in_order() {
    let server = server();
    let mut client = connect(&server);
    let mut sent = Vec::new();
    for n in 0..500 {
        sent.extend(format!("GET /status/{} HTTP/1.1\r\nHost: t\r\n\r\n", 200 + n % 300).bytes());
        if n % 100 == 0 {
            // A slow request delays those behind it, and none is answered before it.
            sent.extend(b"GET /sleep?ms=5 HTTP/1.1\r\nHost: t\r\n\r\n");
        }
    }
    client.send(&sent);
    for n in 0..500 {
        assert_eq!(client.receive("GET").unwrap().status, 200 + n % 300);
        if n % 100 == 0 {
            assert_eq!(client.receive("GET").unwrap().json()["slept_us"], 5000);
        }
    }
    assert_eq!(server.stats().connections_accepted, 1);
}

#[test]
fn keep_alive_follows_the_http_version() {
    let server = server();
    for (request, stays, output) in [
        ("GET / HTTP/1.1\r\nHost: t\r\n\r\n", true, None),
        ("GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n", false, Some("close")),
        // In HTTP/1.0 that is understood.
        ("GET / HTTP/1.0\r\n\r\n", false, None),
        ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true, Some("keep-alive")),
    ] {
        let mut client = connect(&server);
        client.send(request.as_bytes());
        let answer = client.receive("GET").unwrap();
        assert_eq!((answer.status, answer.field("connection")), (200, output), "{request}");
        if stays {
            client.send(request.as_bytes());
            assert_eq!(client.receive("GET").unwrap().status, 200, "{request}");
        } else {
            assert_eq!(client.end(), (End::Closed, Vec::new()), "{request}");
        }
    }
    // A client that has closed its sending side still receives its answers.
    let mut client = connect(&server);
    client.send(b"GET /sleep?ms=20 HTTP/1.1\r\nHost: t\r\n\r\nGET / HTTP/1.1\r\nHost: t\r\n\r\n");
    client.stream.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(client.receive("GET").unwrap().status, 200);
    assert_eq!(client.receive("GET").unwrap().status, 200);
    assert_eq!(client.end().0, End::Closed);
}

#[test]
fn chunked_and_expect_100_bodies_are_read() {
    let server = server();
    let mut client = connect(&server);
    client.send(
        b"POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    );
    client.send(b"6;x=y\r\n world\r\n0\r\nTrailer: 1\r\n\r\n");
    assert_eq!(client.receive("POST").unwrap().json()["body"], "hello world");
    client.send(
        b"POST /echo HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n",
    );
    assert_eq!(client.receive("POST").unwrap().status, 100);
    client.send(b"hello");
    assert_eq!(client.receive("POST").unwrap().json()["body"], "hello");
    // Bytes beyond the limit are read and counted, and the connection remains usable afterwards.
    let megabytes = 8;
    client.send(
        format!("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: {}\r\n\r\n", megabytes << 20)
            .as_bytes(),
    );
    for _ in 0..megabytes {
        client.send(&vec![b'x'; 1 << 20]);
    }
    assert_eq!(client.receive("POST").unwrap().json()["body_bytes"], megabytes << 20);
    let too_much = "x".repeat((1 << 20) + 1);
    let admin = [("X-OpenIDM-Username", "admin"), ("X-OpenIDM-Password", "password")];
    assert_eq!(client.exchange("PUT", "/api/users/x", &admin, &too_much).status, 413);
    assert_eq!(client.get("/").status, 200);
}

#[test]
fn invalid_http_is_answered_and_closed() {
    let server = server();
    let long = format!("GET / HTTP/1.1\r\nHost: t\r\nX: {}", "x".repeat(70_000));
    let bad: [(&[u8], u16); 6] = [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/3.0\r\nHost: t\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
        (long.as_bytes(), 431),
    ];
    for (bytes, status) in bad {
        let mut client = connect(&server);
        client.send(bytes);
        let answer = client.receive("GET").unwrap();
        assert_eq!((answer.status, answer.field("connection")), (status, Some("close")));
        assert_eq!(client.end().0, End::Closed);
    }
    // The last is counted when its connection has ended.
    let counted = || server.stats().malformed == bad.len() as u64;
    assert!(until(Duration::from_secs(60), counted), "{}", server.stats().malformed);
    // Random bytes do no harm.
    let mut state = 1_u64;
    for round in 0..200 {
        let head = "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n";
        let mut bytes = format!("{head}3\r\nabc\r\n0\r\n\r\n").into_bytes();
        for _ in 0..=round % 5 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (state >> 33) as usize % bytes.len();
            bytes[at] = (state >> 20) as u8;
        }
        let mut stream = TcpStream::connect(server.address()).unwrap();
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
    assert_eq!(connect(&server).get("/").status, 200);
}

#[test]
fn connections_are_limited() {
    let server = Server::start(Config { connections_max: 3, ..Config::default() }).unwrap();
    let mut three: Vec<Client> = (0..3).map(|_| connect(&server)).collect();
    assert!(three.iter_mut().all(|client| client.get("/").status == 200));
    assert_eq!(connect(&server).end().0, End::Closed);
    assert_eq!(server.stats().connections_refused, 1);
    drop(three.pop());
    let again = || {
        let mut client = connect(&server);
        client.send(b"GET / HTTP/1.1\r\nHost: t\r\n\r\n");
        client.receive("GET").is_ok()
    };
    // The server notices soon that one is gone, but not at once.
    let noticed = (0..200).any(|_| again() || !three[0].is_silent(Duration::from_millis(5)));
    assert!(noticed);
}

#[test]
fn threads_share_users_and_sessions() {
    let server = Server::start(Config { threads: 3, ..Config::default() }).unwrap();
    let login = [("X-OpenAM-Username", "user.1"), ("X-OpenAM-Password", "password")];
    let answer = connect(&server).exchange("POST", "/openam/json/authenticate", &login, "");
    let token = answer.json()["tokenId"].as_str().unwrap().to_owned();
    for _ in 0..6 {
        let target = format!("/openam/json/sessions/{token}?_action=validate");
        assert_eq!(connect(&server).exchange("POST", &target, &[], "").json()["valid"], true);
    }
    assert_eq!(server.stats().answers_of("POST", "/openam/json/sessions/{token}", 200), 6);
}

#[test]
fn tls_uses_its_authority_and_resumes() {
    let tls = Some("127.0.0.1:0".parse().unwrap());
    let server = Server::start(Config { listen_tls: tls, ..Config::default() }).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(server.ca_pem().as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let config = Arc::new(config);
    for _ in 0..2 {
        let name = ServerName::try_from("localhost").unwrap();
        let mut client = ClientConnection::new(Arc::clone(&config), name).unwrap();
        let mut stream = TcpStream::connect(server.tls_address().unwrap()).unwrap();
        let mut stream = rustls::Stream::new(&mut client, &mut stream);
        stream
            .write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(
            answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("loaded.\n"),
            "{answer}"
        );
        assert_eq!(client.alpn_protocol(), Some(&b"http/1.1"[..]));
    }
    let stats = server.shutdown();
    assert_eq!((stats.handshakes, stats.handshakes_resumed, stats.handshakes_failed), (2, 1, 0));
}
