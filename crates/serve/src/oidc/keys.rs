//! [`Keys`]: the public keys of a provider (RFC 7517, RFC 7518, RFC 8037), and what they verify.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::digest::{self, digest};
use ring::signature::{self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;
use serde_json::Value;

/// The most keys that are read.
const KEYS_MAX: usize = 100;

/// The signatures that are accepted. None of them is made with a secret that the site knows too, so no public key can
/// pass for such a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    Rs256,
    Rs384,
    Rs512,
    Ps256,
    Ps384,
    Ps512,
    Es256,
    Es384,
    EdDsa,
}

const ALGORITHMS: [(&str, Algorithm); 9] = [
    ("RS256", Algorithm::Rs256),
    ("RS384", Algorithm::Rs384),
    ("RS512", Algorithm::Rs512),
    ("PS256", Algorithm::Ps256),
    ("PS384", Algorithm::Ps384),
    ("PS512", Algorithm::Ps512),
    ("ES256", Algorithm::Es256),
    ("ES384", Algorithm::Es384),
    ("EdDSA", Algorithm::EdDsa),
];

impl Algorithm {
    pub(super) fn named(name: &str) -> Option<Self> {
        ALGORITHMS.iter().find(|(known, _)| *known == name).map(|(_, it)| *it)
    }

    /// The first half of the hash of a text, by which an ID token names the access token that belongs to it.
    pub(super) fn half_hash(self, text: &str) -> String {
        let kind = match self {
            Self::Rs256 | Self::Ps256 | Self::Es256 => &digest::SHA256,
            Self::Rs384 | Self::Ps384 | Self::Es384 => &digest::SHA384,
            Self::Rs512 | Self::Ps512 | Self::EdDsa => &digest::SHA512,
        };
        let hash = digest(kind, text.as_bytes());
        let (half, _) = hash.as_ref().split_at(hash.as_ref().len() / 2);
        BASE64.encode(half)
    }

    fn rsa(self) -> Option<&'static RsaParameters> {
        Some(match self {
            Self::Rs256 => &signature::RSA_PKCS1_2048_8192_SHA256,
            Self::Rs384 => &signature::RSA_PKCS1_2048_8192_SHA384,
            Self::Rs512 => &signature::RSA_PKCS1_2048_8192_SHA512,
            Self::Ps256 => &signature::RSA_PSS_2048_8192_SHA256,
            Self::Ps384 => &signature::RSA_PSS_2048_8192_SHA384,
            Self::Ps512 => &signature::RSA_PSS_2048_8192_SHA512,
            _ => return None,
        })
    }
}

/// Why no key verifies a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyError {
    /// There is no such key: the provider may have made a new one.
    Unknown,
    /// The signature was made by another key.
    Wrong,
}

/// Keys that are no set of keys.
#[derive(Debug, thiserror::Error)]
#[error("its keys cannot be read: {0}")]
pub struct KeysError(#[from] serde_json::Error);

/// The public keys of a provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys(Vec<Key>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    id: Option<String>,
    /// The only algorithm that it is for, if the key names one.
    algorithm: Option<String>,
    material: Material,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Material {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

#[derive(Deserialize)]
struct Document {
    keys: Vec<Value>,
}

#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl Keys {
    /// Reads a set of keys. Keys of other kinds, and for other purposes, are left out.
    pub fn read(text: &[u8]) -> Result<Self, KeysError> {
        let document: Document = serde_json::from_slice(text)?;
        let all = document.keys.into_iter().take(KEYS_MAX);
        Ok(Self(all.filter_map(|key| Key::new(serde_json::from_value(key).ok()?)).collect()))
    }

    /// How many keys can verify something.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Verifies a signature with the key of this name; without a name, with every key that fits.
    pub(super) fn verify(
        &self,
        (algorithm, id): (Algorithm, Option<&str>),
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), KeyError> {
        let named = self.0.iter().filter(|key| id.is_none() || key.id.as_deref() == id);
        let fitting: Vec<&Key> = named.filter(|key| key.fits(algorithm)).collect();
        if fitting.is_empty() {
            return Err(KeyError::Unknown);
        }
        let right = fitting.iter().any(|key| key.material.verifies(algorithm, message, signature));
        if right { Ok(()) } else { Err(KeyError::Wrong) }
    }
}

impl Key {
    fn new(jwk: Jwk) -> Option<Self> {
        if jwk.purpose.as_deref().is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let bytes =
            |text: &Option<String>| BASE64.decode(text.as_ref()?.trim_end_matches('=')).ok();
        let point = |length: usize| {
            let (x, y) = (bytes(&jwk.x)?, bytes(&jwk.y)?);
            (x.len() == length && y.len() == length).then(|| [&[4], &*x, &*y].concat())
        };
        let material = match (jwk.kty.as_str(), jwk.crv.as_deref()) {
            ("RSA", _) => Material::Rsa { n: bytes(&jwk.n)?, e: bytes(&jwk.e)? },
            ("EC", Some("P-256")) => Material::P256(point(32)?),
            ("EC", Some("P-384")) => Material::P384(point(48)?),
            ("OKP", Some("Ed25519")) => Material::Ed25519(bytes(&jwk.x)?),
            _ => return None,
        };
        Some(Self { id: jwk.kid, algorithm: jwk.alg, material })
    }

    fn fits(&self, algorithm: Algorithm) -> bool {
        let is_for =
            self.algorithm.as_deref().is_none_or(|it| Algorithm::named(it) == Some(algorithm));
        is_for
            && match self.material {
                Material::Rsa { .. } => algorithm.rsa().is_some(),
                Material::P256(_) => algorithm == Algorithm::Es256,
                Material::P384(_) => algorithm == Algorithm::Es384,
                Material::Ed25519(_) => algorithm == Algorithm::EdDsa,
            }
    }
}

impl Material {
    fn verifies(&self, algorithm: Algorithm, message: &[u8], signature: &[u8]) -> bool {
        let elliptic = |kind: &'static dyn signature::VerificationAlgorithm, key: &[u8]| {
            UnparsedPublicKey::new(kind, key).verify(message, signature).is_ok()
        };
        match self {
            Self::Rsa { n, e } => algorithm.rsa().is_some_and(|kind| {
                RsaPublicKeyComponents { n, e }.verify(kind, message, signature).is_ok()
            }),
            Self::P256(point) => elliptic(&signature::ECDSA_P256_SHA256_FIXED, point),
            Self::P384(point) => elliptic(&signature::ECDSA_P384_SHA384_FIXED, point),
            Self::Ed25519(key) => elliptic(&signature::ED25519, key),
        }
    }
}
