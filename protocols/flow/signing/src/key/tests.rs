//! Tests of keys: with the vectors of the RFCs, and with the public part checking what the private one signed.

use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{self, UnparsedPublicKey};
use rustls::pki_types::{PrivatePkcs8KeyDer, PrivateSec1KeyDer};
use serde_json::Value;

fn decoded(text: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text).unwrap()
}

/// RFC 8037 appendix A.1.
const ED25519_JWK: &str = r#"{"kty":"OKP","crv":"Ed25519",
    "d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
    "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
/// RFC 7515 appendix A.3.
const EC_JWK: &str = r#"{"kty":"EC","crv":"P-256","kid":"load-1",
    "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    "d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}"#;

#[test]
fn hmac_signature_equals_rfc_7515() {
    // Appendix A.1.
    let secret = decoded(
        "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow",
    );
    let input = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4\
                 MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    let key = Key::shared(&Secret::new(secret), None).unwrap();
    assert_eq!(
        URL_SAFE_NO_PAD.encode(key.sign(input.as_bytes())),
        "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    );
    assert_eq!((key.jwk(), key.thumbprint()), (None, None));
}

#[test]
fn ed25519_signature_equals_rfc_8037() {
    let key = Key::from_jwk(ED25519_JWK.as_bytes(), None).unwrap();
    assert_eq!(key.algorithm(), Algorithm::EdDsa);
    // Appendices A.3 and A.4.
    assert_eq!(key.thumbprint().unwrap(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    let input = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
    assert_eq!(
        URL_SAFE_NO_PAD.encode(key.sign(input.as_bytes())),
        "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
    );
}

/// Checks a signature with the public part that the key shows.
fn verifies(key: &Key, algorithm: &'static dyn signature::VerificationAlgorithm) {
    let public: Value = serde_json::from_str(key.jwk().unwrap()).unwrap();
    let part = |name: &str| decoded(public[name].as_str().unwrap());
    let signed = key.sign(b"message");
    let result = match public["kty"].as_str().unwrap() {
        "EC" => UnparsedPublicKey::new(algorithm, [vec![4], part("x"), part("y")].concat())
            .verify(b"message", &signed),
        _ => UnparsedPublicKey::new(algorithm, part("x")).verify(b"message", &signed),
    };
    assert!(result.is_ok(), "{key:?}");
}

#[test]
fn ec_and_generated_signatures_verify() {
    let key = Key::from_jwk(EC_JWK.as_bytes(), None).unwrap();
    assert_eq!((key.algorithm(), key.id()), (Algorithm::Es256, Some("load-1")));
    verifies(&key, &signature::ECDSA_P256_SHA256_FIXED);
    let published: Value = serde_json::from_str(&key.published().unwrap()).unwrap();
    let member = |name: &str| published[name].as_str().unwrap().to_owned();
    assert_eq!(
        ["kty", "use", "alg", "kid"].map(member),
        ["EC", "sig", "ES256", "load-1"].map(str::to_owned)
    );
    verifies(&Key::generate(Algorithm::Es256).unwrap(), &signature::ECDSA_P256_SHA256_FIXED);
    verifies(&Key::generate(Algorithm::Es384).unwrap(), &signature::ECDSA_P384_SHA384_FIXED);
    verifies(&Key::generate(Algorithm::EdDsa).unwrap(), &signature::ED25519);
    assert_ne!(
        Key::generate(Algorithm::Es256).unwrap().thumbprint(),
        Key::generate(Algorithm::Es256).unwrap().thumbprint()
    );
    let error = Key::generate(Algorithm::Rs256).unwrap_err();
    assert_eq!(error, KeyError::NotGenerated(Algorithm::Rs256));
}

/// An EC key of RFC 5915 with the numbers of [`EC_JWK`], with or without its public part.
fn sec1(with_public: bool) -> Vec<u8> {
    let jwk: Value = serde_json::from_str(EC_JWK).unwrap();
    let part = |name: &str| decoded(jwk[name].as_str().unwrap());
    let curve = [0xa0, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
    let mut inside = [&[2, 1, 1, 4, 32][..], &part("d"), &curve].concat();
    if with_public {
        inside.extend([0xa1, 0x44, 0x03, 0x42, 0x00, 0x04]);
        inside.extend([part("x"), part("y")].concat());
    }
    [vec![0x30, u8::try_from(inside.len()).unwrap()], inside].concat()
}

#[test]
fn ec_key_without_public_part_uses_its_certificate() {
    let key = |with_public| {
        let der = PrivateKeyDer::Sec1(PrivateSec1KeyDer::from(sec1(with_public)));
        Key::new(&der, None, None)
    };
    let whole = key(true).unwrap();
    assert_eq!(whole.jwk(), Key::from_jwk(EC_JWK.as_bytes(), None).unwrap().jwk());
    assert_eq!(key(false).unwrap_err(), KeyError::NoPublic);
}

#[test]
fn key_that_does_not_fit_its_algorithm_is_refused() {
    let refused = |text: &str, algorithm| {
        Key::from_jwk(text.as_bytes(), Some(algorithm)).unwrap_err().to_string()
    };
    assert_eq!(
        refused(EC_JWK, Algorithm::Rs256),
        "it has an EC key (P-256), and RS256 needs an RSA key"
    );
    assert_eq!(
        refused(EC_JWK, Algorithm::Es384),
        "it has an EC key (P-256), and ES384 needs an EC key (P-384)"
    );
    assert_eq!(
        refused(ED25519_JWK, Algorithm::Es256),
        "it has an Ed25519 key, and ES256 needs an EC key (P-256)"
    );
    assert_eq!(
        Key::shared(&Secret::from("s"), Some(Algorithm::EdDsa)).unwrap_err().to_string(),
        "it has a secret, and EdDSA needs an Ed25519 key"
    );
    let der = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(vec![0x30, 3, 2, 1, 0]));
    assert!(matches!(Key::new(&der, None, None), Err(KeyError::Damaged(_))));
    let wrong = EC_JWK.replace("x_FE", "x_FF");
    assert!(matches!(Key::from_jwk(wrong.as_bytes(), None), Err(KeyError::Damaged(_))));
}

#[test]
fn key_is_hidden_in_debug_output() {
    let key = Key::from_jwk(EC_JWK.as_bytes(), None).unwrap();
    assert_eq!(format!("{key:?}"), "Key { algorithm: Es256, id: Some(\"load-1\"), .. }");
}
