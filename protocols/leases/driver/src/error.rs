//! Why a store did not carry out a request: [`BackendError`].

use brunt_exchange::{Class, Outcome, Unreached, Watch};
use std::fmt::Display;

/// Why a backend refused or failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct BackendError {
    /// The kind of failure: [`Class::Result`] if the store refused, [`Class::Closed`] if the connection was lost,
    /// [`Class::Connect`] and [`Class::Login`] if none could be made.
    pub class: Class,
    /// The store's own code: an extended result code of SQLite, an error number of MySQL, a SQLSTATE as
    /// [`sqlstate`] packs it, an error number of the operating system.
    pub code: u32,
    /// The text: what was attempted, the store's error, and the remedy if it is known. It follows "failed to".
    pub text: String,
    /// The server, if no connection to it could be made, and why.
    pub unreached: Option<Unreached>,
}

impl BackendError {
    /// A failure of this kind.
    pub fn new(class: Class, code: u32, text: impl Into<String>) -> Self {
        Self { class, code, text: text.into(), unreached: None }
    }

    /// A refusal by the store.
    pub fn refused(code: u32, text: impl Into<String>) -> Self {
        Self::new(Class::Result, code, text)
    }

    /// No connection to a server could be made: why, and the remedy if it is known.
    pub(super) fn unconnected(
        class: Class,
        code: u32,
        (address, error): (impl Display, impl Display),
        remedy: &str,
    ) -> Self {
        let unreached = Unreached { address: address.to_string(), error: error.to_string() };
        let text = format!("connect to {address}: {error}{remedy}");
        Self { unreached: Some(unreached), ..Self::new(class, code, text) }
    }

    /// The failure as the outcome of an exchange, whose watch gets the text, and the server if there is one.
    pub(super) fn report(&self, watch: &mut Watch<'_>) -> Outcome {
        watch.explain(format_args!("{self}"));
        if let Some(to) = &self.unreached {
            watch.could_not_reach(&to.address, &to.error);
        }
        self.outcome()
    }

    /// The failure as the outcome of an exchange.
    pub fn outcome(&self) -> Outcome {
        Outcome::Failed(self.class, self.code)
    }
}

/// The five characters of a SQLSTATE as one number, base 36: `23505` and `57P01` fit into 26 bits.
pub fn sqlstate(state: &str) -> u32 {
    state.chars().take(5).fold(0, |code, character| code * 36 + character.to_digit(36).unwrap_or(0))
}

/// The SQLSTATE that [`sqlstate`] packed.
pub fn sqlstate_text(code: u32) -> String {
    let digit = |place: u32| code / 36_u32.pow(place) % 36;
    let characters = (0..5).rev().filter_map(|place| char::from_digit(digit(place), 36));
    characters.map(|character| character.to_ascii_uppercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::{Clock, Moment};

    struct Still;

    impl Clock for Still {
        fn now(&self) -> Moment {
            Moment::from_nanos(0)
        }
    }

    #[test]
    fn connect_failure_keeps_address_and_error_in_fields() {
        let report = |failure: &BackendError| {
            let mut text = String::new();
            let mut watch = Watch::new(&Still, Some(&mut text));
            let outcome = failure.report(&mut watch);
            let unreached = watch.take_unreached();
            (outcome, unreached, text)
        };
        let failed = BackendError::refused(5, "insert: busy");
        assert_eq!(
            report(&failed),
            (Outcome::Failed(Class::Result, 5), None, "insert: busy".to_owned())
        );
        let failed =
            BackendError::unconnected(Class::Connect, 111, ("db:1", "refused"), "; start it");
        let outcome = Outcome::Failed(Class::Connect, 111);
        let [address, error] = ["db:1", "refused"].map(str::to_owned);
        let text = "connect to db:1: refused; start it".to_owned();
        assert_eq!(report(&failed), (outcome, Some(Unreached { address, error }), text));
    }

    #[test]
    fn sqlstate_round_trips() {
        for state in ["23505", "57P01", "00000", "XX000", "ZZZZZ"] {
            assert_eq!(sqlstate_text(sqlstate(state)), state);
        }
    }
}
