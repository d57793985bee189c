//! How connections are secured, which certificates are trusted, and which one is presented.
//!
//! Stores stay paths here: the code that opens them reports what is wrong with them. Without any trust option the roots
//! of the operating system are used; no certificate is ever trusted because a question was not answered.

use std::path::PathBuf;

use brunt_net::secret::Secret;
use brunt_run::options::surroundings::Surroundings;

use super::{UsageError, Values, listed, trust_provider};
use crate::options::opendj::exclusive;
use crate::options::secrets::secret;

/// How connections are secured.
#[derive(Debug)]
pub struct Security {
    /// When TLS starts.
    pub transport: Transport,
    /// Which certificates are trusted.
    pub trust: Trust,
    /// The certificate to present, if any.
    pub client: Option<ClientCertificate>,
    /// The alias of that certificate in its store.
    pub nickname: Option<String>,
    /// Whether TLS 1.2 may be used, and TLS 1.3.
    pub versions: (bool, bool),
    /// Whether sessions are resumed.
    pub resume: bool,
    /// Cipher suites to offer, or none for all.
    pub ciphers: Vec<String>,
    /// The name to check the server's certificate for, if not the one used to connect.
    pub name: Option<String>,
}

/// When TLS starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Never.
    Plain,
    /// With the first byte.
    Ldaps,
    /// After a StartTLS request.
    StartTls,
}

/// Which certificates are trusted.
#[derive(Debug, PartialEq, Eq)]
pub enum Trust {
    /// All certificates.
    All,
    /// Those under the roots of the operating system.
    System,
    /// Those under the roots in a PEM file or directory.
    Pem(PathBuf),
    /// Those in or under a store.
    Store {
        /// Its format.
        kind: StoreKind,
        /// Its path.
        path: PathBuf,
        /// Its password.
        password: Option<Secret>,
    },
}

/// The certificate to present to the server.
#[derive(Debug, PartialEq, Eq)]
pub enum ClientCertificate {
    /// In a store.
    Store {
        /// Its format.
        kind: StoreKind,
        /// Its path.
        path: PathBuf,
        /// Its password.
        password: Option<Secret>,
    },
    /// In PEM files.
    Pem {
        /// The certificate and its chain.
        certificate: PathBuf,
        /// The key, if it is in a separate file.
        key: Option<PathBuf>,
        /// The password of the key.
        password: Option<Secret>,
    },
    /// On a PKCS#11 token.
    Pkcs11 {
        /// The module, or a file that names it.
        provider: String,
        /// The configuration in that file.
        name: Option<String>,
        /// The PIN of the token.
        pin: Option<Secret>,
    },
}

/// The format of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// Java's original one.
    Jks,
    /// Java's other original one.
    Jceks,
    /// RFC 7292.
    Pkcs12,
    /// Detected from the content.
    Unknown,
}

/// Reads how connections are secured.
pub fn read(
    values: &Values,
    surroundings: &dyn Surroundings,
    notes: &mut Vec<String>,
) -> Result<Security, UsageError> {
    exclusive(values, &["useStartTls", "useSsl"])?;
    let transport = match (values.has("useSsl"), values.has("useStartTls")) {
        (true, _) => Transport::Ldaps,
        (_, true) => Transport::StartTls,
        _ => Transport::Plain,
    };
    if transport == Transport::Plain {
        let idle: Vec<&str> = TLS_ONLY.iter().copied().filter(|long| values.has(long)).collect();
        if let [first, ..] = idle[..] {
            notes.push(format!("--{first} has no effect on connections in clear text: use --useSsl or --useStartTls"));
        }
    }
    let trust = trust(values, surroundings)?;
    if trust == Trust::All && transport != Transport::Plain {
        notes.push("The server's certificate is not verified because of --trustAll".to_owned());
    }
    let client = client(values, surroundings)?;
    if client.is_none() && values.has("certNickname") {
        return Err(UsageError::new(
            "--certNickname needs a key store: add --keyStorePath or one of the --use...KeyStore options",
        ));
    }
    let (min, max) = (values.choice("tls-min"), values.choice("tls-max"));
    if (min, max) == (Some("1.3"), Some("1.2")) {
        return Err(UsageError::new(
            "--tls-min 1.3 is above --tls-max 1.2: raise --tls-max or lower --tls-min",
        ));
    }
    Ok(Security {
        transport,
        trust,
        client,
        nickname: values.text("certNickname").map(str::to_owned),
        versions: (min != Some("1.3"), max != Some("1.2")),
        resume: values.choice("tls-resume") != Some("never"),
        ciphers: listed(&values.texts("tls-ciphers")),
        name: values.text("tls-name").map(str::to_owned),
    })
}

const TRUST_STORES: &[&str] = &[
    "trustStorePath",
    "useJavaTrustStore",
    "useJceTrustStore",
    "usePkcs12TrustStore",
    "useJvmTrustStore",
    "ca",
];
const KEY_STORES: &[&str] = &[
    "keyStorePath",
    "useJavaKeyStore",
    "useJceKeyStore",
    "usePkcs12KeyStore",
    "usePkcs11KeyStore",
    "cert-pem",
];
const TLS_ONLY: &[&str] = &[
    "trustAll",
    "trustStorePath",
    "useJavaTrustStore",
    "useJceTrustStore",
    "usePkcs12TrustStore",
    "useJvmTrustStore",
    "ca",
    "keyStorePath",
    "useJavaKeyStore",
    "useJceKeyStore",
    "usePkcs12KeyStore",
    "usePkcs11KeyStore",
    "cert-pem",
    "tls-min",
    "tls-max",
    "tls-resume",
    "tls-ciphers",
    "tls-name",
];

fn trust(values: &Values, surroundings: &dyn Surroundings) -> Result<Trust, UsageError> {
    for store in TRUST_STORES {
        exclusive(values, &["trustAll", store])?;
    }
    exclusive(values, TRUST_STORES)?;
    let password = secret(
        values,
        "trustStorePassword",
        "trustStorePasswordFile",
        "Password of the trust store: ",
        surroundings,
    )?;
    if values.choice("trustStoreType") == Some("jvm") {
        let others = [
            "trustAll",
            "trustStoreProviderArg",
            "trustStoreProviderClass",
            "trustStoreProviderName",
        ];
        return match TRUST_STORES.iter().chain(&others).find(|store| values.has(store)) {
            Some(store) => Err(UsageError::new(format!(
                "--trustStoreType jvm, which means the roots of the operating system, and --{store} cannot be used \
                 together: leave one of them out"
            ))),
            None => Ok(Trust::System),
        };
    }
    let declared = declared(values, "trustStoreType", "trustStorePath")?;
    let declared = trust_provider::format(values, declared)?;
    if values.has("trustAll") {
        return Ok(Trust::All);
    }
    for (long, kind) in [
        ("useJavaTrustStore", StoreKind::Jks),
        ("useJceTrustStore", StoreKind::Jceks),
        ("usePkcs12TrustStore", StoreKind::Pkcs12),
    ] {
        if let Some(path) = values.path(long) {
            return Ok(Trust::Store { kind, path, password });
        }
    }
    if let Some(path) = values.path("ca") {
        return Ok(Trust::Pem(path));
    }
    match (values.path("trustStorePath"), declared) {
        (None, _) => Ok(Trust::System),
        (Some(path), Some("pem")) => Ok(Trust::Pem(path)),
        (Some(_), Some("pkcs11")) => Err(UsageError::new(
            "--trustStoreType pkcs11 is not possible: use jks, jceks, pkcs12 or pem",
        )),
        (Some(path), kind) => Ok(Trust::Store { kind: store_kind(kind), path, password }),
    }
}

fn client(
    values: &Values,
    surroundings: &dyn Surroundings,
) -> Result<Option<ClientCertificate>, UsageError> {
    exclusive(values, KEY_STORES)?;
    let declared = declared(values, "keyStoreType", "keyStorePath")?;
    let on_token = values.has("usePkcs11KeyStore") || declared == Some("pkcs11");
    if on_token {
        exclusive(values, &["usePkcs11KeyStore", "keyStoreType"])?;
    }
    if values.has("key-pem") && !values.has("cert-pem") {
        return Err(UsageError::new("--key-pem needs --cert-pem: add the certificate of that key"));
    }
    for long in ["providerArg", "providerClass", "providerName"] {
        if values.has(long) && !on_token {
            return Err(UsageError::new(format!("--{long} needs --usePkcs11KeyStore")));
        }
    }
    let password = secret(
        values,
        "keyStorePassword",
        "keyStorePasswordFile",
        "Password of the key store: ",
        surroundings,
    )?;
    for (long, kind) in [
        ("useJavaKeyStore", StoreKind::Jks),
        ("useJceKeyStore", StoreKind::Jceks),
        ("usePkcs12KeyStore", StoreKind::Pkcs12),
    ] {
        if let Some(path) = values.path(long) {
            return Ok(Some(ClientCertificate::Store { kind, path, password }));
        }
    }
    if let Some(certificate) = values.path("cert-pem") {
        return Ok(Some(ClientCertificate::Pem {
            certificate,
            key: values.path("key-pem"),
            password,
        }));
    }
    if on_token {
        return token(values, password).map(Some);
    }
    Ok(match (values.path("keyStorePath"), declared) {
        (None, _) => None,
        (Some(certificate), Some("pem")) => {
            Some(ClientCertificate::Pem { certificate, key: None, password })
        }
        (Some(path), kind) => {
            Some(ClientCertificate::Store { kind: store_kind(kind), path, password })
        }
    })
}

fn token(values: &Values, pin: Option<Secret>) -> Result<ClientCertificate, UsageError> {
    if values.has("keyStorePath") {
        return Err(UsageError::new(
            "--keyStorePath has no effect on a PKCS#11 token: name the token's module with --providerArg",
        ));
    }
    let Some(provider) = values.text("providerArg") else {
        return Err(UsageError::new(
            "A PKCS#11 token needs --providerArg with the path of its module, such as \
             /usr/lib/softhsm/libsofthsm2.so, or of a SunPKCS11 configuration file",
        ));
    };
    match values.text("providerClass") {
        None | Some("sun.security.pkcs11.SunPKCS11") => {}
        Some(other) => {
            return Err(UsageError::new(format!(
                "--providerClass {other} is a Java class, which brunt cannot load: leave it out and name the PKCS#11 \
                 module with --providerArg"
            )));
        }
    }
    let name = values.text("providerName").map(str::to_owned);
    Ok(ClientCertificate::Pkcs11 { provider: provider.to_owned(), name, pin })
}

/// The declared format of a store; it requires that the store is given.
fn declared(values: &Values, kind: &str, path: &str) -> Result<Option<&'static str>, UsageError> {
    let declared = values.choice(kind);
    if declared.is_some_and(|kind| kind != "pkcs11") && !values.has(path) {
        return Err(UsageError::new(format!("--{kind} needs --{path}")));
    }
    Ok(declared)
}

fn store_kind(declared: Option<&str>) -> StoreKind {
    match declared {
        Some("jks") => StoreKind::Jks,
        Some("jceks") => StoreKind::Jceks,
        Some("pkcs12") => StoreKind::Pkcs12,
        _ => StoreKind::Unknown,
    }
}
