//! A client key in a `SoftHSM` token. The library reads the location of its tokens from the environment of the process,
//! so the actual test runs in a separate process.

use crate::authority::Authority;
use crate::server::{config, greeted, serve};
use crate::tools::{run, run_with, write};
use brunt_feed::Files;
use brunt_net::tls::{
    Client, Identity, Options, TlsError, Token, TokenError, TokenModule, Trust, Version,
};
use brunt_testbed::require;
use rcgen::KeyPair;
use std::path::Path;

const PIN: &str = "1234";

#[test]
fn token_keys_sign_without_leaving_the_token() {
    if !require(&["softhsm2-util", "pkcs11-tool", "openssl"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let tokens = directory.path().join("tokens");
    std::fs::create_dir(&tokens).unwrap();
    let configuration = write(
        directory.path(),
        "softhsm2.conf",
        &format!("directories.tokendir = {}\n", tokens.display()),
    );
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "token::with_the_token", "--nocapture"])
        .env("SOFTHSM2_CONF", &configuration)
        .current_dir(directory.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

fn library() -> String {
    [
        "/usr/lib/softhsm/libsofthsm2.so",
        "/usr/lib64/pkcs11/libsofthsm2.so",
        "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so",
    ]
    .into_iter()
    .find(|path| Path::new(path).exists())
    .expect("softhsm2-util is there, its library is not")
    .to_owned()
}

/// Puts a key and its certificate into the token.
fn import(directory: &Path, authority: &Authority, label: &str, id: &str, key: KeyPair) {
    let leaf = authority.issue_with(&format!("Token {label}"), &[], key, |_| {});
    write(directory, "key.pem", &leaf.key.serialize_pem());
    std::fs::write(directory.join("certificate.der"), leaf.certificate.der()).unwrap();
    let library = library();
    let import =
        ["--import", "key.pem", "--token", "brunt", "--label", label, "--id", id, "--pin", PIN];
    run(directory, "softhsm2-util", &import);
    let fixed =
        ["--module", &library, "--token-label", "brunt", "--login", "--pin", PIN, "--type", "cert"];
    let given = ["--write-object", "certificate.der", "--label", label, "--id", id];
    run_with(directory, "pkcs11-tool", &[&fixed[..], &given[..]].concat(), &[]);
}

fn options(token: Token) -> Options {
    Options { trust: Trust::Anything, identity: Some(Identity::Token(token)), ..Options::default() }
}

#[test]
#[ignore = "run by token_keys_sign_without_leaving_the_token, which sets the environment"]
fn with_the_token() {
    let directory = std::env::current_dir().unwrap();
    let init = ["--init-token", "--free", "--label", "brunt", "--so-pin", "4321", "--pin", PIN];
    run(&directory, "softhsm2-util", &init);
    run(
        &directory,
        "openssl",
        &["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", "rsa.pem"],
    );
    let rsa =
        KeyPair::from_pem(&std::fs::read_to_string(directory.join("rsa.pem")).unwrap()).unwrap();
    let authority = Authority::new("Test authority");
    import(&directory, &authority, "elliptic", "01", KeyPair::generate().unwrap());
    import(&directory, &authority, "rsa", "02", rsa);
    let port = serve(config(&authority.issue("server", &["localhost"]), Some(&authority)));

    let configuration =
        write(&directory, "java.cfg", &format!("name = Soft\nlibrary = {}\n", library()));
    let argument = Some(configuration.to_str().unwrap());
    let module = TokenModule::from_java(argument, None, Some("SunPKCS11-Soft")).unwrap();
    let token = |alias: Option<&str>, pin: Option<&str>| Token {
        module: module.clone(),
        pin: pin.map(Into::into),
        alias: alias.map(str::to_owned),
    };
    for alias in ["elliptic", "RSA"] {
        for version in [Version::Tls12, Version::Tls13] {
            let options = Options {
                lowest: version,
                highest: version,
                ..options(token(Some(alias), Some(PIN)))
            };
            let (greeting, _) =
                greeted(&Client::new(&options, &Files::default()).unwrap(), "localhost", port)
                    .unwrap();
            assert_eq!(greeting, format!("Token {}.", alias.to_lowercase()), "{version:?}");
        }
    }
    let failed = |token| match Client::new(&options(token), &Files::default()).unwrap_err() {
        TlsError::Token(error) => error,
        other => panic!("{other}"),
    };
    let TokenError::NoSuchAlias { mut known, .. } = failed(token(Some("third"), Some(PIN))) else {
        panic!()
    };
    known.sort();
    assert_eq!(known, ["elliptic", "rsa"]);
    let error = failed(token(None, Some("9999")));
    assert!(matches!(error, TokenError::Pin { .. }), "{error}");
    let error = failed(token(None, None));
    assert!(error.to_string().contains("no PIN is given"), "{error}");
    let elsewhere =
        TokenModule::from_java(Some("--library=/nowhere/token.so"), None, None).unwrap();
    let error = failed(Token { module: elsewhere, pin: None, alias: None });
    assert!(matches!(error, TokenError::Load { .. }), "{error}");
    let text = format!("--library={}\\nslotListIndex=99", library());
    let far = TokenModule::from_java(Some(&text), None, None).unwrap();
    let error = failed(Token { module: far, pin: None, alias: None });
    assert!(matches!(error, TokenError::NoSlot { .. }), "{error}");
}
