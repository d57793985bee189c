//! Keys in JSON (JWK, RFC 7517), and the thumbprint of one (RFC 7638).

use crate::algorithm::UnknownAlgorithm;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

type Bytes = Zeroizing<Vec<u8>>;

/// The private key of a JWK.
pub(crate) enum PrivateJwk {
    Ec {
        common: Common,
        curve: String,
        d: Bytes,
        x: Bytes,
        y: Bytes,
    },
    Okp {
        common: Common,
        curve: String,
        d: Bytes,
        x: Bytes,
    },
    Rsa {
        common: Common,
        n: Bytes,
        e: Bytes,
        d: Bytes,
        p: Bytes,
        q: Bytes,
        dp: Bytes,
        dq: Bytes,
        qi: Bytes,
    },
    Secret {
        common: Common,
        k: Bytes,
    },
}

/// Why a text is not a private key in JSON. It contains none of the key's values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JwkError {
    /// It is not JSON.
    #[error("it is not JSON from line {line}, column {column} on")]
    NotJson {
        /// The line of the first fault.
        line: usize,
        /// The column.
        column: usize,
    },
    /// It is other JSON.
    #[error("it is not an object")]
    NoObject,
    /// A set of keys.
    #[error("it is a set of keys ('keys'): give the file of one of them")]
    Set,
    /// A public key.
    #[error("it has no 'd': it is a public key")]
    Public,
    /// A member is missing.
    #[error("it has no '{0}'")]
    Missing(&'static str),
    /// A kind that is not supported.
    #[error("its 'kty' is '{0}', and must be EC, OKP, RSA or oct")]
    Type(String),
    /// Bytes that cannot be decoded.
    #[error("its '{0}' is not base64url")]
    NotBase64(&'static str),
    /// An algorithm that is not supported.
    #[error("its 'alg' cannot be used: failed to {0}")]
    Algorithm(#[from] UnknownAlgorithm),
}

/// What a JWK of any kind may have.
pub(crate) struct Common {
    id: Option<String>,
    algorithm: Option<String>,
}

impl PrivateJwk {
    /// Reads a JWK.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, JwkError> {
        let value: Value = serde_json::from_slice(text)
            .map_err(|error| JwkError::NotJson { line: error.line(), column: error.column() })?;
        let Value::Object(members) = value else { return Err(JwkError::NoObject) };
        let common = Common { id: text_of(&members, "kid"), algorithm: text_of(&members, "alg") };
        let curve = || text_of(&members, "crv").ok_or(JwkError::Missing("crv"));
        let bytes = |name| bytes_of(&members, name);
        match text_of(&members, "kty").as_deref() {
            Some("EC") => Ok(Self::Ec {
                common,
                curve: curve()?,
                d: bytes("d")?,
                x: bytes("x")?,
                y: bytes("y")?,
            }),
            Some("OKP") => {
                Ok(Self::Okp { common, curve: curve()?, d: bytes("d")?, x: bytes("x")? })
            }
            Some("RSA") => Ok(Self::Rsa {
                common,
                n: bytes("n")?,
                e: bytes("e")?,
                d: bytes("d")?,
                p: bytes("p")?,
                q: bytes("q")?,
                dp: bytes("dp")?,
                dq: bytes("dq")?,
                qi: bytes("qi")?,
            }),
            Some("oct") => Ok(Self::Secret { common, k: bytes("k")? }),
            Some(other) => Err(JwkError::Type(other.to_owned())),
            None if members.contains_key("keys") => Err(JwkError::Set),
            None => Err(JwkError::Missing("kty")),
        }
    }

    fn common(&self) -> &Common {
        match self {
            Self::Ec { common, .. }
            | Self::Okp { common, .. }
            | Self::Rsa { common, .. }
            | Self::Secret { common, .. } => common,
        }
    }

    /// Its identifier.
    pub(crate) fn id(&self) -> Option<&str> {
        self.common().id.as_deref()
    }

    /// The name of the algorithm it is for.
    pub(crate) fn algorithm(&self) -> Option<&str> {
        self.common().algorithm.as_deref()
    }
}

/// The public part of an EC key, by its uncompressed point.
pub(crate) fn ec(curve: &str, point: &[u8]) -> String {
    let (x, y) = point[1..].split_at((point.len() - 1) / 2);
    format!(r#"{{"crv":"{curve}","kty":"EC","x":"{}","y":"{}"}}"#, encoded(x), encoded(y))
}

/// The public part of an Ed25519 key (RFC 8037).
pub(crate) fn ed25519(x: &[u8]) -> String {
    format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, encoded(x))
}

/// The public part of an RSA key.
pub(crate) fn rsa(n: &[u8], e: &[u8]) -> String {
    format!(r#"{{"e":"{}","kty":"RSA","n":"{}"}}"#, encoded(e), encoded(n))
}

/// The thumbprint of a public key whose members are exactly those that RFC 7638 demands, in its order.
pub(crate) fn thumbprint(public: &str) -> String {
    encoded(digest(&SHA256, public.as_bytes()).as_ref())
}

/// A text in quotes, as JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn text_of(members: &Map<String, Value>, name: &str) -> Option<String> {
    members.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn bytes_of(members: &Map<String, Value>, name: &'static str) -> Result<Bytes, JwkError> {
    let missing = if name == "d" { JwkError::Public } else { JwkError::Missing(name) };
    let text = members.get(name).and_then(Value::as_str).ok_or(missing)?;
    let bytes = URL_SAFE_NO_PAD.decode(text.trim_end_matches('='));
    bytes.map(Zeroizing::new).map_err(|_| JwkError::NotBase64(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jwk_thumbprint_equals_rfc_7638() {
        // Section 3.1.
        let n = "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJE\
                 CPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2Q\
                 vzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6\
                 WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw";
        let public = rsa(&URL_SAFE_NO_PAD.decode(n).unwrap(), &[1, 0, 1]);
        assert_eq!(thumbprint(&public), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
    }

    #[test]
    fn jwk_errors_hide_the_values() {
        let refused = |text: &str| PrivateJwk::parse(text.as_bytes()).err().unwrap();
        for (text, words) in [
            ("{", "it is not JSON from line 1, column 1 on"),
            ("[]", "it is not an object"),
            ("{}", "it has no 'kty'"),
            (r#"{"keys":[]}"#, "it is a set of keys ('keys'): give the file of one of them"),
            (r#"{"kty":"XX"}"#, "its 'kty' is 'XX', and must be EC, OKP, RSA or oct"),
            (r#"{"kty":"EC"}"#, "it has no 'crv'"),
            (r#"{"kty":"EC","crv":"P-256","x":"AA"}"#, "it has no 'd': it is a public key"),
            (r#"{"kty":"oct","k":"s3cret!"}"#, "its 'k' is not base64url"),
        ] {
            assert_eq!(refused(text).to_string(), words, "{text}");
        }
    }
}
