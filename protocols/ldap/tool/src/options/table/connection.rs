//! The options for the server to connect to, the security of the connection, and the identity.
//!
//! Three generations of spellings are accepted side by side: a store option per format, one `keyStorePath` with a type,
//! and password files beside the `:file` suffix. Conflicts between them are checked where they are read.

use super::command::LONGEST;
use super::{Kind, Row, Tool, group};

/// The formats that can be given for a key or trust store.
pub(super) const STORE_TYPES: &[&str] = &["jks", "jceks", "pkcs12", "pem", "pkcs11"];
/// Those of a trust store, which may also be that of the machine.
const TRUST_STORE_TYPES: &[&str] = &["jks", "jceks", "pkcs12", "pem", "pkcs11", "jvm"];

/// The rows of this file, which are the same for every tool.
pub(super) fn of(_: Tool) -> Vec<Row> {
    [SERVER, IDENTITY, TRUST, CLIENT].concat()
}

const fn row(long: &'static str, value: &'static str, kind: Kind, help: &'static str) -> Row {
    Row::new(group::CONNECTION, long, value, kind, help)
}

const fn switch(long: &'static str, help: &'static str) -> Row {
    Row::switch(group::CONNECTION, long, help)
}

const SERVER: &[Row] = &[
    row(
        "connectTimeout",
        "milliseconds",
        Kind::Integer(0, LONGEST),
        "Maximum time in milliseconds to establish a connection, including TLS. Use '0' for no timeout.",
    )
    .default("30000"),
    row(
        "hostname",
        "host",
        Kind::Text,
        "Server host name or IP address. May be repeated or hold a comma-separated list, each with an \
         optional port (ldap1:1389,[::1]:2389): connections use the servers in turn. A Unix socket of this machine is \
         ldapi://%2FPATH%2FTO%2FSOCKET or unix:/PATH/TO/SOCKET; there, --saslOption mech=EXTERNAL binds as the user \
         who runs the tool.",
    )
    .short('h')
    .default("localhost")
    .many(),
    row("port", "port", Kind::Integer(1, 65_535), "Port of every server that has no port of its own.")
        .short('p')
        .default("389, or 636 with --useSsl"),
    switch("useStartTls", "Use StartTLS to secure communication with the server. There is no fallback to clear text.")
        .short('q'),
    switch("useSsl", "Use TLS from the first byte (LDAPS).").short('Z'),
];

const IDENTITY: &[Row] = &[
    row(
        "bindDn",
        "bindDN",
        Kind::Text,
        "DN to use to bind to the server. For authrate it is a template string, because the bind is what is measured. \
         The other tools are anonymous without it and --saslOption.",
    )
    .short('D'),
    row(
        "bindPassword",
        "bindPassword",
        Kind::Secret,
        "Password to use to bind to the server. With :env the value is the name of an environment variable that holds \
         it, with :file the name of a file. Without the option, or with '-', the tool asks for it.",
    )
    .short('w'),
    row(
        "bindPasswordFile",
        "path",
        Kind::Path,
        "File that holds the bind password, as with --bindPassword:file.",
    )
    .short('j'),
    switch("reportAuthzId", "Use the authorization identity control (RFC 3829) on binds.")
        .short('E')
        .also(&["authorizationIdentityRequestControl"]),
    row(
        "saslOption",
        "name=value",
        Kind::Text,
        "SASL bind option, such as mech=PLAIN. May be repeated. The names are mech, authid, authzid, realm, kdc, \
         digest-uri and qop; mech is one of PLAIN, EXTERNAL, CRAM-MD5, DIGEST-MD5, SCRAM-SHA-1, SCRAM-SHA-256, \
         SCRAM-SHA-512, GSSAPI and OAUTHBEARER, whose access token is the password. For authrate, authid and authzid \
         are template strings.",
    )
    .short('o')
    .many(),
    switch("usePasswordPolicyControl", "Use the password policy request control on binds.")
        .also(&["passwordPolicyRequestControl"]),
];

const TRUST: &[Row] = &[
    row(
        "trustStorePassword",
        "trustStorePassword",
        Kind::Secret,
        "Password of the trust store, with :env and :file as for --bindPassword.",
    )
    .short('T'),
    row("trustStorePasswordFile", "path", Kind::Path, "File that holds the password of the trust store.").short('U'),
    row(
        "trustStorePath",
        "path",
        Kind::Path,
        "Trust store for validating the server certificate. --trustStoreType gives its format; without it the \
         format is detected.",
    )
    .short('P'),
    row(
        "trustStoreProviderArg",
        "argument",
        Kind::Text,
        "Argument of the Java provider of a trust store. Refused: brunt loads no provider, and those whose files it \
         reads take none.",
    ),
    row(
        "trustStoreProviderClass",
        "class",
        Kind::Text,
        "Class of the Java provider of a trust store, as in --trustStoreProviderName.",
    ),
    row(
        "trustStoreProviderName",
        "name",
        Kind::Text,
        "Name of the Java provider of a trust store: SUN, SunJSSE, SunJCE or BC, whose files brunt reads itself. \
         Others, such as tokens, are refused.",
    ),
    row(
        "trustStoreType",
        "type",
        Kind::Choice(TRUST_STORE_TYPES),
        "Format of --trustStorePath: jks, jceks, pkcs12 or pem; or jvm, which takes no path and means the roots of the \
         operating system, as --useJvmTrustStore does.",
    )
    .also(&["trustStoreFormat"]),
    row("useJavaTrustStore", "path", Kind::Path, "Use a JKS trust store for validating the server certificate."),
    row("useJceTrustStore", "path", Kind::Path, "Use a JCEKS trust store for validating the server certificate."),
    switch(
        "useJvmTrustStore",
        "Use the root certificates of the operating system for validating the server certificate (brunt has \
         no JVM). This is the default without any trust option.",
    )
    .also(&["defaultTrust"]),
    row("usePkcs12TrustStore", "path", Kind::Path, "Use a PKCS#12 trust store for validating the server certificate."),
    switch(
        "trustAll",
        "Trust all server certificates. Nothing is verified, and the record says so: for test servers only.",
    )
    .short('X'),
];

const CLIENT: &[Row] = &[
    row(
        "certNickname",
        "nickname",
        Kind::Text,
        "Alias of the client certificate in the key store. Needed if the store holds several.",
    )
    .short('N'),
    row(
        "keyStorePassword",
        "keyStorePassword",
        Kind::Secret,
        "Password of the key store or PIN of the PKCS#11 token, \
        with :env and :file as for --bindPassword.",
    )
    .short('W'),
    row(
        "keyStorePasswordFile",
        "path",
        Kind::Path,
        "File that holds the password of the key store.",
    )
    .short('u'),
    row(
        "keyStorePath",
        "path",
        Kind::Path,
        "Key store with the client certificate. --keyStoreType gives its format; without it the format is \
         detected.",
    )
    .short('K'),
    row(
        "keyStoreType",
        "type",
        Kind::Choice(STORE_TYPES),
        "Format of --keyStorePath: jks, jceks, pkcs12, pem, or \
        pkcs11, which takes no path.",
    )
    .also(&["keyStoreFormat"]),
    row(
        "providerArg",
        "argument",
        Kind::Text,
        "PKCS#11 module: the path of its shared library, or of a SunPKCS11 \
        configuration file that names it.",
    )
    .also(&["keyStoreProviderArg"]),
    row(
        "providerClass",
        "class",
        Kind::Text,
        "Class name of the Java PKCS#11 provider. Only the SunPKCS11 provider is supported; it is the \
         default.",
    )
    .also(&["keyStoreProviderClass"]),
    row(
        "providerName",
        "name",
        Kind::Text,
        "Name of the PKCS#11 provider. For SunPKCS11-NAME the configuration is the --providerArg file whose \
         'name' is NAME.",
    )
    .also(&["keyStoreProviderName"]),
    row(
        "useJavaKeyStore",
        "path",
        Kind::Path,
        "JKS key store with the client certificate.",
    ),
    row(
        "useJceKeyStore",
        "path",
        Kind::Path,
        "JCEKS key store with the client certificate.",
    ),
    switch(
        "usePkcs11KeyStore",
        "Take the client certificate from a PKCS#11 token. Needs --providerArg.",
    ),
    row(
        "usePkcs12KeyStore",
        "path",
        Kind::Path,
        "PKCS#12 key store with the client certificate.",
    ),
];
