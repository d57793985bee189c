//! [`Proof`]: that the sender of a request has the key of its token (DPoP, RFC 9449).

use crate::jwk::quoted;
use crate::jws::compact;
use crate::key::Key;
use crate::random::unique;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use std::time::Duration;

/// What a proof is for.
#[derive(Clone, Copy, Debug)]
pub struct Proof<'a> {
    /// The method of the request.
    pub method: &'a str,
    /// Its URL; the query and the fragment are left out.
    pub url: &'a str,
    /// The hash of the access token that is sent with it.
    pub token: Option<&'a str>,
    /// The text that the server demands in it.
    pub nonce: Option<&'a str>,
}

/// The hash of an access token.
pub fn access_token_hash(token: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, token))
}

impl Proof<'_> {
    /// The value of the field `DPoP`, at a time since 1970.
    pub fn signed(&self, key: &Key, now: Duration) -> String {
        let public = key.jwk().unwrap_or("{}");
        let header = format!(r#"{{"typ":"dpop+jwt","alg":"{}","jwk":{public}}}"#, key.algorithm());
        let url = self.url.split(['?', '#']).next().unwrap_or_default();
        let mut payload = format!(
            r#"{{"jti":"{}","htm":{},"htu":{},"iat":{}"#,
            unique(),
            quoted(self.method),
            quoted(url),
            now.as_secs()
        );
        for (name, value) in [("ath", self.token), ("nonce", self.nonce)] {
            if let Some(value) = value {
                payload.extend([r#",""#, name, r#"":"#, &quoted(value)]);
            }
        }
        payload.push('}');
        compact(key, &header, payload.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Algorithm;
    use serde_json::{Value, json};

    #[test]
    fn dpop_proof_equals_rfc_9449() {
        let key = Key::generate(Algorithm::Es256).unwrap();
        let token = access_token_hash(b"Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU");
        // Section 7.1.
        assert_eq!(token, "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo");
        let proof = Proof {
            method: "GET",
            url: "https://resource.example.org/protectedresource?page=2#top",
            token: Some(&token),
            nonce: Some("eyJ7S_zG"),
        };
        let made = proof.signed(&key, Duration::from_secs(1_562_262_618));
        let mut parts = made.split('.').map(|part| URL_SAFE_NO_PAD.decode(part).unwrap());
        let mut next = || serde_json::from_slice::<Value>(&parts.next().unwrap()).unwrap();
        let (header, mut payload) = (next(), next());
        let public: Value = serde_json::from_str(key.jwk().unwrap()).unwrap();
        assert_eq!(header, json!({ "typ": "dpop+jwt", "alg": "ES256", "jwk": public }));
        assert!(
            payload.as_object_mut().unwrap().remove("jti").unwrap().as_str().unwrap().len() > 16
        );
        let expected = json!({
            "htm": "GET",
            "htu": "https://resource.example.org/protectedresource",
            "iat": 1_562_262_618,
            "ath": token,
            "nonce": "eyJ7S_zG",
        });
        assert_eq!(payload, expected);
    }
}
