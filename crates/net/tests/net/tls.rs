//! Names, dates, issuers, versions, resumption and protocols.

use crate::authority::Authority;
use crate::server::{config, forgetful, greeted, refusal, serve};
use crate::tools::write;
use brunt_feed::Files;
use brunt_net::keystore::Store;
use brunt_net::tls::{Client, Options, Resume, TlsError, Trust, Version};
use rcgen::{KeyPair, date_time_ymd};
use std::path::Path;

fn trusting(path: &Path) -> Options {
    let store = Store { path: path.to_owned(), password: None };
    Options { trust: Trust::Stores(vec![store]), ..Options::default() }
}

#[test]
fn trusted_server_is_accepted_by_name_and_address() {
    let directory = tempfile::tempdir().unwrap();
    let authority = Authority::new("Test authority");
    let port = serve(config(&authority.issue("server", &["ldap.example.com", "127.0.0.1"]), None));
    let options = trusting(&write(directory.path(), "ca.pem", &authority.pem()));
    let client = Client::new(&options, &Files::default()).unwrap();
    for host in ["ldap.example.com", "127.0.0.1"] {
        let (greeting, agreement) = greeted(&client, host, port).unwrap();
        assert_eq!(greeting, "nobody.");
        assert_eq!(agreement.version, "TLSv1_3");
    }
    let words = refusal(&options, "other.example.com", port);
    for piece in ["other.example.com", "ldap.example.com", "127.0.0.1"] {
        assert!(words.contains(piece), "{words}");
    }
    let options = Options { name: Some("ldap.example.com".to_owned()), ..options };
    assert!(
        greeted(&Client::new(&options, &Files::default()).unwrap(), "other.example.com", port)
            .is_ok()
    );
}

#[test]
fn unknown_issuer_is_named_with_the_trusted_ones() {
    let directory = tempfile::tempdir().unwrap();
    let stranger = Authority::new("Stranger");
    let port = serve(config(&stranger.issue("server", &["localhost"]), None));
    let path = write(directory.path(), "ca.pem", &Authority::new("Test authority").pem());
    let words = refusal(&trusting(&path), "localhost", port);
    assert!(words.contains("CN=Stranger") && words.contains(path.to_str().unwrap()), "{words}");
    let anything = Options { trust: Trust::Anything, ..Options::default() };
    assert!(
        greeted(&Client::new(&anything, &Files::default()).unwrap(), "whatever.example", port)
            .is_ok()
    );
}

#[test]
fn system_authorities_do_not_trust_a_stranger() {
    let port = serve(config(&Authority::new("Stranger").issue("server", &["localhost"]), None));
    let options = Options::default();
    match Client::new(&options, &Files::default()) {
        Ok(_) => {
            assert!(refusal(&options, "localhost", port).contains("of this machine's authorities"));
        }
        Err(error) => {
            assert!(matches!(error, TlsError::NoSystemRoots(_)), "{error}");
            assert!(!Path::new("/etc/ssl/certs/ca-certificates.crt").exists(), "{error}");
        }
    }
}

#[test]
fn authority_with_equal_name_but_another_key_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let port = serve(config(&Authority::new("Twin").issue("server", &["localhost"]), None));
    let path = write(directory.path(), "ca.pem", &Authority::new("Twin").pem());
    assert!(
        refusal(&trusting(&path), "localhost", port).contains("no certificate that is trusted")
    );
}

#[test]
fn dates_of_a_directly_trusted_certificate_are_checked() {
    let directory = tempfile::tempdir().unwrap();
    let authority = Authority::new("Test authority");
    let path = write(directory.path(), "ca.pem", &authority.pem());
    let key = || KeyPair::generate().unwrap();
    let old = authority.issue_with("old", &["localhost"], key(), |params| {
        params.not_after = date_time_ymd(2020, 2, 1);
    });
    let pinned = write(directory.path(), "old.pem", &old.certificate.pem());
    let port = serve(config(&old, None));
    for store in [&path, &pinned] {
        let words = refusal(&trusting(store), "localhost", port);
        assert!(words.contains("expired") && words.contains("2020"), "{words}");
    }
    let new = authority.issue_with("new", &["localhost"], key(), |params| {
        params.not_before = date_time_ymd(2990, 2, 1);
        params.not_after = date_time_ymd(2999, 2, 1);
    });
    let words = refusal(&trusting(&path), "localhost", serve(config(&new, None)));
    assert!(words.contains("2990"), "{words}");
}

#[test]
fn certificate_in_the_trust_store_is_trusted_directly() {
    let directory = tempfile::tempdir().unwrap();
    let leaf = Authority::new("Not in the store").issue("server", &["localhost"]);
    let path = write(directory.path(), "server.pem", &leaf.certificate.pem());
    let port = serve(config(&leaf, None));
    assert!(
        greeted(&Client::new(&trusting(&path), &Files::default()).unwrap(), "localhost", port)
            .is_ok()
    );
    assert!(refusal(&trusting(&path), "elsewhere.example", port).contains("localhost"));
}

#[test]
fn certificate_without_hosts_is_checked_by_common_name() {
    let directory = tempfile::tempdir().unwrap();
    let authority = Authority::new("Test authority");
    let path = write(directory.path(), "ca.pem", &authority.pem());
    let port = serve(config(&authority.issue("directory.example.com", &[]), None));
    assert!(
        greeted(
            &Client::new(&trusting(&path), &Files::default()).unwrap(),
            "directory.example.com",
            port
        )
        .is_ok()
    );
    assert!(refusal(&trusting(&path), "127.0.0.1", port).contains("directory.example.com"));
    let port =
        serve(config(&authority.issue("directory.example.com", &["other.example.com"]), None));
    assert!(refusal(&trusting(&path), "directory.example.com", port).contains("other.example.com"));
}

#[test]
fn handshakes_are_resumed_or_full_as_requested() {
    let anything = Options { trust: Trust::Anything, ..Options::default() };
    let leaf = Authority::new("Test authority").issue("server", &["localhost"]);
    for version in [Version::Tls12, Version::Tls13] {
        for (resume, resumed) in [(Resume::Always, 3), (Resume::Never, 0)] {
            let port = serve(config(&leaf, None));
            let options = Options { resume, lowest: version, highest: version, ..anything.clone() };
            let client = Client::new(&options, &Files::default()).unwrap();
            for _ in 0..4 {
                greeted(&client, "localhost", port).unwrap();
            }
            let counts = client.handshakes();
            assert_eq!(
                (counts.full, counts.resumed),
                (4 - resumed, resumed),
                "{version:?} {resume:?}"
            );
        }
    }
    let client = Client::new(&anything, &Files::default()).unwrap();
    let port = serve(forgetful(config(&leaf, None)));
    for _ in 0..2 {
        assert!(!greeted(&client, "localhost", port).unwrap().1.resumed);
    }
    assert_eq!(client.handshakes().full, 2);
}

#[test]
fn versions_ciphers_and_alpn_are_as_requested() {
    let leaf = Authority::new("Test authority").issue("server", &["localhost"]);
    let mut server = config(&leaf, None);
    server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let port = serve(server);
    let anything = Options { trust: Trust::Anything, ..Options::default() };
    let cipher = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256".to_owned();
    let options = Options {
        highest: Version::Tls12,
        ciphers: vec![cipher.clone()],
        alpn: vec![b"http/1.1".to_vec()],
        ..anything.clone()
    };
    let (_, agreement) =
        greeted(&Client::new(&options, &Files::default()).unwrap(), "localhost", port).unwrap();
    assert_eq!((agreement.version, agreement.cipher), ("TLSv1_2", cipher.as_str()));
    assert_eq!(agreement.alpn.as_deref(), Some(&b"http/1.1"[..]));
    let options =
        Options { ciphers: vec!["TLS_CHACHA20_POLY1305_SHA256".to_owned()], ..anything.clone() };
    let (_, agreement) =
        greeted(&Client::new(&options, &Files::default()).unwrap(), "localhost", port).unwrap();
    assert_eq!(agreement.cipher, "TLS13_CHACHA20_POLY1305_SHA256");

    let options = Options { ciphers: vec!["RC4-MD5".to_owned()], ..anything.clone() };
    assert!(matches!(Client::new(&options, &Files::default()), Err(TlsError::Cipher { .. })));
    let options = Options { lowest: Version::Tls13, ciphers: vec![cipher], ..anything.clone() };
    assert!(matches!(Client::new(&options, &Files::default()), Err(TlsError::Suites(_))));
    let options = Options { lowest: Version::Tls13, highest: Version::Tls12, ..anything };
    assert!(matches!(Client::new(&options, &Files::default()), Err(TlsError::Versions { .. })));
}

#[test]
fn peer_without_tls_is_a_tls_failure() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for tcp in listener.incoming() {
            std::io::Write::write_all(&mut tcp.unwrap(), b"220 hello\r\n").unwrap();
        }
    });
    let anything = Options { trust: Trust::Anything, ..Options::default() };
    let words = refusal(&anything, "localhost", port);
    assert!(words.contains("does the server speak TLS on this port"), "{words}");
}
