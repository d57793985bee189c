//! The character sets that `randstr` draws from, in the notation of the original tools.
//!
//! `[a-f]` means a range of code points, any other character means itself. It is a set: a character
//! that is named twice is no more likely. There is no escape character, so `[` always opens a
//! range.

/// Why a text is not a set of characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CharsetError {
    /// A bracket that opens no range.
    #[error("`[{0}` does not begin with a range such as `[a-z]`")]
    NoRange(String),
    /// A range whose end comes before its beginning.
    #[error("the range `[{0}-{1}]` runs backwards")]
    Backwards(char, char),
    /// No character.
    #[error("the set of characters is empty")]
    Empty,
}

/// Distinct characters, each equally likely to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Charset {
    // Encoded once, with the offset of each character, so that a draw only copies bytes.
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Charset {
    /// The set that `randstr(n)` draws from if it names no characters.
    pub(crate) const DEFAULT: &str = "[A-Z][a-z][0-9]";

    /// Parses the notation.
    pub(crate) fn parse(text: &str) -> Result<Self, CharsetError> {
        let mut chars = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            rest = &rest[first.len_utf8()..];
            if first != '[' {
                chars.push(first);
                continue;
            }
            let (range, after) =
                range(rest).ok_or_else(|| CharsetError::NoRange(rest.to_owned()))?;
            if range.is_empty() {
                return Err(CharsetError::Backwards(*range.start(), *range.end()));
            }
            chars.extend(range);
            rest = after;
        }
        Self::new(chars)
    }

    /// The set of `chars`, taken literally.
    pub(crate) fn new(mut chars: Vec<char>) -> Result<Self, CharsetError> {
        chars.sort_unstable();
        chars.dedup();
        if chars.is_empty() {
            return Err(CharsetError::Empty);
        }
        let mut set = Self { bytes: Vec::new(), ends: Vec::with_capacity(chars.len()) };
        for char in chars {
            set.bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
            set.ends.push(set.bytes.len() as u32);
        }
        Ok(set)
    }

    /// The number of the last character, counted from 0.
    pub(crate) fn last(&self) -> u64 {
        self.ends.len() as u64 - 1
    }

    /// The bytes of character `index`, in UTF-8.
    pub(crate) fn char(&self, index: u64) -> &[u8] {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.bytes[start..self.ends[index] as usize]
    }
}

fn range(text: &str) -> Option<(std::ops::RangeInclusive<char>, &str)> {
    let mut chars = text.chars();
    let first = chars.next()?;
    let dash = chars.next()?;
    let last = chars.next()?;
    let close = chars.next()?;
    (dash == '-' && close == ']').then_some((first..=last, chars.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> String {
        let set = Charset::parse(text).unwrap();
        (0..=set.last())
            .map(|index| std::str::from_utf8(set.char(index)).unwrap().to_owned())
            .collect()
    }

    #[test]
    fn charset_of_ranges_and_characters() {
        assert_eq!(chars("[0-9]abcdef"), "0123456789abcdef");
        assert_eq!(chars("aab[a-c]"), "abc");
        assert_eq!(chars("a,-]"), ",-]a");
        assert_eq!(chars("é[а-в]"), "éабв");
        assert_eq!(Charset::parse(Charset::DEFAULT).unwrap().last(), 61);
    }

    #[test]
    fn charset_range_errors_are_refused() {
        for text in ["[a-", "[abc]", "[", "[]"] {
            assert!(
                Charset::parse(text)
                    .unwrap_err()
                    .to_string()
                    .contains("does not begin with a range"),
                "{text}"
            );
        }
        assert!(Charset::parse("[z-a]").unwrap_err().to_string().contains("backwards"));
        assert!(Charset::parse("").unwrap_err().to_string().contains("empty"));
    }
}
