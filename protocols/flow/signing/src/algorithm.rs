//! [`Algorithm`]: how a JWS is signed, by its name in RFC 7518 section 3.1 and RFC 8037 section 3.1.

use ring::hmac;
use ring::signature::{self, EcdsaSigningAlgorithm, RsaEncoding};
use std::fmt::{self, Display};
use std::str::FromStr;

/// An algorithm of signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// RSA with PKCS #1 v1.5 and SHA-256.
    Rs256,
    /// The same with SHA-384.
    Rs384,
    /// The same with SHA-512.
    Rs512,
    /// RSA with PSS and SHA-256.
    Ps256,
    /// The same with SHA-384.
    Ps384,
    /// The same with SHA-512.
    Ps512,
    /// ECDSA with P-256 and SHA-256.
    Es256,
    /// ECDSA with P-384 and SHA-384.
    Es384,
    /// EdDSA with Ed25519.
    EdDsa,
    /// HMAC with SHA-256.
    Hs256,
    /// HMAC with SHA-384.
    Hs384,
    /// HMAC with SHA-512.
    Hs512,
}

/// A name that is none of an algorithm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "use the algorithm '{0}': the known ones are {all}",
    all = ALGORITHMS.map(|(name, _)| name).join(", ")
)]
pub struct UnknownAlgorithm(pub String);

/// The algorithms by name.
const ALGORITHMS: [(&str, Algorithm); 12] = [
    ("RS256", Algorithm::Rs256),
    ("RS384", Algorithm::Rs384),
    ("RS512", Algorithm::Rs512),
    ("PS256", Algorithm::Ps256),
    ("PS384", Algorithm::Ps384),
    ("PS512", Algorithm::Ps512),
    ("ES256", Algorithm::Es256),
    ("ES384", Algorithm::Es384),
    ("EdDSA", Algorithm::EdDsa),
    ("HS256", Algorithm::Hs256),
    ("HS384", Algorithm::Hs384),
    ("HS512", Algorithm::Hs512),
];

impl Algorithm {
    /// What its keys are.
    pub(crate) const fn needs(self) -> &'static str {
        match self {
            Self::Rs256 | Self::Rs384 | Self::Rs512 | Self::Ps256 | Self::Ps384 | Self::Ps512 => {
                "an RSA key"
            }
            Self::Es256 => "an EC key (P-256)",
            Self::Es384 => "an EC key (P-384)",
            Self::EdDsa => "an Ed25519 key",
            Self::Hs256 | Self::Hs384 | Self::Hs512 => "a secret",
        }
    }

    /// About how many signatures a core makes in a second, for the user who plans a load: measured with ring 0.17 on
    /// one core of a server.
    pub const fn signatures_per_second(self) -> u32 {
        match self {
            Self::Rs256 | Self::Rs384 | Self::Rs512 | Self::Ps256 | Self::Ps384 | Self::Ps512 => {
                1_000
            }
            Self::Es256 | Self::EdDsa => 50_000,
            Self::Es384 => 3_000,
            Self::Hs256 | Self::Hs384 | Self::Hs512 => 1_000_000,
        }
    }

    /// How ring encodes the signature of an RSA key.
    pub(crate) fn rsa(self) -> Option<&'static dyn RsaEncoding> {
        Some(match self {
            Self::Rs256 => &signature::RSA_PKCS1_SHA256,
            Self::Rs384 => &signature::RSA_PKCS1_SHA384,
            Self::Rs512 => &signature::RSA_PKCS1_SHA512,
            Self::Ps256 => &signature::RSA_PSS_SHA256,
            Self::Ps384 => &signature::RSA_PSS_SHA384,
            Self::Ps512 => &signature::RSA_PSS_SHA512,
            _ => return None,
        })
    }

    /// The same of an EC key.
    pub(crate) fn ecdsa(self) -> Option<&'static EcdsaSigningAlgorithm> {
        Some(match self {
            Self::Es256 => &signature::ECDSA_P256_SHA256_FIXED_SIGNING,
            Self::Es384 => &signature::ECDSA_P384_SHA384_FIXED_SIGNING,
            _ => return None,
        })
    }

    /// The same of a secret.
    pub(crate) fn hmac(self) -> Option<hmac::Algorithm> {
        Some(match self {
            Self::Hs256 => hmac::HMAC_SHA256,
            Self::Hs384 => hmac::HMAC_SHA384,
            Self::Hs512 => hmac::HMAC_SHA512,
            _ => return None,
        })
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        let known = ALGORITHMS.iter().find(|(known, _)| *known == name);
        known.map(|(_, algorithm)| *algorithm).ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}

impl Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = ALGORITHMS.iter().find(|(_, known)| known == self);
        f.write_str(known.map_or("?", |(name, _)| name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithms_are_known_by_name() {
        for (name, algorithm) in ALGORITHMS {
            assert_eq!(name.parse(), Ok(algorithm));
            assert_eq!(algorithm.to_string(), name);
        }
        let error = "ES512".parse::<Algorithm>().unwrap_err().to_string();
        assert!(
            error.starts_with("use the algorithm 'ES512': the known ones are RS256, "),
            "{error}"
        );
        assert!("none".parse::<Algorithm>().is_err());
    }
}
