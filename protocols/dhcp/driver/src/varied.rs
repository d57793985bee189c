//! A [`Pattern`]: bytes that differ from client to client, for options by which servers distinguish them.
//!
//! It is parsed once into pieces. The value for a client is assembled from these without parsing the text again and
//! without allocating. It must not depend on the option whose value it is.

use thiserror::Error;

/// Bytes that may contain the number of the client, any number of times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    pieces: Vec<Piece>,
}

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// These bytes.
    Literal(Vec<u8>),
    /// The number of the client in decimal digits, padded to at least this many.
    Decimal(usize),
    /// The number of the client in this many bytes, the most significant first.
    Binary(usize),
}

/// Why a text is not a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatternError {
    /// A placeholder without an end.
    #[error("a place opened by {{n has no }}")]
    Open,
    /// A width that is not useful.
    #[error(
        "the number of the client is written {{n}}, or {{n:8}} with as many digits: 1 to {WIDTH_MAX}, after 0x an even \
         number of them"
    )]
    Width,
    /// A character that is not a hexadecimal digit.
    #[error("'{0}' holds more than hexadecimal digits")]
    NotHexadecimal(String),
    /// Half a byte.
    #[error("'{0}' has an odd number of hexadecimal digits, and each byte has two")]
    OddDigits(String),
}

/// The maximum number of digits of a client's number: that of the largest number.
const WIDTH_MAX: usize = 20;

impl Pattern {
    /// Parses a value: text, or hexadecimal digits after `0x`, either with `{n}` or `{n:WIDTH}` for the number of the
    /// client. A width counts digits; in hexadecimal it is even, and eight if not given.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
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
            let (width, after) = place.split_once('}').ok_or(PatternError::Open)?;
            pieces.push(number(width, hex)?);
            rest = after;
        }
        Ok(Self { text: text.to_owned(), pieces })
    }

    /// The same bytes for every client.
    pub fn fixed(bytes: Vec<u8>) -> Self {
        let text = bytes.iter().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"));
        Self { text, pieces: vec![Piece::Literal(bytes)] }
    }

    /// The text from which it was parsed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether clients have different values.
    pub fn varies(&self) -> bool {
        self.pieces.iter().any(|piece| !matches!(piece, Piece::Literal(_)))
    }

    /// The maximum number of bytes for any client.
    pub fn longest(&self) -> usize {
        let longest = self.pieces.iter().map(|piece| match piece {
            Piece::Literal(bytes) => bytes.len(),
            Piece::Decimal(_) => WIDTH_MAX,
            Piece::Binary(width) => *width,
        });
        longest.sum()
    }

    /// Appends the value for a client.
    pub fn write(&self, client: u64, out: &mut Vec<u8>) {
        for piece in &self.pieces {
            match piece {
                Piece::Literal(bytes) => out.extend_from_slice(bytes),
                Piece::Decimal(width) => {
                    let mut room = [b'0'; WIDTH_MAX];
                    out.extend_from_slice(decimal(client, *width, &mut room));
                }
                Piece::Binary(width) => {
                    let bytes = u128::from(client).to_be_bytes();
                    out.extend_from_slice(&bytes[bytes.len() - width..]);
                }
            }
        }
    }

    /// The value for a client.
    pub fn value_of(&self, client: u64) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.longest());
        self.write(client, &mut out);
        out
    }
}

fn number(width: &str, hex: bool) -> Result<Piece, PatternError> {
    let width = match width.strip_prefix(':') {
        Some(width) => width.parse().ok().filter(|width| (1..=WIDTH_MAX).contains(width)),
        None if width.is_empty() => Some(if hex { 8 } else { 1 }),
        None => None,
    };
    match width {
        Some(width) if !hex => Ok(Piece::Decimal(width)),
        Some(width) if width % 2 == 0 => Ok(Piece::Binary(width / 2)),
        _ => Err(PatternError::Width),
    }
}

/// The bytes that the hexadecimal digits represent.
pub fn digits(text: &str) -> Result<Vec<u8>, PatternError> {
    let nibbles: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).and_then(|it| u8::try_from(it).ok())).collect();
    let nibbles = nibbles.ok_or_else(|| PatternError::NotHexadecimal(text.to_owned()))?;
    if nibbles.len() % 2 == 1 {
        return Err(PatternError::OddDigits(text.to_owned()));
    }
    Ok(nibbles.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// Writes a number at the end of the buffer, which contains only zeros.
fn decimal(mut number: u64, width: usize, room: &mut [u8; WIDTH_MAX]) -> &[u8] {
    let mut at = WIDTH_MAX;
    while number > 0 {
        at -= 1;
        room[at] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    &room[at.min(WIDTH_MAX - width)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(text: &str, client: u64) -> Vec<u8> {
        Pattern::parse(text).unwrap().value_of(client)
    }

    #[test]
    fn pattern_number_appears_at_every_place() {
        for client in [0, 7, 10, 4_294_967_295, u64::MAX] {
            for pattern in ["eth0/{n}", "{n}", "{n}{n}", "{n}-{x}-{n}", "none", ""] {
                let expected = pattern.replace("{n}", &client.to_string());
                assert_eq!(bytes_of(pattern, client), expected.as_bytes());
            }
        }
    }

    #[test]
    fn pattern_number_is_padded_as_requested() {
        assert_eq!(bytes_of("port-{n:4}/{n}", 7), b"port-0007/7");
        assert_eq!(bytes_of("{n:2}", 12345), b"12345");
        assert_eq!(bytes_of("{n:20}", 1), b"00000000000000000001");
        assert_eq!(bytes_of("0x0104{n}ff", 0x0102_0304), [1, 4, 1, 2, 3, 4, 255]);
        assert_eq!(bytes_of("0x{n:4}", 0x0102_0304), [3, 4]);
        assert_eq!(Pattern::fixed(vec![1, 255]).value_of(9), [1, 255]);
        assert_eq!(Pattern::fixed(vec![1, 255]).text(), "0x01ff");
        assert!(!Pattern::fixed(vec![1]).varies() && Pattern::parse("{n}").unwrap().varies());
    }

    #[test]
    fn pattern_longest_value_is_exact() {
        for text in ["a{n}b", "0x{n}", "0xff{n:20}", "{n:20}"] {
            let pattern = Pattern::parse(text).unwrap();
            for client in [0, u64::from(u32::MAX), u64::MAX] {
                assert!(pattern.value_of(client).len() <= pattern.longest(), "{text}");
            }
        }
        let longest = Pattern::parse("a{n}b{n}").unwrap().longest();
        assert_eq!(longest, bytes_of("a{n}b{n}", u64::MAX).len());
    }

    #[test]
    fn pattern_errors_are_refused() {
        for wrong in ["{n", "{n:}", "{n:0}", "{n:21}", "{nx}", "0x1", "0xgg", "0x{n:3}", "0x1{n}"] {
            assert!(Pattern::parse(wrong).is_err(), "{wrong}");
        }
    }
}
