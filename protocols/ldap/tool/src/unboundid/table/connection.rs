//! The options of all of UnboundID's tools about servers, TLS and the identity of connections.

use crate::options::table::Kind;
use crate::unboundid::row::Row;

/// The servers, and who the connections are.
pub(super) const ROWS: &[Row] = &[
    Row::new(
        "hostname",
        "host",
        Kind::Text,
        "Server. May be repeated together with --port: connections use the servers in turn.",
    )
    .short('h')
    .hidden(&["host", "address"])
    .default("localhost")
    .many(),
    Row::new("port", "port", Kind::Integer(1, 65_535), "Port, for each --hostname.").short('p').default("389").many(),
    Row::new("bindDN", "dn", Kind::Text, "DN to bind the connections as.").short('D').to("bindDn"),
    Row::new("bindPassword", "password", Kind::Secret, "Password for --bindDN or --saslOption.")
        .short('w')
        .to("bindPassword"),
    Row::new("bindPasswordFile", "path", Kind::Path, "File with that password.").short('j').to("bindPasswordFile"),
    Row::switch("promptForBindPassword", "Ask for that password."),
    Row::switch("useSSL", "Use TLS from the first byte (LDAPS).").short('Z').to("useSsl"),
    Row::switch("useStartTLS", "Use StartTLS.").short('q').to("useStartTls"),
    Row::switch("defaultTrust", "Trust the root certificates of the operating system, which is the default.")
        .hidden(&["useDefaultTrust"])
        .to("useJvmTrustStore"),
    Row::switch("trustAll", "Trust all server certificates: for test servers only.")
        .short('X')
        .hidden(&["trustAllCertificates"])
        .to("trustAll"),
    Row::new("keyStorePath", "path", Kind::Path, "Store of the client certificate.").short('K').to("keyStorePath"),
    Row::new("keyStorePassword", "password", Kind::Secret, "Its password.")
        .short('W')
        .hidden(&["keyStorePIN"])
        .to("keyStorePassword"),
    Row::new("keyStorePasswordFile", "path", Kind::Path, "File that holds its password.")
        .short('u')
        .hidden(&["keyStorePINFile"])
        .to("keyStorePasswordFile"),
    Row::switch("promptForKeyStorePassword", "Ask for its password."),
    Row::new("keyStoreFormat", "format", Kind::Choice(STORES), "Its format: JKS, PKCS12 or PEM. Default: detected.")
        .hidden(&["keyStoreType"])
        .to("keyStoreType"),
    Row::new("trustStorePath", "path", Kind::Path, "Trust store for validating the server certificate.")
        .short('P')
        .to("trustStorePath"),
    Row::new("trustStorePassword", "password", Kind::Secret, "Its password.")
        .short('T')
        .hidden(&["trustStorePIN"])
        .to("trustStorePassword"),
    Row::new("trustStorePasswordFile", "path", Kind::Path, "File that holds its password.")
        .short('U')
        .hidden(&["trustStorePINFile"])
        .to("trustStorePasswordFile"),
    Row::switch("promptForTrustStorePassword", "Ask for its password."),
    Row::new("trustStoreFormat", "format", Kind::Choice(STORES), "Its format: JKS, PKCS12 or PEM. Default: detected.")
        .hidden(&["trustStoreType"])
        .to("trustStoreType"),
    Row::switch(
        "verifyCertificateHostnames",
        "Verify the name in the server's certificate. brunt always does, unless --trustAll is given.",
    )
    .hidden(&["verifyCertificateHostname", "validateCertificateHostname", "validateCertificateHostnames"]),
    Row::new("certNickname", "alias", Kind::Text, "Alias of the client certificate in the key store.")
        .short('N')
        .hidden(&["certificateNickname"])
        .to("certNickname"),
    Row::new("saslOption", "name=value", Kind::Text, "SASL option, such as mech=PLAIN. May be repeated.")
        .short('o')
        .many(),
    Row::switch("useSASLExternal", "Bind with EXTERNAL, as --saslOption mech=EXTERNAL."),
    Row::switch("helpSASL", "Show the SASL mechanisms and their options and exit."),
];

const STORES: &[&str] = &["jks", "jceks", "pkcs12", "pem"];
