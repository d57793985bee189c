//! An [`Address`] in the form of a table's column.
//!
//! It is stored inline, so that an exchange allocates nothing.

use super::template::Bind;
use std::io::Write as _;
use std::net::Ipv6Addr;

/// The longest address as text: eight groups of four digits and the colons between them.
const NOTATION_MAX: usize = 39;

/// An address to be bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(Form);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Number(i64),
    Octets([u8; 16]),
    Notation([u8; NOTATION_MAX], usize),
}

impl Address {
    pub(super) fn number(address: u128) -> Self {
        Self(Form::Number(address as i64))
    }

    pub(super) fn octets(address: u128) -> Self {
        Self(Form::Octets(address.to_be_bytes()))
    }

    /// As RFC 5952 writes it, which is what Kea stores.
    pub(super) fn notation(address: u128) -> Self {
        let mut text = [0; NOTATION_MAX];
        let mut rest = &mut text[..];
        // Text that does not fit would be cut off; addresses with a dotted end are shorter than the longest form.
        let _ = write!(rest, "{}", Ipv6Addr::from(address));
        let length = NOTATION_MAX - rest.len();
        Self(Form::Notation(text, length))
    }

    /// An address read from a number.
    pub fn of_number(number: i64) -> Self {
        Self(Form::Number(number))
    }

    /// An address read from octets; `None` if it cannot be one.
    pub fn of_octets(octets: &[u8]) -> Option<Self> {
        octets.try_into().ok().map(|octets| Self(Form::Octets(octets)))
    }

    /// An address read from text; `None` if it cannot be one.
    pub fn of_text(text: &str) -> Option<Self> {
        text.parse::<Ipv6Addr>().ok().map(|address| Self::notation(address.to_bits()))
    }

    /// Binds it.
    pub fn bind<'a>(&'a self, bind: &mut impl Bind<'a>) {
        match &self.0 {
            Form::Number(number) => bind.number(*number),
            Form::Octets(octets) => bind.octets(octets),
            Form::Notation(text, length) => {
                bind.text(std::str::from_utf8(&text[..*length]).unwrap_or_default());
            }
        }
    }
}
