//! What the outcome of a step is called.

use brunt_exchange::{Class, Outcome};

/// The name of an outcome. A code is the protocol's own: the status of HTTP, the result of LDAP.
pub(super) fn name(outcome: Outcome) -> String {
    match outcome {
        Outcome::Ok(0) => "ok".to_owned(),
        Outcome::Ok(code) | Outcome::Failed(Class::Result, code) => code.to_string(),
        Outcome::Failed(class, _) => class.word().to_owned(),
        Outcome::TimedOut => "timed out".to_owned(),
        Outcome::CutOff => "cut off".to_owned(),
        Outcome::Skipped => "skipped".to_owned(),
    }
}
