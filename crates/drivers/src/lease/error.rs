//! Why a store did not carry out a request: [`BackendError`].

use brunt_exchange::{Class, Outcome};

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
}

impl BackendError {
    /// A refusal by the store.
    pub fn refused(code: u32, text: impl Into<String>) -> Self {
        Self { class: Class::Result, code, text: text.into() }
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

    #[test]
    fn a_sqlstate_comes_back_as_it_was() {
        for state in ["23505", "57P01", "00000", "XX000", "ZZZZZ"] {
            assert_eq!(sqlstate_text(sqlstate(state)), state);
        }
    }
}
