//! An option of a message whose value can contain the number of the client: `--option`, `--relay-option`, `-o`, `--or`.
//!
//! This module does not depend on the codes of a protocol or the position of an option in a message.

use brunt_dhcp_driver::varied::{self, Pattern, PatternError};

/// An option, and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariedOption {
    /// The relay that adds it, 0 being the one nearest to the client. Unused for an option of a client.
    pub level: u8,
    /// The code of the option; in DHCPv4, for an option added by a relay, of the sub-option of option 82.
    pub code: u16,
    /// The value.
    pub value: Pattern,
}

impl VariedOption {
    /// An option whose value is the same for every client.
    pub fn fixed(level: u8, code: u16, value: Vec<u8>) -> Self {
        Self { level, code, value: Pattern::fixed(value) }
    }

    /// The most bytes the value can have.
    pub fn longest(&self) -> usize {
        self.value.longest()
    }
}

/// Parses a value: text, or hexadecimal digits after `0x`; either can contain `{n}` or `{n:WIDTH}` for the number of
/// the client.
pub fn value(text: &str) -> Result<Pattern, PatternError> {
    Pattern::parse(text)
}

/// The bytes of hexadecimal digits.
pub fn digits(text: &str) -> Result<Vec<u8>, PatternError> {
    varied::digits(text)
}
