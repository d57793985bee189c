//! [`signed`]: a JWT (RFC 7519) in compact form (RFC 7515 section 3.1).

use crate::jwk::quoted;
use crate::key::Key;
use crate::random::unique;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::time::Duration;

/// The claims that are added to those that a JWT was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Whether it has the time of its issue.
    pub issued: bool,
    /// After which time it expires, if it does.
    pub lifetime: Option<Duration>,
    /// Whether it has an identifier, which no other has.
    pub identified: bool,
}

/// The JWT of these claims, a JSON object, at a time since 1970.
pub fn signed(key: &Key, object: &[u8], adds: Claims, now: Duration) -> String {
    let id = key.id().map(|id| format!(r#","kid":{}"#, quoted(id))).unwrap_or_default();
    let header = format!(r#"{{"alg":"{}","typ":"JWT"{id}}}"#, key.algorithm());
    let mut members = Vec::new();
    if adds.issued {
        members.push(format!(r#""iat":{}"#, now.as_secs()));
    }
    if let Some(lifetime) = adds.lifetime {
        members.push(format!(r#""exp":{}"#, now.as_secs() + lifetime.as_secs()));
    }
    if adds.identified {
        members.push(format!(r#""jti":"{}""#, unique()));
    }
    compact(key, &header, &with_members(object, &members))
}

/// A JWS in compact form.
pub(crate) fn compact(key: &Key, header: &str, payload: &[u8]) -> String {
    let mut text = URL_SAFE_NO_PAD.encode(header);
    text.push('.');
    URL_SAFE_NO_PAD.encode_string(payload, &mut text);
    let signature = key.sign(text.as_bytes());
    text.push('.');
    URL_SAFE_NO_PAD.encode_string(signature, &mut text);
    text
}

/// A JSON object with more members.
fn with_members(object: &[u8], members: &[String]) -> Vec<u8> {
    let inside = object.trim_ascii();
    let inside = inside.strip_suffix(b"}").unwrap_or(inside).trim_ascii_end();
    let mut whole = inside.to_vec();
    for member in members {
        if whole.last() != Some(&b'{') {
            whole.push(b',');
        }
        whole.extend_from_slice(member.as_bytes());
    }
    whole.push(b'}');
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Algorithm;
    use brunt_net::secret::Secret;
    use serde_json::{Value, json};

    const NOW: Duration = Duration::from_millis(1_700_000_000_900);

    fn read(jwt: &str) -> (Value, Value) {
        let mut parts = jwt.split('.').map(|part| URL_SAFE_NO_PAD.decode(part).unwrap());
        let mut next = || serde_json::from_slice(&parts.next().unwrap()).unwrap();
        (next(), next())
    }

    #[test]
    fn jwt_adds_missing_claims_and_keeps_given_ones() {
        let key =
            Key::shared(&Secret::from("s"), None).unwrap().with_id(Some("load \"1\"".to_owned()));
        let adds =
            Claims { issued: true, lifetime: Some(Duration::from_secs(60)), identified: true };
        let (header, mut claims) = read(&signed(&key, br#" {"iss":"app"} "#, adds, NOW));
        assert_eq!(header, json!({ "alg": "HS256", "typ": "JWT", "kid": "load \"1\"" }));
        let id = claims.as_object_mut().unwrap().remove("jti").unwrap();
        assert_eq!(id.as_str().unwrap().len(), 22);
        assert_eq!(claims, json!({ "iss": "app", "iat": 1_700_000_000, "exp": 1_700_000_060 }));
        let none = Claims { issued: false, lifetime: None, identified: false };
        for object in ["{}", "{ }", r#"{"a":[1,{}]}"#] {
            let (_, claims) = read(&signed(&key, object.as_bytes(), none, NOW));
            assert_eq!(claims, serde_json::from_str::<Value>(object).unwrap());
        }
        let only = Claims { issued: true, ..none };
        assert_eq!(read(&signed(&key, b"{}", only, NOW)).1, json!({ "iat": 1_700_000_000 }));
    }

    #[test]
    fn jwt_identifiers_are_unique() {
        let key = Key::generate(Algorithm::EdDsa).unwrap();
        let adds = Claims { issued: false, lifetime: None, identified: true };
        let id = || read(&signed(&key, b"{}", adds, NOW)).1["jti"].clone();
        assert_ne!(id(), id());
    }
}
