//! The settings of all HTTP requests: the table `[http]`; and TLS and resending, which LDAP has as well.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use brunt_run::options::resend::Resending;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::ser::{SerializeMap as _, Serializer};
use serde::{Deserialize, Serialize};

use crate::values::{Pairs, Several, Size, Time};

/// Settings for all HTTP requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Http {
    /// Base URL that the paths of steps are added to, such as `https://id.example.com:8443/auth`.
    pub base: Option<String>,
    /// HTTP version.
    pub version: Option<HttpVersion>,
    /// Requests after which a connection is closed; by default it stays open as long as the server allows.
    /// Connecting again, with the TLS handshake, is part of the response and service time of the next request.
    pub requests_per_connection: Option<u64>,
    /// Which requests are sent again if a reused connection closes before any answer arrives.
    pub resend: Option<Resending>,
    /// Number of users that share an HTTP/2 connection.
    pub streams: Option<u32>,
    /// Maximum number of redirects to follow per request. With 0, the redirect itself is the answer.
    pub redirects: Option<u8>,
    /// Headers that may follow a redirect to another origin. By default only Accept, Accept-Encoding, Accept-Language
    /// and User-Agent are sent there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redirect_headers: Vec<String>,
    /// Whether a body may follow a redirect to another origin; if not, a request with a body fails there.
    pub redirect_body: Option<bool>,
    /// Origins that `submit` and `follow` may go to, beside those of `base` and of the plan's URLs, such as
    /// `https://id.example.com`. If it is given, redirects and URLs in variables may go to these origins only, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<String>,
    /// Whether each user keeps the cookies it receives. A Secure one is kept and sent over https, and over http to
    /// localhost and loopback addresses.
    pub cookies: Option<bool>,
    /// Whether to request compressed responses, and decompress them.
    pub compression: Option<bool>,
    /// Maximum time for connecting and for the TLS handshake.
    pub connect_timeout: Option<Time>,
    /// How connections are closed.
    pub close: Option<Close>,
    /// Local addresses to connect from, in turn: a list, a range or a network, such as `10.0.0.1-10.0.0.9`.
    pub source_ips: Option<String>,
    /// Proxy, such as `http://proxy.example.com:3128`.
    pub proxy: Option<String>,
    /// Comma-separated hosts and networks to connect to without the proxy.
    pub no_proxy: Option<String>,
    /// Path of a Unix socket to connect to, in place of the host.
    pub unix: Option<PathBuf>,
    /// Addresses to use without a resolver: "host:port" = "address:port".
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub resolve: Pairs<String>,
    /// Headers of every request, unless its step sets them.
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub headers: Pairs<Several>,
    /// User and password for the proxy.
    pub proxy_login: Option<Basic>,
    /// TLS settings for `https`.
    pub tls: Option<Box<Tls>>,
    /// Maximum sizes of answers, and of files to send.
    pub limits: Option<HttpLimits>,
}

impl Http {
    /// Whether every request is sent over HTTP/1.1.
    pub fn is_http1(&self) -> bool {
        matches!(self.version, None | Some(HttpVersion::Http1))
    }
}

/// HTTP version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum HttpVersion {
    /// HTTP/1.1.
    #[default]
    #[serde(rename = "1.1")]
    Http1,
    /// HTTP/2: over https by ALPN, over http with prior knowledge.
    #[serde(rename = "2")]
    Http2,
    /// HTTP/2 over https if the server agrees, else HTTP/1.1.
    #[serde(rename = "auto")]
    Auto,
}

/// How connections are closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Close {
    /// With FIN.
    #[default]
    Fin,
    /// With RST, which leaves no port in `TIME_WAIT`.
    Reset,
}

/// Maximum sizes of answers, and of files to send.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HttpLimits {
    /// Bytes of the head.
    pub head: Option<Size>,
    /// Number of headers.
    pub fields: Option<u32>,
    /// Bytes of the body to keep if a check or an extraction needs it.
    pub body_kept: Option<Size>,
    /// Bytes of the body; a longer one is an error.
    pub body: Option<Size>,
    /// Bytes of all files together that steps send, in `body-file` and `multipart`; 256MiB by default.
    pub uploads: Option<Size>,
}

/// TLS settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tls {
    /// File of CA certificates to trust (PEM, PKCS#12 or JKS), in place of the system's.
    pub ca: Option<PathBuf>,
    /// Password of that file.
    pub ca_password: Option<Hidden>,
    /// Client certificate with its chain: PEM, PKCS#12 or JKS.
    pub cert: Option<PathBuf>,
    /// Private key of the certificate, if it is in another file.
    pub key: Option<PathBuf>,
    /// Password of the key or of the file that contains it.
    pub password: Option<Hidden>,
    /// Alias of the entry, if the file has several.
    pub alias: Option<String>,
    /// Whether to skip the verification of the server's certificate.
    pub insecure: Option<bool>,
    /// Name to send and to verify, in place of the host that was connected to.
    pub server_name: Option<String>,
    /// Lowest TLS version to accept.
    pub lowest: Option<TlsVersion>,
    /// Highest TLS version to offer.
    pub highest: Option<TlsVersion>,
    /// IANA names of the cipher suites, in order of preference.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ciphers: Vec<String>,
    /// Whether TLS sessions may be resumed.
    pub resume: Option<bool>,
}

/// TLS version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TlsVersion {
    /// TLS 1.2.
    #[serde(rename = "1.2")]
    Tls12,
    /// TLS 1.3.
    #[serde(rename = "1.3")]
    Tls13,
}

/// User and password of HTTP basic authentication.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Basic {
    /// The user.
    pub user: String,
    /// The password.
    pub password: Hidden,
}

/// A secret: text, which may contain `${name}`, or where to find it. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub enum Hidden {
    /// The text itself.
    Text(String),
    /// Environment variable.
    Env(String),
    /// File, without its final line break.
    File(PathBuf),
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => f.write_str("Text(..)"),
            Self::Env(name) => f.debug_tuple("Env").field(name).finish(),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
        }
    }
}

struct HiddenVisitor;

/// The long form.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Found {
    Env(String),
    File(PathBuf),
}

impl<'de> Visitor<'de> for HiddenVisitor {
    type Value = Hidden;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text, { env = \"NAME\" } or { file = \"PATH\" }")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Hidden, E> {
        Ok(Hidden::Text(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Hidden, A::Error> {
        Ok(match Found::deserialize(MapAccessDeserializer::new(map))? {
            Found::Env(name) => Hidden::Env(name),
            Found::File(path) => Hidden::File(path),
        })
    }
}

impl<'de> Deserialize<'de> for Hidden {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(HiddenVisitor)
    }
}

impl Serialize for Hidden {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let found = |serializer: S, key, value: &str| {
            let mut map = serializer.serialize_map(Some(1))?;
            map.serialize_entry(key, value)?;
            map.end()
        };
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Env(name) => found(serializer, "env", name),
            Self::File(path) => found(serializer, "file", &path.to_string_lossy()),
        }
    }
}

impl JsonSchema for Hidden {
    fn schema_name() -> Cow<'static, str> {
        "Secret".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let found = |key: &str| {
            serde_json::json!({
                "type": "object",
                "properties": { key: { "type": "string" } },
                "required": [key],
                "additionalProperties": false,
            })
        };
        json_schema!({
            "description": "A secret: as text, or in an environment variable or a file. It is shown nowhere.",
            "anyOf": [{ "type": "string" }, found("env"), found("file")],
        })
    }
}
