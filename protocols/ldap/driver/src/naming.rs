//! The names of LDAP outcomes, and what their codes mean.

use brunt_exchange::{Class, Meaning, Outcome};
use brunt_ldap_wire::code;

/// The protocol's name of an outcome.
pub fn name(outcome: Outcome) -> String {
    match outcome {
        Outcome::Ok(result) | Outcome::Failed(Class::Result | Class::Login, result) => {
            code::name(result).to_owned()
        }
        Outcome::Failed(Class::Locked, result) => {
            format!("{} (lockout)", code::name(result))
        }
        Outcome::Failed(class, _) => class.word().to_owned(),
        Outcome::TimedOut => "timed out".to_owned(),
        Outcome::CutOff => "cut off".to_owned(),
        Outcome::Skipped => "skipped".to_owned(),
    }
}

/// What the result code of an operation means; `is_bind` is whether the operation is a bind. Servers refuse the bind of
/// a locked account with 19 as well, which means something else for every other operation.
pub const fn meaning(outcome: Outcome, is_bind: bool) -> Option<Meaning> {
    match outcome {
        Outcome::Failed(Class::Locked | Class::Login, _)
        | Outcome::Failed(Class::Result, code::INVALID_CREDENTIALS) => Some(Meaning::RefusedLogin),
        Outcome::Failed(Class::Result, code::CONSTRAINT_VIOLATION) if is_bind => {
            Some(Meaning::RefusedLogin)
        }
        Outcome::Failed(Class::Result, code::BUSY | code::UNAVAILABLE) => Some(Meaning::Busy),
        Outcome::Failed(Class::Result, code::TIME_LIMIT_EXCEEDED) => Some(Meaning::TimeLimit),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_codes_have_meanings_by_number_and_operation() {
        let of = |class, code| {
            let outcome = Outcome::Failed(class, code);
            [true, false].map(|is_bind| meaning(outcome, is_bind))
        };
        let refused = Some(Meaning::RefusedLogin);
        for (class, code, expected) in [
            (Class::Result, 49, [refused; 2]),
            (Class::Result, 19, [refused, None]),
            (Class::Locked, 53, [refused; 2]),
            (Class::Login, 49, [refused; 2]),
            (Class::Result, 51, [Some(Meaning::Busy); 2]),
            (Class::Result, 52, [Some(Meaning::Busy); 2]),
            (Class::Result, 3, [Some(Meaning::TimeLimit); 2]),
            (Class::Result, 68, [None; 2]),
            // A number of the operating system.
            (Class::Connect, 19, [None; 2]),
        ] {
            assert_eq!(of(class, code), expected, "{class} {code}");
        }
        assert_eq!(meaning(Outcome::Ok(49), true), None, "the plan expects it");
    }
}
