//! The names of LDAP outcomes.

use brunt_exchange::{Class, Outcome};
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
