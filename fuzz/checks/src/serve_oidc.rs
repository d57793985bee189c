//! What a provider of OpenID Connect sends: what it says about itself, its keys, tokens and claims.

use brunt_serve::oidc::{
    Claims, Expected, Keys, Metadata, is_issuer, read_reply, verify, verify_logout,
};

const ISSUER: &str = "https://a.example";
/// A key whose private part nobody here has.
const KEYS: &[u8] = br#"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k",
    "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;

/// Whatever it sends, nothing panics, no endpoint is less safe than the issuer, and no token is accepted that nobody
/// signed.
pub fn check(input: &[u8]) {
    if let Ok(found) = Metadata::read(input, ISSUER) {
        for url in [Some(found.authorization), Some(found.token), Some(found.keys), found.userinfo]
        {
            assert!(url.is_none_or(|url| url.starts_with("https:")), "it is sent in clear");
        }
    }
    let own = Keys::read(input).unwrap_or_default();
    let known = Keys::read(KEYS).unwrap_or_default();
    assert_eq!(known.count(), 1);
    for status in [200, 400, 503] {
        let reply = read_reply(status, input);
        assert!(status == 200 || reply.is_err());
    }
    if let Ok(claims) = Claims::read(input) {
        for path in ["groups", "realm_access.roles", "", ".", "a..b"] {
            let _ = claims.groups(path);
        }
        let _ = claims.subject();
    }
    let Ok(text) = str::from_utf8(input) else { return };
    let _ = is_issuer(text);
    let (nonce, access_token) = (None, Some("t"));
    let expected = Expected { issuer: ISSUER, client: "brunt", nonce, access_token, now: 1 };
    for keys in [&own, &known, &Keys::default()] {
        assert!(verify(text, keys, &expected).is_err(), "nobody signed it");
        assert!(verify_logout(text, keys, &expected).is_err(), "nobody signed it");
    }
}
