//! Keys of clients as JWKs (RFC 7517), and signed objects (RFC 7515).

use base64::prelude::{BASE64_URL_SAFE_NO_PAD as BASE64, Engine as _};
use ring::digest::{SHA256, digest};
use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey};
use serde_json::{Value, json};

/// The most bytes of a signed object, and of a key's number.
const LONGEST: usize = 16 << 10;
const NUMBER_BYTES: usize = 1024;

/// A public key.
#[derive(Clone, Debug)]
pub(super) enum PublicKey {
    P256(Box<[u8]>),
    P384(Box<[u8]>),
    Ed25519(Box<[u8]>),
    Rsa { modulus: Box<[u8]>, exponent: Box<[u8]> },
}

/// The content of a signed object. Nothing is verified yet.
#[derive(Debug)]
pub(super) struct Signed<'a> {
    pub(super) header: Value,
    pub(super) claims: Value,
    message: &'a [u8],
    signature: Vec<u8>,
}

impl PublicKey {
    /// The key of a JWK.
    pub(super) fn from_jwk(jwk: &Value) -> Option<Self> {
        let number = |name: &str| {
            let text = jwk.get(name)?.as_str().filter(|text| text.len() <= 2 * NUMBER_BYTES)?;
            BASE64.decode(text).ok().filter(|bytes| bytes.len() <= NUMBER_BYTES)
        };
        let point = |length: usize| {
            let (x, y) = (number("x")?, number("y")?);
            let right = x.len() == length && y.len() == length;
            right.then(|| [&[4], &*x, &*y].concat().into_boxed_slice())
        };
        // A private key is no key to publish.
        if jwk.get("d").is_some() {
            return None;
        }
        match (jwk.get("kty")?.as_str()?, jwk.get("crv").and_then(Value::as_str)) {
            ("EC", Some("P-256")) => Some(Self::P256(point(32)?)),
            ("EC", Some("P-384")) => Some(Self::P384(point(48)?)),
            ("OKP", Some("Ed25519")) => {
                Some(Self::Ed25519(number("x").filter(|x| x.len() == 32)?.into()))
            }
            ("RSA", None) => {
                Some(Self::Rsa { modulus: number("n")?.into(), exponent: number("e")?.into() })
            }
            _ => None,
        }
    }

    /// Whether the signature of a message is of this key, by this algorithm.
    fn verifies(&self, algorithm: &str, message: &[u8], signature: &[u8]) -> bool {
        let plain = |how: &'static dyn signature::VerificationAlgorithm, key: &[u8]| {
            UnparsedPublicKey::new(how, key).verify(message, signature).is_ok()
        };
        match (self, algorithm) {
            (Self::P256(key), "ES256") => plain(&signature::ECDSA_P256_SHA256_FIXED, key),
            (Self::P384(key), "ES384") => plain(&signature::ECDSA_P384_SHA384_FIXED, key),
            (Self::Ed25519(key), "EdDSA" | "Ed25519") => plain(&signature::ED25519, key),
            (Self::Rsa { modulus, exponent }, _) => {
                let how = match algorithm {
                    "RS256" => &signature::RSA_PKCS1_2048_8192_SHA256,
                    "RS384" => &signature::RSA_PKCS1_2048_8192_SHA384,
                    "RS512" => &signature::RSA_PKCS1_2048_8192_SHA512,
                    "PS256" => &signature::RSA_PSS_2048_8192_SHA256,
                    "PS384" => &signature::RSA_PSS_2048_8192_SHA384,
                    "PS512" => &signature::RSA_PSS_2048_8192_SHA512,
                    _ => return false,
                };
                let key = RsaPublicKeyComponents { n: modulus, e: exponent };
                key.verify(how, message, signature).is_ok()
            }
            _ => false,
        }
    }

    /// The thumbprint (RFC 7638).
    pub(super) fn thumbprint(&self) -> String {
        let text = |bytes: &[u8]| BASE64.encode(bytes);
        let pair = |point: &[u8]| {
            let (x, y) = point[1..].split_at(point.len() / 2);
            (text(x), text(y))
        };
        let members = match self {
            Self::P256(point) => {
                let (x, y) = pair(point);
                format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#)
            }
            Self::P384(point) => {
                let (x, y) = pair(point);
                format!(r#"{{"crv":"P-384","kty":"EC","x":"{x}","y":"{y}"}}"#)
            }
            Self::Ed25519(x) => format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, text(x)),
            Self::Rsa { modulus, exponent } => {
                format!(r#"{{"e":"{}","kty":"RSA","n":"{}"}}"#, text(exponent), text(modulus))
            }
        };
        hash(members.as_bytes())
    }
}

impl<'a> Signed<'a> {
    /// Reads a signed object in the compact form.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let (message, signature) = text.rsplit_once('.')?;
        let (header, claims) = message.split_once('.')?;
        let object = |part: &str| {
            let value: Value = serde_json::from_slice(&BASE64.decode(part).ok()?).ok()?;
            value.is_object().then_some(value)
        };
        Some(Self {
            header: object(header)?,
            claims: object(claims)?,
            message: message.as_bytes(),
            signature: BASE64.decode(signature).ok()?,
        })
    }

    /// Whether it was signed with this key.
    pub(super) fn is_of(&self, key: &PublicKey) -> bool {
        key.verifies(self.head("alg"), self.message, &self.signature)
    }

    /// A member of the header, as text.
    pub(super) fn head(&self, name: &str) -> &str {
        self.header.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A claim, as text.
    pub(super) fn claim(&self, name: &str) -> &str {
        self.claims.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A claim that is a time, in seconds since 1970.
    pub(super) fn time(&self, name: &str) -> Option<u64> {
        let number = self.claims.get(name)?.as_f64().filter(|number| *number >= 0.0)?;
        Some(number as u64)
    }

    /// Whether it is meant for one of these.
    pub(super) fn is_for(&self, audiences: &[&str]) -> bool {
        let known = |value: &Value| value.as_str().is_some_and(|text| audiences.contains(&text));
        match self.claims.get("aud") {
            Some(Value::Array(several)) => several.iter().any(known),
            Some(one) => known(one),
            None => false,
        }
    }
}

/// The key of the provider.
pub(super) struct SigningKey {
    pair: signature::EcdsaKeyPair,
    random: ring::rand::SystemRandom,
    /// Its header, encoded.
    header: String,
    /// Its public part.
    pub(super) jwk: Value,
    public: PublicKey,
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SigningKey").field("jwk", &self.jwk).finish_non_exhaustive()
    }
}

impl SigningKey {
    /// A new key for ES256.
    pub(super) fn generate() -> Result<Self, ring::error::Unspecified> {
        let random = ring::rand::SystemRandom::new();
        let how = &signature::ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = signature::EcdsaKeyPair::generate_pkcs8(how, &random)?;
        let pair = signature::EcdsaKeyPair::from_pkcs8(how, document.as_ref(), &random)
            .map_err(|_| ring::error::Unspecified)?;
        let point = signature::KeyPair::public_key(&pair).as_ref();
        let public = PublicKey::P256(point.into());
        let kid = public.thumbprint();
        let header = json!({"alg": "ES256", "typ": "JWT", "kid": kid}).to_string();
        let (x, y) = (BASE64.encode(&point[1..33]), BASE64.encode(&point[33..]));
        let jwk = json!({"kty": "EC", "crv": "P-256", "x": x, "y": y, "use": "sig", "alg": "ES256", "kid": kid});
        Ok(Self { pair, random, header: BASE64.encode(header), jwk, public })
    }

    /// These claims, signed. `None` if the system has no random bytes.
    pub(super) fn sign(&self, claims: &Value) -> Option<String> {
        let mut text = format!("{}.{}", self.header, BASE64.encode(claims.to_string()));
        let signature = self.pair.sign(&self.random, text.as_bytes()).ok()?;
        text.push('.');
        BASE64.encode_string(signature, &mut text);
        Some(text)
    }

    /// What was signed with it.
    pub(super) fn verified<'a>(&self, text: &'a str) -> Option<Signed<'a>> {
        Signed::read(text).filter(|signed| signed.is_of(&self.public))
    }
}

/// The SHA-256 hash of something, in base64url.
pub(super) fn hash(bytes: &[u8]) -> String {
    BASE64.encode(digest(&SHA256, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thumbprint_equals_rfc_7638() {
        let modulus = concat!(
            "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc",
            "_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQ",
            "R0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bF",
            "TWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
        );
        let jwk = json!({"kty": "RSA", "n": modulus, "e": "AQAB", "alg": "RS256"});
        let key = PublicKey::from_jwk(&jwk).unwrap();
        assert_eq!(key.thumbprint(), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
    }

    #[test]
    fn signature_is_verified_like_rfc_8037() {
        let jwk = json!({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"});
        let key = PublicKey::from_jwk(&jwk).unwrap();
        assert_eq!(key.thumbprint(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        let signature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
        let text = format!("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.{signature}");
        // Its payload is no object, so it is verified alone.
        let (message, _) = text.rsplit_once('.').unwrap();
        let signature = BASE64.decode(signature).unwrap();
        assert!(key.verifies("EdDSA", message.as_bytes(), &signature));
        assert!(!key.verifies("EdDSA", b"other", &signature));
        assert!(!key.verifies("none", message.as_bytes(), b""));
        assert!(Signed::read(&text).is_none());
    }

    #[test]
    fn signed_token_verifies_unless_altered() {
        let key = SigningKey::generate().unwrap();
        let text = key.sign(&json!({"sub": "user.1", "aud": ["a", "b"], "exp": 9.5})).unwrap();
        let signed = key.verified(&text).unwrap();
        assert_eq!((signed.claim("sub"), signed.time("exp")), ("user.1", Some(9)));
        assert!(signed.is_for(&["x", "b"]) && !signed.is_for(&["x"]));
        assert!(PublicKey::from_jwk(&key.jwk).is_some_and(|public| signed.is_of(&public)));
        for at in 0..text.len() {
            let mut other = text.clone().into_bytes();
            other[at] = if other[at] == b'A' { b'B' } else { b'A' };
            let other = String::from_utf8(other).unwrap();
            assert!(key.verified(&other).is_none(), "{other}");
        }
    }

    #[test]
    fn private_and_malformed_keys_are_refused() {
        for jwk in [
            json!({"kty": "OKP", "crv": "Ed25519", "x": "AA"}),
            json!({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "d": "AA"}),
            json!({"kty": "EC", "crv": "P-521", "x": "AA", "y": "AA"}),
            json!({"kty": "EC", "crv": "P-256", "x": "", "y": "AA"}),
            json!({"kty": "RSA", "n": "A".repeat(4096), "e": "AQAB"}),
            json!({}),
        ] {
            assert!(PublicKey::from_jwk(&jwk).is_none(), "{jwk}");
        }
    }
}
