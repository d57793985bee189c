//! The names of HTTP outcomes, and what status codes mean.

use brunt_exchange::{Class, Meaning, Outcome};

/// The reason phrase of a status code (RFC 9110 section 15).
pub fn status(code: u32) -> &'static str {
    let status = u16::try_from(code).ok().and_then(|code| http::StatusCode::from_u16(code).ok());
    status.and_then(|status| status.canonical_reason()).unwrap_or("unnamed")
}

/// What the status code of an exchange means, if the plan does not expect it.
pub const fn meaning(outcome: Outcome) -> Option<Meaning> {
    match outcome {
        // 423 is that of a locked account.
        Outcome::Failed(Class::Result, 401 | 423) => Some(Meaning::RefusedLogin),
        Outcome::Failed(Class::Result, 429 | 503) => Some(Meaning::Busy),
        Outcome::Failed(Class::Result, 408 | 504) => Some(Meaning::TimeLimit),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_codes_have_meanings() {
        for (code, expected) in [
            (401, Some(Meaning::RefusedLogin)),
            (423, Some(Meaning::RefusedLogin)),
            (429, Some(Meaning::Busy)),
            (503, Some(Meaning::Busy)),
            (408, Some(Meaning::TimeLimit)),
            (504, Some(Meaning::TimeLimit)),
            (403, None),
            (500, None),
        ] {
            assert_eq!(meaning(Outcome::Failed(Class::Result, code)), expected, "{code}");
            assert_eq!(meaning(Outcome::Ok(code)), None, "the plan expects {code}");
            assert_eq!(meaning(Outcome::Failed(Class::Connect, code)), None, "{code} is an errno");
        }
    }
}
