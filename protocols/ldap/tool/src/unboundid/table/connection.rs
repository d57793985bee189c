//! The options of all of UnboundID's tools about servers, TLS and the identity of connections.

use brunt_run::options::row::{Kind, Row};

use super::{row, switch};

/// The servers, and who the connections are.
pub(super) const ROWS: &[Row] = &[
    row(
        "hostname",
        "host",
        Kind::Text,
        "Server. May be repeated together with --port: connections use the servers in turn.",
    )
    .short('h')
    .also(&["host", "address"])
    .default("localhost")
    .many(),
    row("port", "port", Kind::Integer(1, 65_535), "Port, for each --hostname.").short('p').default("389").many(),
    row("bindDN", "dn", Kind::Text, "DN to bind the connections as.").short('D').to("bindDn"),
    row("bindPassword", "password", Kind::Secret, "Password for --bindDN or --saslOption.")
        .short('w')
        .to("bindPassword"),
    row("bindPasswordFile", "path", Kind::Path, "File with that password.").short('j').to("bindPasswordFile"),
    switch("promptForBindPassword", "Ask for that password."),
    switch("useSSL", "Use TLS from the first byte (LDAPS).").short('Z').to("useSsl"),
    switch("useStartTLS", "Use StartTLS.").short('q').to("useStartTls"),
    switch("defaultTrust", "Trust the root certificates of the operating system, which is the default.")
        .also(&["useDefaultTrust"])
        .to("useJvmTrustStore"),
    switch("trustAll", "Trust all server certificates: for test servers only.")
        .short('X')
        .also(&["trustAllCertificates"])
        .to("trustAll"),
    row("keyStorePath", "path", Kind::Path, "Store of the client certificate.").short('K').to("keyStorePath"),
    row("keyStorePassword", "password", Kind::Secret, "Its password.")
        .short('W')
        .also(&["keyStorePIN"])
        .to("keyStorePassword"),
    row("keyStorePasswordFile", "path", Kind::Path, "File that holds its password.")
        .short('u')
        .also(&["keyStorePINFile"])
        .to("keyStorePasswordFile"),
    switch("promptForKeyStorePassword", "Ask for its password."),
    row("keyStoreFormat", "format", Kind::Choice(STORES), "Its format: JKS, PKCS12 or PEM. Default: detected.")
        .also(&["keyStoreType"])
        .to("keyStoreType"),
    row("trustStorePath", "path", Kind::Path, "Trust store for validating the server certificate.")
        .short('P')
        .to("trustStorePath"),
    row("trustStorePassword", "password", Kind::Secret, "Its password.")
        .short('T')
        .also(&["trustStorePIN"])
        .to("trustStorePassword"),
    row("trustStorePasswordFile", "path", Kind::Path, "File that holds its password.")
        .short('U')
        .also(&["trustStorePINFile"])
        .to("trustStorePasswordFile"),
    switch("promptForTrustStorePassword", "Ask for its password."),
    row("trustStoreFormat", "format", Kind::Choice(STORES), "Its format: JKS, PKCS12 or PEM. Default: detected.")
        .also(&["trustStoreType"])
        .to("trustStoreType"),
    switch(
        "verifyCertificateHostnames",
        "Verify the name in the server's certificate. brunt always does, unless --trustAll is given.",
    )
    .also(&["verifyCertificateHostname", "validateCertificateHostname", "validateCertificateHostnames"]),
    row("certNickname", "alias", Kind::Text, "Alias of the client certificate in the key store.")
        .short('N')
        .also(&["certificateNickname"])
        .to("certNickname"),
    row("saslOption", "name=value", Kind::Text, "SASL option, such as mech=PLAIN. May be repeated.")
        .short('o')
        .many(),
    switch("useSASLExternal", "Bind with EXTERNAL, as --saslOption mech=EXTERNAL."),
    switch("helpSASL", "Show the SASL mechanisms and their options and exit."),
];

const STORES: &[&str] = &["jks", "jceks", "pkcs12", "pem"];
