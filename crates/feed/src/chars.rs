//! [`Chars`]: random text of a fixed length, drawn from a set of characters.

use crate::arguments::LENGTH_MAX;
use crate::charset::{Charset, CharsetError};
use crate::stream::Draws;

/// Why there is no such random text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CharsError {
    /// It would be empty or too long.
    #[error("the length {0} is not between 1 and {LENGTH_MAX}")]
    Length(u32),
    /// There are no characters to draw from.
    #[error("{0}; write the characters as in `[a-f][0-9]_`")]
    Set(#[from] CharsetError),
}

/// Random text: a fixed number of characters from a set, each equally likely.
#[derive(Clone, Debug)]
pub struct Chars {
    set: Charset,
    length: u32,
}

impl Chars {
    /// The characters used if none are given: letters and digits of ASCII.
    pub const DEFAULT: &str = Charset::DEFAULT;

    /// Text of `length` characters from those in `notation`: `[a-f]` means a range, any other character means itself.
    pub fn parse(notation: &str, length: u32) -> Result<Self, CharsError> {
        if !(1..=LENGTH_MAX).contains(&length) {
            return Err(CharsError::Length(length));
        }
        Ok(Self { set: Charset::parse(notation)?, length })
    }

    /// Appends text made from the next draws.
    pub fn write(&self, draws: &mut Draws, out: &mut Vec<u8>) {
        for _ in 0..self.length {
            out.extend_from_slice(self.set.char(draws.up_to(self.set.last())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    #[test]
    fn random_text_has_its_set_and_length() {
        let chars = Chars::parse("[a-c]ü", 400).unwrap();
        let mut out = Vec::new();
        chars.write(&mut Stream::new(1, 2).at(3), &mut out);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.chars().count(), 400);
        for char in "abcü".chars() {
            // Each of the four is expected 100 times with a deviation of 8.7.
            let count = text.chars().filter(|drawn| *drawn == char).count();
            assert!((60..140).contains(&count), "{char}: {count}");
        }
    }

    #[test]
    fn random_text_errors_are_refused() {
        assert!(Chars::parse("", 3).unwrap_err().to_string().contains("empty"));
        assert!(Chars::parse("[z-a]", 3).unwrap_err().to_string().contains("backwards"));
        assert!(Chars::parse("a", 0).unwrap_err().to_string().contains("between 1"));
    }
}
