//! Keys and tokens for tests: what a provider signs, rightly or not.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256,
    RSA_PSS_SHA512, RsaKeyPair,
};
use serde_json::{Value, json};

/// A key of a provider.
pub(crate) enum Pair {
    Rsa(RsaKeyPair),
    Ec(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
}

impl Pair {
    /// An RSA key, always the same: making one takes long.
    pub(crate) fn rsa() -> Self {
        Self::Rsa(RsaKeyPair::from_pkcs8(include_bytes!("token/rsa.pk8")).unwrap())
    }

    pub(crate) fn ec() -> Self {
        let (kind, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let made = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        Self::Ec(EcdsaKeyPair::from_pkcs8(kind, made.as_ref(), &random).unwrap())
    }

    pub(crate) fn ed() -> Self {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self::Ed(Ed25519KeyPair::from_pkcs8(made.as_ref()).unwrap())
    }

    /// The public key in JSON.
    pub(crate) fn jwk(&self, id: &str) -> Value {
        match self {
            Self::Rsa(pair) => {
                let PublicKeyComponents { n, e } =
                    PublicKeyComponents::<Vec<u8>>::from(pair.public());
                json!({ "kty": "RSA", "kid": id, "use": "sig", "n": BASE64.encode(n), "e": BASE64.encode(e) })
            }
            Self::Ec(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                let (x, y) = (BASE64.encode(x), BASE64.encode(y));
                json!({ "kty": "EC", "crv": "P-256", "kid": id, "x": x, "y": y })
            }
            Self::Ed(pair) => {
                let x = BASE64.encode(pair.public_key().as_ref());
                json!({ "kty": "OKP", "crv": "Ed25519", "kid": id, "alg": "EdDSA", "x": x })
            }
        }
    }

    /// A token with the header that belongs to the key.
    pub(crate) fn token(&self, id: &str, claims: &Value) -> String {
        let name = match self {
            Self::Rsa(_) => "RS256",
            Self::Ec(_) => "ES256",
            Self::Ed(_) => "EdDSA",
        };
        self.token_with(&json!({ "alg": name, "kid": id, "typ": "JWT" }), claims)
    }

    /// A token with this header; a header of PS512 is signed so.
    pub(crate) fn token_with(&self, header: &Value, claims: &Value) -> String {
        let message = [header, claims].map(|part| BASE64.encode(part.to_string())).join(".");
        let signature = match self {
            Self::Rsa(pair) => {
                let is_pss = header["alg"] == "PS512";
                let mut signature = vec![0; pair.public().modulus_len()];
                let (random, bytes) = (SystemRandom::new(), message.as_bytes());
                if is_pss {
                    pair.sign(&RSA_PSS_SHA512, &random, bytes, &mut signature).unwrap();
                } else {
                    pair.sign(&RSA_PKCS1_SHA256, &random, bytes, &mut signature).unwrap();
                }
                signature
            }
            Self::Ec(pair) => {
                pair.sign(&SystemRandom::new(), message.as_bytes()).unwrap().as_ref().to_vec()
            }
            Self::Ed(pair) => pair.sign(message.as_bytes()).as_ref().to_vec(),
        };
        format!("{message}.{}", BASE64.encode(signature))
    }
}

/// A set of these keys, as a provider publishes it.
pub(crate) fn set(keys: &[Value]) -> Vec<u8> {
    json!({ "keys": keys }).to_string().into_bytes()
}
