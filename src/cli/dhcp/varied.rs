//! An option of a message whose value may hold the number of the client: `--option`, `--relay-option`, `-o`, `--or`.
//!
//! The value is taken apart once, into pieces that are put together for a client without looking at the text again.
//! Which codes a protocol knows and where an option goes in a message is not known here.

use std::fmt::Write as _;

/// An option, and the values it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VariedOption {
    /// The relay that adds it, 0 being the one nearest to the client. Of no meaning for an option of a client.
    pub(crate) level: u8,
    /// The code: of the option, or in DHCPv4 of the sub-option of option 82 where a relay adds it.
    pub(crate) code: u16,
    /// The value.
    pub(crate) value: Vec<Piece>,
}

/// A part of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// These bytes.
    Literal(Vec<u8>),
    /// The number of the client in decimal digits, at least so many.
    Decimal(u8),
    /// The number of the client in so many bytes, the most significant first.
    Binary(u8),
}

/// The most digits or bytes that a number of a client is written with.
const WIDTH_MAX: u8 = 20;

impl VariedOption {
    /// An option whose value is the same for every client.
    pub(crate) fn fixed(level: u8, code: u16, value: Vec<u8>) -> Self {
        Self { level, code, value: vec![Piece::Literal(value)] }
    }

    /// Whether clients have different values.
    pub(crate) fn varies(&self) -> bool {
        self.value.iter().any(|piece| !matches!(piece, Piece::Literal(_)))
    }

    /// The most bytes the value can have.
    pub(crate) fn longest(&self) -> usize {
        self.value.iter().map(Piece::longest).sum()
    }

    /// The value for a client.
    pub(crate) fn value_of(&self, client: u64) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.longest());
        for piece in &self.value {
            piece.write(client, &mut out);
        }
        out
    }
}

impl Piece {
    fn longest(&self) -> usize {
        match self {
            Self::Literal(bytes) => bytes.len(),
            Self::Decimal(_) => usize::from(WIDTH_MAX),
            Self::Binary(width) => usize::from(*width),
        }
    }

    fn write(&self, client: u64, out: &mut Vec<u8>) {
        match self {
            Self::Literal(bytes) => out.extend_from_slice(bytes),
            Self::Decimal(width) => {
                let mut digits = String::new();
                let _ = write!(digits, "{client:0width$}", width = usize::from(*width));
                out.extend_from_slice(digits.as_bytes());
            }
            Self::Binary(width) => {
                let bytes = u128::from(client).to_be_bytes();
                let width = usize::from(*width);
                out.extend(std::iter::repeat_n(0, width.saturating_sub(bytes.len())));
                out.extend_from_slice(&bytes[bytes.len().saturating_sub(width)..]);
            }
        }
    }
}

/// Takes a value apart: text, or after `0x` hexadecimal digits, either with `{n}` or `{n:WIDTH}` for the number of the
/// client. A width counts digits; in hexadecimal it is even, and eight if not given.
pub(crate) fn value(text: &str) -> Result<Vec<Piece>, String> {
    let (mut rest, hex) = text.strip_prefix("0x").map_or((text, false), |rest| (rest, true));
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let (literal, place) = match rest.split_once("{n") {
            Some((literal, place)) => (literal, Some(place)),
            None => (rest, None),
        };
        if !literal.is_empty() {
            let bytes = if hex { digits(literal)? } else { literal.as_bytes().to_vec() };
            pieces.push(Piece::Literal(bytes));
        }
        let Some(place) = place else { break };
        let (width, after) = place.split_once('}').ok_or("a place opened by {n has no }")?;
        pieces.push(number(width, hex)?);
        rest = after;
    }
    Ok(pieces)
}

fn number(width: &str, hex: bool) -> Result<Piece, String> {
    let width = match width.strip_prefix(':') {
        Some(width) => width.parse().ok().filter(|width| (1..=WIDTH_MAX).contains(width)),
        None if width.is_empty() => Some(if hex { 8 } else { 1 }),
        None => None,
    };
    match width {
        Some(width) if !hex => Ok(Piece::Decimal(width)),
        Some(width) if width % 2 == 0 => Ok(Piece::Binary(width / 2)),
        _ => Err(format!(
            "the number of the client is written {{n}}, or {{n:8}} with as many digits: 1 to {WIDTH_MAX}, after 0x an \
             even number of them"
        )),
    }
}

/// The bytes that hexadecimal digits stand for.
pub(crate) fn digits(text: &str) -> Result<Vec<u8>, String> {
    let nibbles: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).and_then(|it| u8::try_from(it).ok())).collect();
    let nibbles = nibbles.ok_or_else(|| format!("'{text}' holds more than hexadecimal digits"))?;
    if nibbles.len() % 2 == 1 {
        return Err(format!(
            "'{text}' has an odd number of hexadecimal digits, and each byte has two"
        ));
    }
    Ok(nibbles.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, client: u64) -> Vec<u8> {
        VariedOption { level: 0, code: 60, value: value(text).unwrap() }.value_of(client)
    }

    #[test]
    fn a_number_is_written_as_asked() {
        assert_eq!(of("port-{n}", 7), b"port-7");
        assert_eq!(of("port-{n:4}/{n}", 7), b"port-0007/7");
        assert_eq!(of("{n:2}", 12345), b"12345");
        assert_eq!(of("0x0104{n}ff", 0x0102_0304), [1, 4, 1, 2, 3, 4, 255]);
        assert_eq!(of("0x{n:4}", 0x0102_0304), [3, 4]);
        assert_eq!(of("{x}", 1), b"{x}");
        assert_eq!(of("", 1), b"");
        assert!(!VariedOption::fixed(0, 1, vec![1]).varies());
    }

    #[test]
    fn no_value_is_longer_than_it_says() {
        for text in ["a{n}b", "0x{n}", "0xff{n:20}", "{n:20}"] {
            let option = VariedOption { level: 0, code: 1, value: value(text).unwrap() };
            for client in [0, u64::from(u32::MAX), u64::MAX] {
                assert!(option.value_of(client).len() <= option.longest(), "{text}");
            }
            assert!(option.varies());
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for wrong in ["{n", "{n:}", "{n:0}", "{n:21}", "{nx}", "0x1", "0xgg", "0x{n:3}", "0x1{n}"] {
            assert!(value(wrong).is_err(), "{wrong}");
        }
    }
}
