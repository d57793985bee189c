//! Trust stores and key stores as `keytool` and `openssl` make them.

use crate::authority::Authority;
use crate::server::{config, greeted, refusal, serve};
use crate::tools::{run, write};
use brunt_feed::Files;
use brunt_net::keystore::{KeyError, Store, StoreError};
use brunt_net::tls::{Client, Identity, Options, TlsError, Trust};
use brunt_testbed::require;
use rcgen::KeyPair;
use std::path::Path;

const PASSWORD: &str = "changeit";

fn store(directory: &Path, name: &str) -> Store {
    store_with(directory, name, Some(PASSWORD))
}

fn store_with(directory: &Path, name: &str, password: Option<&str>) -> Store {
    Store { path: directory.join(name), password: password.map(Into::into) }
}

/// Starts a server that demands a certificate of the authority, and writes to the directory:
/// `ca.pem`, and the keys `one` (elliptic curve) and `two` (RSA), each as PEM and as PKCS#12.
fn prepare(directory: &Path) -> u16 {
    let authority = Authority::new("Test authority");
    write(directory, "ca.pem", &authority.pem());
    run(
        directory,
        "openssl",
        &["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", "rsa.pem"],
    );
    let rsa =
        KeyPair::from_pem(&std::fs::read_to_string(directory.join("rsa.pem")).unwrap()).unwrap();
    for (name, key) in [("one", KeyPair::generate().unwrap()), ("two", rsa)] {
        let leaf = authority.issue_with(&format!("Client {name}"), &[], key, |_| {});
        let text = leaf.certificate.pem() + &authority.pem() + &leaf.key.serialize_pem();
        write(directory, &format!("{name}.pem"), &text);
        let (pem, p12) = (format!("{name}.pem"), format!("{name}.p12"));
        let pass = format!("pass:{PASSWORD}");
        run(
            directory,
            "openssl",
            &["pkcs12", "-export", "-in", &pem, "-out", &p12, "-name", name, "-passout", &pass],
        );
    }
    serve(config(&authority.issue("server", &["localhost"]), Some(&authority)))
}

/// Writes the certificate of a key, alone, and returns the name of its file.
fn certificate_of(directory: &Path, name: &str) -> String {
    let (pem, certificate) = (format!("{name}.pem"), format!("{name}.crt"));
    run(directory, "openssl", &["x509", "-in", &pem, "-out", &certificate]);
    certificate
}

/// Runs keytool, which ends before a better compiler or collector would help.
fn keytool(directory: &Path, words: &[&str]) {
    let machine = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"];
    run(directory, "keytool", &[&machine[..], words].concat());
}

fn import_keys(directory: &Path, kind: &str, into: &str) {
    for from in ["one.p12", "two.p12"] {
        let fixed =
            ["-importkeystore", "-noprompt", "-srcstoretype", "PKCS12", "-srcstorepass", PASSWORD];
        let given = [
            "-deststorepass",
            PASSWORD,
            "-srckeystore",
            from,
            "-deststoretype",
            kind,
            "-destkeystore",
            into,
        ];
        keytool(directory, &[&fixed[..], &given[..]].concat());
    }
}

fn showing(trust: Store, key: Store, alias: Option<&str>) -> Options {
    let identity = Identity::Store { store: key, alias: alias.map(str::to_owned) };
    Options { trust: Trust::Stores(vec![trust]), identity: Some(identity), ..Options::default() }
}

#[test]
fn java_stores_of_every_kind_trust_and_identify() {
    if !require(&["keytool", "openssl"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let port = prepare(directory);
    for kind in ["JKS", "JCEKS", "PKCS12"] {
        let (trust, keys) = (format!("{kind}.trust"), format!("{kind}.keys"));
        let fixed =
            ["-importcert", "-noprompt", "-alias", "ca", "-file", "ca.pem", "-storepass", PASSWORD];
        keytool(directory, &[&fixed[..], &["-keystore", &trust, "-storetype", kind]].concat());
        if kind == "JCEKS" {
            let fixed = ["-genseckey", "-keyalg", "AES", "-keysize", "128", "-alias", "a-secret"];
            let given = ["-storepass", PASSWORD, "-keystore", &keys, "-storetype", kind];
            keytool(directory, &[&fixed[..], &given[..]].concat());
        }
        import_keys(directory, kind, &keys);
        for (alias, greeting) in [(Some("ONE"), "Client one."), (Some("two"), "Client two.")] {
            let options = showing(store(directory, &trust), store(directory, &keys), alias);
            let (heard, _) =
                greeted(&Client::new(&options, &Files::default()).unwrap(), "localhost", port)
                    .unwrap();
            assert_eq!(heard, greeting, "{kind}");
        }
        let known = store(directory, &keys).identity(Some("three"), &Files::default()).unwrap_err();
        let StoreError::NoSuchAlias { mut known, .. } = known else { panic!("{known}") };
        known.sort();
        assert_eq!(known, ["one", "two"], "{kind}");
        for name in [&trust, &keys] {
            let wrong =
                store_with(directory, name, Some("wrong-one")).open(&Files::default()).unwrap_err();
            assert!(matches!(wrong, StoreError::Password { .. }), "{kind}: {wrong}");
        }
        let keyless = store(directory, &trust).identity(None, &Files::default()).unwrap_err();
        assert!(matches!(keyless, StoreError::NoKey { certificates: 1, .. }), "{kind}: {keyless}");
        let locked = store_with(directory, &keys, None)
            .identity(Some("one"), &Files::default())
            .unwrap_err();
        match kind {
            "PKCS12" => assert!(matches!(locked, StoreError::PasswordMissing { .. }), "{locked}"),
            _ => assert!(
                matches!(locked, StoreError::Key { what: KeyError::PasswordMissing, .. }),
                "{locked}"
            ),
        }
    }
}

#[test]
fn key_may_have_its_own_password() {
    if !require(&["keytool", "openssl"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    prepare(directory);
    for kind in ["JKS", "JCEKS"] {
        import_keys(directory, kind, kind);
        let fixed = ["-keypasswd", "-alias", "one", "-keypass", PASSWORD, "-new", "another-one"];
        let given = ["-storepass", PASSWORD, "-keystore", kind, "-storetype", kind];
        keytool(directory, &[&fixed[..], &given[..]].concat());
        let error = store(directory, kind).identity(Some("one"), &Files::default()).unwrap_err();
        assert!(
            matches!(error, StoreError::Key { what: KeyError::Password, .. }),
            "{kind}: {error}"
        );
        assert!(store(directory, kind).identity(Some("two"), &Files::default()).is_ok());
    }
}

#[test]
fn pem_and_openssl_stores_identify() {
    if !require(&["openssl"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let port = prepare(directory);
    let pass = format!("pass:{PASSWORD}");
    let legacy =
        ["-legacy", "-certpbe", "PBE-SHA1-RC2-40", "-keypbe", "PBE-SHA1-3DES", "-macalg", "sha1"];
    let export = ["pkcs12", "-export", "-in", "one.pem", "-out", "old.p12", "-passout", &pass];
    run(directory, "openssl", &[&export[..], &legacy[..]].concat());
    run(
        directory,
        "openssl",
        &["pkcs8", "-topk8", "-in", "two.pem", "-out", "two.key", "-passout", &pass],
    );
    certificate_of(directory, "two");
    let text = |name: &str| std::fs::read_to_string(directory.join(name)).unwrap();
    write(directory, "locked.pem", &(text("two.crt") + &text("two.key")));
    for (name, greeting) in [
        ("one.pem", "Client one."),
        ("two.p12", "Client two."),
        ("old.p12", "Client one."),
        ("locked.pem", "Client two."),
    ] {
        let options = showing(store(directory, "ca.pem"), store(directory, name), None);
        let (heard, _) =
            greeted(&Client::new(&options, &Files::default()).unwrap(), "localhost", port).unwrap();
        assert_eq!(heard, greeting, "{name}");
    }
    let error = store_with(directory, "locked.pem", Some("wrong"))
        .identity(None, &Files::default())
        .unwrap_err();
    assert!(matches!(error, StoreError::Key { what: KeyError::Password, .. }), "{error}");
    // The key of one and the certificate of the other.
    write(
        directory,
        "mixed.pem",
        &(text("two.crt") + &text("one.pem").replace("CERTIFICATE", "OTHER")),
    );
    let mixed = showing(store(directory, "ca.pem"), store(directory, "mixed.pem"), None);
    let error = Client::new(&mixed, &Files::default()).unwrap_err();
    assert!(matches!(error, TlsError::Identity { .. }), "{error}");
    // The server rejects a client without a certificate.
    let nobody = Options { identity: None, ..mixed };
    assert!(refusal(&nobody, "localhost", port).contains("CertificateRequired"));
}

/// Ways of OpenSSL to encrypt a key, older than its present one.
const OLDER: [(&str, &[&str]); 5] = [
    ("one", &["pkcs8", "-topk8", "-v1", "PBE-SHA1-3DES"]),
    ("two", &["pkcs8", "-topk8", "-v1", "PBE-SHA1-3DES"]),
    ("one", &["ec", "-aes256"]),
    ("two", &["rsa", "-traditional", "-aes128"]),
    ("two", &["rsa", "-traditional", "-des3"]),
];

#[test]
fn pem_keys_in_older_encryptions_are_unlocked() {
    if !require(&["openssl"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let port = prepare(directory);
    let pass = format!("pass:{PASSWORD}");
    for (name, way) in OLDER {
        let pem = format!("{name}.pem");
        let certificate = certificate_of(directory, name);
        let files = ["-in", &pem, "-out", "locked.key", "-passout", &pass];
        run(directory, "openssl", &[way, &files[..]].concat());
        let pair = |password| Identity::Pair {
            certificate: store_with(directory, &certificate, password),
            key: directory.join("locked.key"),
        };
        let options = |password| Options {
            trust: Trust::Stores(vec![store(directory, "ca.pem")]),
            identity: Some(pair(password)),
            ..Options::default()
        };
        let client = Client::new(&options(Some(PASSWORD)), &Files::default()).unwrap();
        let (heard, _) = greeted(&client, "localhost", port).unwrap();
        assert_eq!(heard, format!("Client {name}."), "{way:?}");
        for (password, why) in
            [(Some("wrong"), KeyError::Password), (None, KeyError::PasswordMissing)]
        {
            let shown = store_with(directory, &certificate, password);
            let error = shown
                .identity_with_key(&directory.join("locked.key"), &Files::default())
                .unwrap_err();
            let StoreError::Key { path, what, .. } = error else { panic!("{way:?}: {error}") };
            assert_eq!((path, what), (directory.join("locked.key"), why), "{way:?}");
        }
    }
}

#[test]
fn key_pair_error_names_the_file() {
    if !require(&["openssl"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    prepare(directory);
    certificate_of(directory, "two");
    write(directory, "cut.key", "-----BEGIN PRIVATE KEY-----\nAAAA");
    let error = |certificate, key| {
        let pair = store_with(directory, certificate, None);
        pair.identity_with_key(&directory.join(key), &Files::default()).unwrap_err().to_string()
    };
    assert!(error("two.crt", "cut.key").contains("cut.key: the section"));
    assert!(error("two.crt", "ca.pem").contains("ca.pem: it holds 1 certificate(s) and no key"));
    assert!(error("two.pem", "two.pem").contains("two.pem: it holds a private key, and another"));
}

#[test]
fn store_damaged_anywhere_is_refused_without_a_panic() {
    if !require(&["keytool", "openssl"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    prepare(directory);
    for kind in ["JKS", "JCEKS"] {
        import_keys(directory, kind, kind);
    }
    for name in ["JKS", "JCEKS", "one.p12", "one.pem"] {
        let whole = std::fs::read(directory.join(name)).unwrap();
        // Altering only some bytes, at a step without a common divisor with the structure, limits
        // the cost of the PKCS#12 work factor.
        for place in (0..whole.len()).step_by(if name == "one.p12" { 97 } else { 31 }) {
            let mut altered = whole.clone();
            altered[place] ^= 0x55;
            std::fs::write(directory.join("altered"), &altered).unwrap();
            let altered = store(directory, "altered").open(&Files::default());
            assert!(altered.is_err() || name == "one.pem", "{name} altered at {place}");
            std::fs::write(directory.join("cut"), &whole[..place]).unwrap();
            assert!(
                store(directory, "cut").open(&Files::default()).is_err() || name == "one.pem",
                "{name} cut at {place}"
            );
        }
    }
}

#[test]
fn directory_store_is_the_sum_of_its_certificates() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for name in ["a.pem", "b.crt", "notes.txt"] {
        write(directory, name, &Authority::new(name).pem());
    }
    std::fs::write(directory.join("c.der"), Authority::new("c").der()).unwrap();
    assert_eq!(store(directory, ".").certificates(&Files::default()).unwrap().len(), 3);
    let missing = store(directory, "nowhere").open(&Files::default()).unwrap_err();
    assert!(matches!(missing, StoreError::Read { .. }), "{missing}");
    write(directory, "d.pem", "nothing of the kind");
    let error = store(directory, "d.pem").open(&Files::default()).unwrap_err().to_string();
    assert!(error.contains("d.pem") && error.contains("6e 6f 74 68"), "{error}");
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(
        store(empty.path(), "").certificates(&Files::default()),
        Err(StoreError::NoCertificate { .. })
    ));
}
