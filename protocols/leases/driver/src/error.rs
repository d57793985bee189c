//! Why a store did not carry out a request: [`BackendError`].

use brunt_exchange::{Class, Outcome, Watch};

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
    /// The address of the server, if it could not be reached.
    pub address: Option<String>,
}

impl BackendError {
    /// A failure of this kind.
    pub fn new(class: Class, code: u32, text: impl Into<String>) -> Self {
        Self { class, code, text: text.into(), address: None }
    }

    /// A refusal by the store.
    pub fn refused(code: u32, text: impl Into<String>) -> Self {
        Self::new(Class::Result, code, text)
    }

    /// The same, of a server that could not be reached at this address.
    #[must_use]
    pub(super) fn at(self, address: impl std::fmt::Display) -> Self {
        Self { address: Some(address.to_string()), ..self }
    }

    /// The failure as the outcome of an exchange, whose watch gets the text, and the address if there is one.
    pub(super) fn report(&self, watch: &mut Watch<'_>) -> Outcome {
        watch.explain(format_args!("{self}"));
        if let Some(address) = &self.address {
            watch.could_not_reach(address);
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
    fn connect_failure_keeps_the_address_in_its_field() {
        let report = |failure: &BackendError| {
            let mut text = String::new();
            let mut watch = Watch::new(&Still, Some(&mut text));
            let outcome = failure.report(&mut watch);
            let address = watch.take_address();
            (outcome, address, text)
        };
        let failed = BackendError::new(Class::Connect, 111, "connect to db:1: refused");
        let outcome = Outcome::Failed(Class::Connect, 111);
        let text = || "connect to db:1: refused".to_owned();
        assert_eq!(report(&failed), (outcome, None, text()));
        assert_eq!(report(&failed.at("db:1")), (outcome, Some("db:1".to_owned()), text()));
    }

    #[test]
    fn sqlstate_round_trips() {
        for state in ["23505", "57P01", "00000", "XX000", "ZZZZZ"] {
            assert_eq!(sqlstate_text(sqlstate(state)), state);
        }
    }
}
