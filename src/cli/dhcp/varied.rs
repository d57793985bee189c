//! An option of a message whose value may hold the number of the client: `--option`, `--relay-option`, `-o`, `--or`.
//!
//! Which codes a protocol knows and where an option goes in a message is not known here.

use brunt_drivers::dhcp::varied::{self, Pattern};

/// An option, and the values it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VariedOption {
    /// The relay that adds it, 0 being the one nearest to the client. Of no meaning for an option of a client.
    pub(crate) level: u8,
    /// The code: of the option, or in DHCPv4 of the sub-option of option 82 where a relay adds it.
    pub(crate) code: u16,
    /// The value.
    pub(crate) value: Pattern,
}

impl VariedOption {
    /// An option whose value is the same for every client.
    pub(crate) fn fixed(level: u8, code: u16, value: Vec<u8>) -> Self {
        Self { level, code, value: Pattern::fixed(value) }
    }

    /// The most bytes the value can have.
    pub(crate) fn longest(&self) -> usize {
        self.value.longest()
    }
}

/// Takes a value apart: text, or after `0x` hexadecimal digits, either with `{n}` or `{n:WIDTH}` for the number of the
/// client.
pub(crate) fn value(text: &str) -> Result<Pattern, String> {
    Pattern::parse(text).map_err(|error| error.to_string())
}

/// The bytes that hexadecimal digits stand for.
pub(crate) fn digits(text: &str) -> Result<Vec<u8>, String> {
    varied::digits(text).map_err(|error| error.to_string())
}
