//! Tokens with every defect, and those of the specifications.

use ring::hmac;
use serde_json::json;

use super::super::made::{Pair, set};
use super::*;

const NOW: i64 = 1_800_000_000;
const ISSUER: &str = "https://sso.example.com/realms/load";
const EXPECTED: Expected<'static> = Expected {
    issuer: ISSUER,
    client: "brunt",
    nonce: Some("n-1"),
    access_token: Some("access"),
    now: NOW,
};

fn claims() -> Value {
    json!({
        "iss": ISSUER, "aud": "brunt", "sub": "f3b1", "nonce": "n-1", "iat": NOW - 5, "exp": NOW + 300,
        "groups": ["/load/admins"],
    })
}

/// The claims with some in place of others; null removes one.
fn with(others: Value) -> Value {
    let mut all = claims();
    let Value::Object(others) = others else { unreachable!() };
    for (name, value) in others {
        if value.is_null() {
            all.as_object_mut().unwrap().remove(&name);
        } else {
            all[name] = value;
        }
    }
    all
}

fn keys(all: &[Value]) -> Keys {
    Keys::read(&set(all)).unwrap()
}

fn refused(found: Result<Claims, TokenError>) -> String {
    match found {
        Err(TokenError::UnknownKey) | Ok(_) => panic!("{found:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn token_of_each_key_type_is_accepted() {
    for pair in [Pair::rsa(), Pair::ec(), Pair::ed()] {
        let keys = keys(&[Pair::ec().jwk("old"), pair.jwk("k")]);
        let found = verify(&pair.token("k", &claims()), &keys, &EXPECTED).unwrap();
        assert_eq!(found.subject(), "f3b1");
        assert_eq!(found.groups("groups"), Some(vec!["/load/admins".to_owned()]));
        // Without a name, the key that fits is tried.
        let unnamed = pair.token_with(&json!({ "alg": alg(&pair) }), &claims());
        assert!(verify(&unnamed, &keys, &EXPECTED).is_ok());
    }
    let pair = Pair::rsa();
    let token = pair.token_with(&json!({ "alg": "PS512", "kid": "k" }), &claims());
    assert!(verify(&token, &keys(&[pair.jwk("k")]), &EXPECTED).is_ok());
}

fn alg(pair: &Pair) -> &'static str {
    match pair {
        Pair::Rsa(_) => "RS256",
        Pair::Ec(_) => "ES256",
        Pair::Ed(_) => "EdDSA",
    }
}

#[test]
fn token_with_a_wrong_signature_is_refused() {
    let (pair, other) = (Pair::rsa(), Pair::ec());
    let keys = keys(&[pair.jwk("k"), other.jwk("ec")]);
    let token = pair.token("k", &claims());
    let (message, signature) = token.rsplit_once('.').unwrap();
    // None at all, in each spelling.
    for name in ["none", "None", "NONE", "", "HS256", "HS512", "RS1", "ES512", "PS1024"] {
        let head = BASE64.encode(json!({ "alg": name, "kid": "k" }).to_string());
        let body = BASE64.encode(claims().to_string());
        for end in ["", signature] {
            let why = refused(verify(&format!("{head}.{body}.{end}"), &keys, &EXPECTED));
            assert!(why.contains("is not accepted"), "{name}: {why}");
        }
    }
    // A secret that everybody knows: the public key.
    let head = BASE64.encode(json!({ "alg": "HS256", "kid": "k" }).to_string());
    let forged = format!("{head}.{}", BASE64.encode(claims().to_string()));
    let key = hmac::Key::new(hmac::HMAC_SHA256, pair.jwk("k")["n"].as_str().unwrap().as_bytes());
    let forged = format!("{forged}.{}", BASE64.encode(hmac::sign(&key, forged.as_bytes())));
    assert!(refused(verify(&forged, &keys, &EXPECTED)).contains("is not accepted"));
    // Changed claims, another key under the name, a signature that is cut off.
    let changed = BASE64.encode(with(json!({ "sub": "root" })).to_string());
    let (head, _) = message.split_once('.').unwrap();
    assert_eq!(
        refused(verify(&format!("{head}.{changed}.{signature}"), &keys, &EXPECTED)),
        "its signature is wrong"
    );
    let stranger = Pair::ec().token("ec", &claims());
    assert_eq!(refused(verify(&stranger, &keys, &EXPECTED)), "its signature is wrong");
    let cut = &signature[..signature.len() - 4];
    assert!(verify(&format!("{message}.{cut}"), &keys, &EXPECTED).is_err());
    for text in ["", "a", "a.b", "a.b.c.d", "....", &format!("{message}.ä"), &format!("{message}.")]
    {
        assert!(verify(text, &keys, &EXPECTED).is_err(), "{text}");
    }
    let critical =
        pair.token_with(&json!({ "alg": "RS256", "kid": "k", "crit": ["x"] }), &claims());
    assert!(refused(verify(&critical, &keys, &EXPECTED)).contains("extension"));
    assert!(refused(verify(&"x".repeat(TOKEN_MAX + 1), &keys, &EXPECTED)).contains("longer"));
}

#[test]
fn token_key_of_another_name_type_or_use_is_unknown() {
    let pair = Pair::rsa();
    let token = pair.token("k", &claims());
    let mut for_others = pair.jwk("k");
    for_others["alg"] = json!("PS256");
    let mut encrypts = pair.jwk("k");
    encrypts["use"] = json!("enc");
    for key in [
        pair.jwk("other"),
        for_others,
        encrypts,
        Pair::ec().jwk("k"),
        json!({ "kty": "oct" }),
        json!(7),
    ] {
        let found = verify(&token, &keys(std::slice::from_ref(&key)), &EXPECTED);
        assert!(matches!(found, Err(TokenError::UnknownKey)), "{key}: {found:?}");
    }
    assert_eq!(Keys::read(b"{\"keys\":[]}").unwrap().count(), 0);
    for text in ["", "[]", "{}", "{\"keys\":7}"] {
        assert!(Keys::read(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn token_claims_wrong_old_or_missing_are_refused() {
    let pair = Pair::ec();
    let keys = keys(&[pair.jwk("k")]);
    let check = |others: Value| verify(&pair.token("k", &with(others)), &keys, &EXPECTED);
    for (others, words) in [
        (json!({ "iss": "https://sso.example.com/realms/load/" }), "issuer"),
        (json!({ "iss": null }), "issuer"),
        (json!({ "aud": "other" }), "another client"),
        (json!({ "aud": ["other"] }), "another client"),
        (json!({ "aud": null }), "another client"),
        (json!({ "aud": [] }), "another client"),
        (json!({ "aud": ["brunt", "other"] }), "another client"),
        (json!({ "azp": "other" }), "another client"),
        (json!({ "azp": 7 }), "another client"),
        (json!({ "sub": null }), "who signed in"),
        (json!({ "sub": "" }), "who signed in"),
        (json!({ "sub": 7 }), "who signed in"),
        (json!({ "sub": "x".repeat(256) }), "who signed in"),
        (json!({ "exp": null }), "never expires"),
        (json!({ "exp": NOW - 60 }), "expired"),
        (json!({ "exp": i64::MIN }), "expired"),
        (json!({ "iat": null }), "when it was issued"),
        (json!({ "iat": NOW + 61 }), "future"),
        (json!({ "nbf": NOW + 61 }), "future"),
        (json!({ "nonce": "n-2" }), "another attempt"),
        (json!({ "nonce": null }), "another attempt"),
        (json!({ "at_hash": "AAAA" }), "access token"),
        (json!({ "at_hash": 7 }), "access token"),
    ] {
        let why = refused(check(others.clone()));
        assert!(why.contains(words), "{others}: {why}");
    }
    let half = Algorithm::Es256.half_hash("access");
    for others in [
        json!({ "aud": ["brunt"] }),
        json!({ "aud": ["brunt", "other"], "azp": "brunt" }),
        json!({ "at_hash": half }),
        // Clocks that differ by a minute.
        json!({ "exp": NOW - 59 }),
        json!({ "iat": NOW + 60, "nbf": NOW + 60 }),
        json!({ "exp": f64::from(i32::MAX), "iat": NOW as f64 - 0.5 }),
    ] {
        assert!(check(others.clone()).is_ok(), "{others}");
    }
    // A renewal has no attempt to belong to.
    let renewal = Expected { nonce: None, access_token: None, ..EXPECTED };
    assert!(verify(&pair.token("k", &with(json!({ "nonce": null }))), &keys, &renewal).is_ok());
}

#[test]
fn logout_token_and_id_token_are_not_interchangeable() {
    let pair = Pair::ec();
    let keys = keys(&[pair.jwk("k")]);
    let check = |others: Value| verify_logout(&pair.token("k", &with(others)), &keys, &EXPECTED);
    let events = json!({ LOGOUT: {} });
    let found = check(json!({ "events": events, "nonce": null, "exp": null, "sid": "s" })).unwrap();
    assert_eq!((found.subject(), found.text("sid")), ("f3b1", Some("s")));
    for (others, words) in [
        (json!({}), "not about a logout"),
        (json!({ "events": { "other": {} }, "nonce": null }), "not about a logout"),
        (json!({ "events": events }), "nonce"),
        (json!({ "events": events, "nonce": null, "sub": null }), "neither"),
        (json!({ "events": events, "nonce": null, "aud": "other" }), "another client"),
        (json!({ "events": events, "nonce": null, "exp": NOW - 100 }), "expired"),
        (json!({ "events": events, "nonce": null, "iat": null }), "issued"),
    ] {
        let why = refused(check(others.clone()));
        assert!(why.contains(words), "{others}: {why}");
    }
}

#[test]
fn token_signatures_of_the_rfcs_are_verified() {
    // RFC 7515, appendix A.2 and A.3, and RFC 8037, appendix A.4. Their claims are of another kind, so only the
    // signatures are compared.
    let body = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    let ec = json!({
        "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    });
    let token = format!(
        "eyJhbGciOiJFUzI1NiJ9.{body}.\
         DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    );
    let (claims, algorithm) = signed(&token, &keys(&[ec])).unwrap();
    assert_eq!((claims.text("iss"), algorithm), (Some("joe"), Algorithm::Es256));
    let ed = json!({
        "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    });
    let token = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.\
                 hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    // The signature is right, and what it signs is no JSON.
    let why = signed(token, &keys(&[ed])).unwrap_err();
    assert!(matches!(why, TokenError::Claims(_)), "{why}");
    // An access token and its hash, as documentation of several providers has them.
    let access = "dNZX1hEZ9wBCzNL40Upu646bdzQA";
    assert_eq!(Algorithm::Rs256.half_hash(access), "wfgvmE9VxjAudsl9lc6TqA");
}
