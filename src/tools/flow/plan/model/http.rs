//! What holds for all requests over HTTP: the table `[http]`; and TLS and resending, which LDAP has as well.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::ser::{SerializeMap as _, Serializer};
use serde::{Deserialize, Serialize};

use crate::cli::resend::Resending;
use crate::tools::flow::plan::values::{Pairs, Several, Size, Time};

/// What holds for all requests over HTTP.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Http {
    /// What the paths of steps are added to, such as `https://id.example.com:8443/auth`.
    pub(crate) base: Option<String>,
    /// The version of HTTP.
    pub(crate) version: Option<HttpVersion>,
    /// A connection is closed after so many requests; without it, it is kept as long as the server keeps it.
    pub(crate) requests_per_connection: Option<u64>,
    /// Which requests are sent again whose connection was closed before any answer came.
    pub(crate) resend: Option<Resending>,
    /// How many users share a connection over HTTP/2.
    pub(crate) streams: Option<u32>,
    /// How many redirects of one request are followed; 0 follows none, and the redirect is the answer.
    pub(crate) redirects: Option<u8>,
    /// Whether each user keeps the cookies it is given.
    pub(crate) cookies: Option<bool>,
    /// Whether answers are asked for compressed, and unpacked.
    pub(crate) compression: Option<bool>,
    /// How long connecting, and shaking hands for TLS, may take.
    pub(crate) connect_timeout: Option<Time>,
    /// How connections are closed.
    pub(crate) close: Option<Close>,
    /// Addresses to send from, in turn: a list, a range or a network, such as `10.0.0.1-10.0.0.9`.
    pub(crate) source_ips: Option<String>,
    /// A proxy, such as `http://proxy.example.com:3128`.
    pub(crate) proxy: Option<String>,
    /// Hosts and networks that are gone to without the proxy, with commas between them.
    pub(crate) no_proxy: Option<String>,
    /// The path of a Unix socket to connect to, in place of the host.
    pub(crate) unix: Option<PathBuf>,
    /// Addresses that are not asked of a resolver: "host:port" = "address:port".
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub(crate) resolve: Pairs<String>,
    /// Fields that every request carries, unless its step says otherwise.
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub(crate) headers: Pairs<Several>,
    /// Who asks the proxy.
    pub(crate) proxy_login: Option<Basic>,
    /// How `https` is secured.
    pub(crate) tls: Option<Box<Tls>>,
    /// What no answer may exceed.
    pub(crate) limits: Option<HttpLimits>,
}

/// A version of HTTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) enum HttpVersion {
    /// HTTP/1.1.
    #[default]
    #[serde(rename = "1.1")]
    Http1,
    /// HTTP/2, over https by ALPN and over http from the first byte.
    #[serde(rename = "2")]
    Http2,
    /// Over https HTTP/2 where the server agrees, else HTTP/1.1.
    #[serde(rename = "auto")]
    Auto,
}

/// How connections are closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Close {
    /// With FIN.
    #[default]
    Fin,
    /// With RST, which keeps no port in `TIME_WAIT`.
    Reset,
}

/// What no answer may exceed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct HttpLimits {
    /// Bytes of a head.
    pub(crate) head: Option<Size>,
    /// Fields of a head.
    pub(crate) fields: Option<u32>,
    /// Bytes of a body that are looked at where a check or an extraction needs the body.
    pub(crate) body_kept: Option<Size>,
    /// Bytes of a body; one that is longer is an error.
    pub(crate) body: Option<Size>,
}

/// How a connection is secured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Tls {
    /// A file of certificates to trust (PEM, PKCS#12 or JKS), in place of those this machine trusts.
    pub(crate) ca: Option<PathBuf>,
    /// The password of that file.
    pub(crate) ca_password: Option<Hidden>,
    /// The certificate to show, with its chain: PEM, PKCS#12 or JKS.
    pub(crate) cert: Option<PathBuf>,
    /// Its key, where it is in a file of its own.
    pub(crate) key: Option<PathBuf>,
    /// The password of the key or the file it is in.
    pub(crate) password: Option<Hidden>,
    /// The entry of the file, where there are several.
    pub(crate) alias: Option<String>,
    /// Trusts any certificate.
    pub(crate) insecure: Option<bool>,
    /// The name to send and to check, in place of the one that was connected to.
    pub(crate) server_name: Option<String>,
    /// The lowest version that is accepted.
    pub(crate) lowest: Option<TlsVersion>,
    /// The highest version that is offered.
    pub(crate) highest: Option<TlsVersion>,
    /// Cipher suites in order of preference, by their IANA names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ciphers: Vec<String>,
    /// Whether handshakes may be resumed.
    pub(crate) resume: Option<bool>,
}

/// A version of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) enum TlsVersion {
    /// TLS 1.2.
    #[serde(rename = "1.2")]
    Tls12,
    /// TLS 1.3.
    #[serde(rename = "1.3")]
    Tls13,
}

/// A user and a password, as HTTP's basic authentication sends them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Basic {
    /// The user.
    pub(crate) user: String,
    /// The password.
    pub(crate) password: Hidden,
}

/// A secret: as text, of which `${name}` may be a part, or where to find it. It is shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Hidden {
    /// As it stands here.
    Text(String),
    /// In an environment variable.
    Env(String),
    /// In a file, without the line's end.
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
