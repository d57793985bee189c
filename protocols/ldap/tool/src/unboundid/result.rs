//! The result code of an outcome and its name, as UnboundID's tools report them.

use brunt_exchange::{Class, Outcome};
use brunt_ldap_wire::code;

/// The code of an outcome that is a failure. What had no answer has the code of the SDK's own error.
pub(super) fn code_of(outcome: Outcome) -> Option<u32> {
    Some(match outcome {
        Outcome::Failed(Class::Result | Class::Login | Class::Locked | Class::Check, result) => {
            result
        }
        Outcome::Failed(Class::Closed, _) => code::SERVER_DOWN,
        Outcome::Failed(Class::Protocol, _) => DECODING_ERROR,
        Outcome::Failed(..) => code::CONNECT_ERROR,
        Outcome::TimedOut => TIMEOUT,
        Outcome::Ok(_) | Outcome::CutOff | Outcome::Skipped => return None,
    })
}

/// The code that a run ends with whose first failure this was. A run begins only if the server can be reached, so a
/// connection that cannot be opened is one that was lost: the original would have found that out by its next request.
pub(crate) fn exit_code(first: Outcome) -> Option<u32> {
    match first {
        Outcome::Failed(Class::Connect, _) => Some(code::SERVER_DOWN),
        other => code_of(other),
    }
}

const DECODING_ERROR: u32 = 84;
const TIMEOUT: u32 = 85;

/// The SDK's name of a code.
pub(super) fn name(result: u32) -> String {
    match result {
        7 => "auth method not supported".to_owned(),
        8 => "strong auth required".to_owned(),
        14 => "SASL bind in progress".to_owned(),
        66 => "not allowed on non-leaf".to_owned(),
        89 => "parameter error".to_owned(),
        95 => "more results to return".to_owned(),
        4096 => "e-sync refresh required".to_owned(),
        _ => match code::name(result) {
            "unknown" => result.to_string(),
            known => spaced(known),
        },
    }
}

/// `noSuchObject` as `no such object`; abbreviations keep their case.
fn spaced(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 4);
    for (at, &letter) in letters.iter().enumerate() {
        let small = |at: usize| letters.get(at).is_some_and(char::is_ascii_lowercase);
        let begins = letter.is_ascii_uppercase() && at > 0 && (small(at - 1) || small(at + 1));
        // The plural of an abbreviation is not a word.
        let begins = begins && !(small(at + 1) && letters.get(at + 2).is_none());
        if begins {
            out.push(' ');
        }
        let abbreviates = letter.is_ascii_uppercase()
            && (letters.get(at + 1).is_none_or(char::is_ascii_uppercase)
                || at > 0 && letters[at - 1].is_ascii_uppercase() && !begins);
        out.push(if abbreviates { letter } else { letter.to_ascii_lowercase() });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names are those that the SDK prints.
    #[test]
    fn result_names_equal_the_sdk() {
        for (result, expected) in [
            (1, "operations error"),
            (4, "size limit exceeded"),
            (8, "strong auth required"),
            (17, "undefined attribute type"),
            (20, "attribute or value exists"),
            (32, "no such object"),
            (34, "invalid DN syntax"),
            (49, "invalid credentials"),
            (67, "not allowed on RDN"),
            (68, "entry already exists"),
            (71, "affects multiple DSAs"),
            (80, "other"),
            (81, "server down"),
            (84, "decoding error"),
            (87, "filter error"),
            (91, "connect error"),
            (94, "no results returned"),
            (95, "more results to return"),
            (122, "assertion failed"),
            (123, "authorization denied"),
            (200, "200"),
        ] {
            assert_eq!(name(result), expected);
        }
    }

    #[test]
    fn missing_answers_have_sdk_result_codes() {
        for (outcome, expected) in [
            (Outcome::Ok(0), None),
            (Outcome::CutOff, None),
            (Outcome::Failed(Class::Result, 32), Some(32)),
            (Outcome::Failed(Class::Closed, 104), Some(81)),
            (Outcome::Failed(Class::Connect, 111), Some(91)),
            (Outcome::Failed(Class::Login, 49), Some(49)),
            (Outcome::TimedOut, Some(85)),
        ] {
            assert_eq!(code_of(outcome), expected);
        }
        assert_eq!(exit_code(Outcome::Failed(Class::Connect, 111)), Some(81));
        assert_eq!(exit_code(Outcome::Failed(Class::Result, 32)), Some(32));
    }
}
