//! The age of values from answers, for the message when a server refuses a request that carries them: a token may have
//! expired at the server earlier than here.

use brunt_http_driver::Response;
use std::time::Duration;

/// The error codes of a server that does not accept a token or a code any more.
const WORDS: [&str; 5] = [
    "invalid_grant",
    "invalid_token",
    "code not valid",
    "session not active",
    "token is not active",
];
/// From this age on it is shown in whole seconds.
const WHOLE: Duration = Duration::from_secs(10);

/// Whether an answer refuses a token or a code.
pub(super) fn is_refusal(response: &Response) -> bool {
    let mentions = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).to_ascii_lowercase();
        WORDS.iter().any(|words| text.contains(words))
    };
    match response.status() {
        401 => true,
        400 => mentions(response.body()) || response.values("www-authenticate").any(mentions),
        _ => false,
    }
}

/// How old a value is, and how long it was valid, if that is known.
pub(super) fn words(name: &str, age: Duration, lifetime: Option<Duration>) -> String {
    let valid = lifetime.map(|time| format!(", was valid for {}", seconds(time)));
    format!("{name} is {} old{}", seconds(age), valid.unwrap_or_default())
}

fn seconds(time: Duration) -> String {
    if time >= WHOLE || time.subsec_nanos() == 0 {
        return format!("{} s", time.as_secs());
    }
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_age_is_worded_with_its_lifetime() {
        let ms = Duration::from_millis;
        let of = |age, lifetime: Option<u64>| words("token", ms(age), lifetime.map(ms));
        assert_eq!(of(312_400, Some(300_000)), "token is 312 s old, was valid for 300 s");
        assert_eq!(of(1_449, Some(500)), "token is 1.4 s old, was valid for 0.5 s");
        assert_eq!(of(2_000, None), "token is 2 s old");
    }

    #[test]
    fn token_refusals_are_distinguished_from_others() {
        let refuses = |status, fields: &[(&str, &str)], body: &[u8]| {
            is_refusal(&Response::sample(status, fields, body))
        };
        let grant = b"{\"error\":\"invalid_grant\"}";
        assert!(refuses(400, &[], grant) && refuses(401, &[], b""));
        assert!(refuses(400, &[], b"{\"error_description\":\"Session not active\"}"));
        let field = [("WWW-Authenticate", "Bearer error=\"invalid_token\"")];
        assert!(refuses(400, &field, b""));
        assert!(!refuses(400, &[], b"{\"error\":\"invalid_request\"}"));
        assert!(!refuses(404, &[], grant) && !refuses(403, &field, b""));
    }
}
