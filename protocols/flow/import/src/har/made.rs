//! Values that the client makes by itself: identifiers, moments, challenges, states.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use url::form_urlencoded;

use super::bits::{LISTED, bits};
use super::file::Entry;
use crate::form;
use crate::imported::Value;

/// How far a time may be from that of its request, in milliseconds.
const NEAR: u64 = 5_000;

/// What makes a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Maker {
    /// A variable with such a source.
    Variable(Value),
    /// A signature or a code that must be given, and what it is.
    Missing(&'static str),
}

/// The verifiers of the recording (RFC 7636), by their challenges.
#[derive(Debug, Default)]
pub(super) struct Verifiers(HashMap<String, String>);

impl Verifiers {
    pub(super) fn new(entries: &[Entry]) -> Self {
        let mut found = HashMap::new();
        for entry in entries {
            let Some(data) = &entry.request.post_data else { continue };
            let mut verifiers: Vec<String> = Vec::new();
            if let Some(Ok(text)) =
                data.content().filter(|_| entry.request.kind().starts_with(form::TYPE))
            {
                let pairs = form_urlencoded::parse(text.as_bytes());
                let pairs = pairs.filter(|(name, _)| name == "code_verifier");
                verifiers.extend(pairs.map(|(_, value)| value.into_owned()));
            }
            let params = data.params.iter().filter(|param| param.name == "code_verifier");
            verifiers.extend(params.filter_map(|param| param.value.clone()));
            for verifier in verifiers {
                found.insert(challenge(&verifier), verifier);
            }
        }
        Self(found)
    }

    /// The verifier of a challenge.
    pub(super) fn of_challenge(&self, challenge: &str) -> Option<&str> {
        self.0.get(challenge).map(String::as_str)
    }
}

fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
}

/// What makes a value that is sent under a name, at a time.
pub(super) fn maker(name: &str, value: &str, moment: Option<Timestamp>) -> Option<Maker> {
    let lower = name.to_ascii_lowercase();
    if is_uuid(value) {
        return Some(Maker::Variable(Value::Uuid));
    }
    if let Some(milliseconds) = moment.and_then(|moment| time(value, moment)) {
        return Some(Maker::Variable(Value::Timestamp { milliseconds }));
    }
    if value.starts_with("eyJ") && value.matches('.').count() == 2 {
        match lower.as_str() {
            "dpop" => {
                return Some(Maker::Missing("a DPoP proof, which a key signs for each request"));
            }
            "client_assertion" | "assertion" => {
                return Some(Maker::Missing("a JWT, which a key signs for each request"));
            }
            _ => {}
        }
    }
    let digits = value.len() == 6 && value.bytes().all(|byte| byte.is_ascii_digit());
    if digits && ["otp", "totp"].iter().any(|end| lower.ends_with(end)) {
        return Some(Maker::Missing("a one-time password, which is valid for seconds"));
    }
    let random = lower == "code_verifier"
        || (lower.ends_with("state") || lower.ends_with("nonce")) && bits(value) >= LISTED;
    let (chars, length) = random.then(|| chars(value)).flatten()?;
    Some(Maker::Variable(Value::Chars { chars, length }))
}

/// The characters and the length of a random text like this one; none if it is no plain text.
pub(super) fn chars(value: &str) -> Option<(String, u32)> {
    let length = u32::try_from(value.len()).ok()?;
    let hexadecimal = value.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
    let chars = if hexadecimal { "[0-9a-f]" } else { "[A-Za-z0-9]" };
    plain.then(|| (chars.to_owned(), length))
}

fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            14 => byte == b'4',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether a value is that moment, and in milliseconds.
fn time(value: &str, moment: Timestamp) -> Option<bool> {
    let number: i64 = value.parse().ok().filter(|_| matches!(value.len(), 10 | 13))?;
    let milliseconds = value.len() == 13;
    let at = if milliseconds { number } else { number.checked_mul(1000)? };
    let slack = if milliseconds { NEAR } else { NEAR + 1000 };
    (at.abs_diff(moment.as_millisecond()) <= slack).then_some(milliseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_made_identifiers_times_and_states_are_recognized() {
        let moment: Timestamp = "2026-01-02T03:04:05Z".parse().unwrap();
        let made = |name, value| maker(name, value, Some(moment));
        let variable = |value| Some(Maker::Variable(value));
        let text = |chars: &str, length| Value::Chars { chars: chars.to_owned(), length };
        assert_eq!(made("x", "a81bc81b-dead-4e5d-abff-90865d1e13b1"), variable(Value::Uuid));
        assert_eq!(made("x", "a81bc81b-dead-1e5d-abff-90865d1e13b1"), None);
        assert_eq!(made("t", "1767323045"), variable(Value::Timestamp { milliseconds: false }));
        assert_eq!(made("t", "1767323046123"), variable(Value::Timestamp { milliseconds: true }));
        assert_eq!(made("t", "1767323145"), None);
        assert_eq!(made("state", "x7Kq92pLmN3b"), variable(text("[A-Za-z0-9]", 12)));
        assert_eq!(made("nonce", "0a1b2c3d4e5f6a7b"), variable(text("[0-9a-f]", 16)));
        assert_eq!(made("state", "open"), None);
        assert!(matches!(made("DPoP", "eyJhbGciOi.eyJqdGki.c2ln"), Some(Maker::Missing(_))));
        assert!(matches!(made("totp", "123456"), Some(Maker::Missing(_))));
        assert_eq!(made("count", "123456"), None);
    }

    #[test]
    fn pkce_challenge_equals_rfc_7636() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(challenge(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }
}
