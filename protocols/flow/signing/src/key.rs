//! [`Key`]: a key that signs, and its public part.

use crate::algorithm::Algorithm;
use crate::jwk::{self, JwkError, PrivateJwk, quoted};
use brunt_net::secret::Secret;
use pkcs8::PrivateKeyInfoRef;
use pkcs8::der::asn1::{BitStringRef, ContextSpecific, ObjectIdentifier, OctetStringRef};
use pkcs8::der::{self, Decode as _, Reader as _, SliceReader, TagNumber};
use ring::hmac;
use ring::rand::SystemRandom;
use ring::rsa::{KeyPairComponents, PublicKeyComponents};
use ring::signature::{EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RsaKeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use x509_parser::parse_x509_certificate;
use zeroize::Zeroizing;

/// A key that signs with one algorithm.
pub struct Key {
    algorithm: Algorithm,
    id: Option<String>,
    material: Material,
    /// The public part as a JWK whose members are in the order of RFC 7638; a secret has none.
    public: Option<String>,
}

/// Why a key cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// It is of another kind.
    #[error("it has {found}, and {algorithm} needs {}", .algorithm.needs())]
    Kind {
        /// What it is.
        found: &'static str,
        /// The requested algorithm.
        algorithm: Algorithm,
    },
    /// It is of a kind that has no algorithm here.
    #[error(
        "it has a key of a kind that signs no JWT here: RSA of 2048 to 4096 bits, EC with P-256 or P-384, and \
         Ed25519 do"
    )]
    Unsupported,
    /// An EC key without its public part.
    #[error("its EC key lacks the public part, and there is no certificate that has it")]
    NoPublic,
    /// The bytes are damaged, or its parts do not fit each other.
    #[error("its key is damaged: {0}")]
    Damaged(String),
    /// It is no JWK with a private key.
    #[error("it is no private key in JSON (JWK): {0}")]
    Jwk(#[from] JwkError),
    /// Keys of this kind come from a file.
    #[error(
        "a key for {0} cannot be generated, only for ES256, ES384 and EdDSA: give a file or a secret"
    )]
    NotGenerated(Algorithm),
}

enum Material {
    Rsa(RsaKeyPair),
    Ecdsa(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    Secret(hmac::Key),
}

const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
const P_256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const P_384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");

impl Key {
    /// The private key of a key store or file. Without an algorithm, the usual one of its kind is taken. Java writes EC
    /// keys without their public part, which is then that of the certificate.
    pub fn new(
        key: &PrivateKeyDer<'_>,
        certificate: Option<&CertificateDer<'_>>,
        algorithm: Option<Algorithm>,
    ) -> Result<Self, KeyError> {
        match key {
            PrivateKeyDer::Pkcs1(der) => {
                rsa(RsaKeyPair::from_der(der.secret_pkcs1_der()), algorithm)
            }
            PrivateKeyDer::Sec1(der) => ec(der.secret_sec1_der(), None, certificate, algorithm),
            PrivateKeyDer::Pkcs8(der) => pkcs8(der.secret_pkcs8_der(), certificate, algorithm),
            _ => Err(KeyError::Unsupported),
        }
    }

    /// The private key of a JWK (RFC 7517).
    pub fn from_jwk(text: &[u8], algorithm: Option<Algorithm>) -> Result<Self, KeyError> {
        let jwk = PrivateJwk::parse(text)?;
        let id = jwk.id().map(str::to_owned);
        let algorithm = match (algorithm, jwk.algorithm()) {
            (None, Some(name)) => Some(name.parse().map_err(JwkError::from)?),
            (given, _) => given,
        };
        let key = match &jwk {
            PrivateJwk::Ec { curve, d, x, y, .. } => {
                let public = [&[4], x.as_slice(), y.as_slice()].concat();
                ecdsa(curve_named(curve).ok_or(KeyError::Unsupported)?, d, &public, algorithm)
            }
            PrivateJwk::Okp { curve, d, x, .. } if curve == "Ed25519" => {
                ed25519(Ed25519KeyPair::from_seed_and_public_key(d, x), algorithm)
            }
            PrivateJwk::Okp { .. } => Err(KeyError::Unsupported),
            PrivateJwk::Rsa { n, e, d, p, q, dp, dq, qi, .. } => {
                let public_key = PublicKeyComponents { n, e };
                let components =
                    KeyPairComponents { public_key, d, p, q, dP: dp, dQ: dq, qInv: qi };
                rsa(RsaKeyPair::from_components(&components), algorithm)
            }
            PrivateJwk::Secret { k, .. } => Self::shared(&Secret::new(k.to_vec()), algorithm),
        };
        key.map(|key| Self { id: key.id.or(id), ..key })
    }

    /// A secret that the server has too.
    pub fn shared(secret: &Secret, algorithm: Option<Algorithm>) -> Result<Self, KeyError> {
        let algorithm = algorithm.unwrap_or(Algorithm::Hs256);
        let hmac = algorithm.hmac().ok_or(KeyError::Kind { found: "a secret", algorithm })?;
        let material = Material::Secret(hmac::Key::new(hmac, secret.expose()));
        Ok(Self { algorithm, id: None, material, public: None })
    }

    /// A new random key.
    pub fn generate(algorithm: Algorithm) -> Result<Self, KeyError> {
        let random = SystemRandom::new();
        let document = match (algorithm, algorithm.ecdsa()) {
            (Algorithm::EdDsa, _) => Ed25519KeyPair::generate_pkcs8(&random),
            (_, Some(ecdsa)) => EcdsaKeyPair::generate_pkcs8(ecdsa, &random),
            _ => return Err(KeyError::NotGenerated(algorithm)),
        };
        let document =
            document.map_err(|_| KeyError::Damaged("the system has no random bytes".to_owned()))?;
        pkcs8(document.as_ref(), None, Some(algorithm))
    }

    /// Sets the identifier by which the server knows the key.
    #[must_use]
    pub fn with_id(self, id: Option<String>) -> Self {
        Self { id: id.or(self.id), ..self }
    }

    /// The algorithm that it signs with.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The identifier by which the server knows it.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Its public part in JSON (RFC 7517); a secret has none.
    pub fn jwk(&self) -> Option<&str> {
        self.public.as_deref()
    }

    /// The same as a server registers it: with its use, its algorithm and its identifier.
    pub fn published(&self) -> Option<String> {
        let inside = self.jwk()?.trim_end_matches('}');
        let id = self.id().map(|id| format!(r#","kid":{}"#, quoted(id))).unwrap_or_default();
        Some(format!(r#"{inside},"use":"sig","alg":"{}"{id}}}"#, self.algorithm))
    }

    /// The thumbprint of its public part (RFC 7638).
    pub fn thumbprint(&self) -> Option<String> {
        self.jwk().map(jwk::thumbprint)
    }

    /// The signature of a message.
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.material {
            Material::Secret(key) => hmac::sign(key, message).as_ref().to_vec(),
            Material::Ed25519(key) => key.sign(message).as_ref().to_vec(),
            // The system's generator does not fail once it has been seeded, and the length fits.
            Material::Ecdsa(key) => {
                key.sign(&random, message).map(|made| made.as_ref().to_vec()).unwrap_or_default()
            }
            Material::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                if let Some(encoding) = self.algorithm.rsa() {
                    let _ = key.sign(encoding, &random, message, &mut signature);
                }
                signature
            }
        }
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Key")
            .field("algorithm", &self.algorithm)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// A key in the form of PKCS #8 (RFC 5958), which names its kind.
fn pkcs8(
    der: &[u8],
    certificate: Option<&CertificateDer<'_>>,
    algorithm: Option<Algorithm>,
) -> Result<Key, KeyError> {
    let info = PrivateKeyInfoRef::try_from(der).map_err(|error| damaged(&error))?;
    match info.algorithm.oid {
        RSA => rsa(RsaKeyPair::from_pkcs8(der), algorithm),
        ED25519 => ed25519(Ed25519KeyPair::from_pkcs8_maybe_unchecked(der), algorithm),
        EC => {
            let curve = info.algorithm.parameters_oid().ok();
            ec(info.private_key.as_bytes(), curve, certificate, algorithm)
        }
        _ => Err(KeyError::Unsupported),
    }
}

/// An EC key in the form of RFC 5915.
fn ec(
    der: &[u8],
    curve: Option<ObjectIdentifier>,
    certificate: Option<&CertificateDer<'_>>,
    algorithm: Option<Algorithm>,
) -> Result<Key, KeyError> {
    let parts = EcParts::parse(der).map_err(|error| damaged(&error))?;
    let usual = match curve.or(parts.curve) {
        Some(P_256) => Algorithm::Es256,
        Some(P_384) => Algorithm::Es384,
        _ => return Err(KeyError::Unsupported),
    };
    let certified = || {
        let (_, certificate) = parse_x509_certificate(certificate?).ok()?;
        Some(certificate.public_key().subject_public_key.data.to_vec())
    };
    let own = parts.public.map(|bits| bits.raw_bytes().to_vec());
    let public = own.or_else(certified).ok_or(KeyError::NoPublic)?;
    ecdsa(usual, &parts.private, &public, algorithm)
}

struct EcParts<'a> {
    private: Zeroizing<Vec<u8>>,
    curve: Option<ObjectIdentifier>,
    public: Option<BitStringRef<'a>>,
}

impl<'a> EcParts<'a> {
    fn parse(der: &'a [u8]) -> der::Result<Self> {
        SliceReader::new(der)?.sequence(|reader| {
            u8::decode(reader)?;
            let private = <&OctetStringRef>::decode(reader)?;
            let curve = ContextSpecific::decode_explicit(reader, TagNumber(0))?;
            let public = ContextSpecific::decode_explicit(reader, TagNumber(1))?;
            Ok(Self {
                private: Zeroizing::new(private.as_bytes().to_vec()),
                curve: curve.map(|field| field.value),
                public: public.map(|field| field.value),
            })
        })
    }
}

fn curve_named(name: &str) -> Option<Algorithm> {
    match name {
        "P-256" => Some(Algorithm::Es256),
        "P-384" => Some(Algorithm::Es384),
        _ => None,
    }
}

/// An EC key of the curve of this algorithm, by its number and its point.
fn ecdsa(
    usual: Algorithm,
    private: &[u8],
    public: &[u8],
    algorithm: Option<Algorithm>,
) -> Result<Key, KeyError> {
    let (found, curve) = match usual {
        Algorithm::Es384 => ("an EC key (P-384)", "P-384"),
        _ => ("an EC key (P-256)", "P-256"),
    };
    let algorithm = algorithm.unwrap_or(usual);
    let Some(ring) = algorithm.ecdsa().filter(|_| algorithm == usual) else {
        return Err(KeyError::Kind { found, algorithm });
    };
    let pair =
        EcdsaKeyPair::from_private_key_and_public_key(ring, private, public, &SystemRandom::new());
    let pair = pair.map_err(|error| damaged(&error))?;
    let point = pair.public_key().as_ref();
    let public = Some(jwk::ec(curve, point));
    Ok(Key { algorithm, id: None, material: Material::Ecdsa(pair), public })
}

fn rsa(
    pair: Result<RsaKeyPair, ring::error::KeyRejected>,
    algorithm: Option<Algorithm>,
) -> Result<Key, KeyError> {
    let pair = pair.map_err(|error| damaged(&error))?;
    let algorithm = algorithm.unwrap_or(Algorithm::Rs256);
    if algorithm.rsa().is_none() {
        return Err(KeyError::Kind { found: "an RSA key", algorithm });
    }
    let components = PublicKeyComponents::<Vec<u8>>::from(pair.public());
    let public = Some(jwk::rsa(&components.n, &components.e));
    Ok(Key { algorithm, id: None, material: Material::Rsa(pair), public })
}

fn ed25519(
    pair: Result<Ed25519KeyPair, ring::error::KeyRejected>,
    algorithm: Option<Algorithm>,
) -> Result<Key, KeyError> {
    let pair = pair.map_err(|error| damaged(&error))?;
    let algorithm = algorithm.unwrap_or(Algorithm::EdDsa);
    if algorithm != Algorithm::EdDsa {
        return Err(KeyError::Kind { found: "an Ed25519 key", algorithm });
    }
    let public = Some(jwk::ed25519(pair.public_key().as_ref()));
    Ok(Key { algorithm, id: None, material: Material::Ed25519(pair), public })
}

fn damaged(error: &dyn std::fmt::Display) -> KeyError {
    KeyError::Damaged(error.to_string())
}

#[cfg(test)]
mod tests;
