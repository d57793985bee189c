//! [`Pattern`]: a regular expression over bytes, of which one group is wanted.
//!
//! The engine beneath `regex` is used directly: its caller owns the memory for the bounds of groups, so a match
//! allocates nothing. Matching takes time linear in the text.

use regex_automata::Input;
use regex_automata::meta::{Config, Regex};
use regex_automata::util::syntax;
use std::fmt;
use std::ops::Range;

/// The most memory that an expression takes once it is compiled.
const SIZE_MAX: usize = 10 << 20;

/// The last group that can be wanted.
const GROUPS_MAX: usize = 31;

/// A regular expression, compiled.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    regex: Regex,
    group: usize,
}

impl Pattern {
    /// Compiles an expression of which this group is wanted, 0 being the whole match. The error says what is wrong.
    pub fn parse(text: &str, group: usize) -> Result<Self, String> {
        // Bodies need not be UTF-8.
        let bytes = syntax::Config::new().utf8(false);
        let config = Config::new().utf8_empty(false).nfa_size_limit(Some(SIZE_MAX));
        let regex = Regex::builder().syntax(bytes).configure(config).build(text);
        let regex = regex.map_err(|error| match error.syntax_error() {
            // What is drawn under the expression is no part of a sentence.
            Some(error) => error.to_string().lines().last().unwrap_or_default().trim().to_owned(),
            None => format!("it takes more than {SIZE_MAX} bytes once it is compiled"),
        })?;
        let groups = regex.captures_len() - 1;
        if group > groups {
            return Err(format!("it has {groups} groups, so there is no group {group}"));
        }
        if group > GROUPS_MAX {
            return Err(format!("it uses a group above {GROUPS_MAX}; write (?: for the others"));
        }
        Ok(Self { text: text.to_owned(), regex, group })
    }

    /// Where the wanted group of the first match lies.
    pub(super) fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        let mut slots = [None; 2 * (GROUPS_MAX + 1)];
        let slots = &mut slots[..2 * (self.group + 1)];
        self.regex.search_slots(&Input::new(text), slots)?;
        let [.., start, end] = slots else { return None };
        Some((*start)?.get()..(*end)?.get())
    }

    /// How often it is found.
    pub(super) fn count(&self, text: &[u8]) -> usize {
        self.regex.find_iter(text).count()
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(pattern: &str, group: usize, text: &'a [u8]) -> Option<&'a [u8]> {
        Pattern::parse(pattern, group).unwrap().find(text).map(|range| &text[range])
    }

    #[test]
    fn groups_are_found_wherever_they_stand() {
        let text = b"code=a.b&state=\xff5";
        assert_eq!(found("[&?]state=", 0, text), Some(&b"&state="[..]));
        assert_eq!(found("(code)=([^&]*)", 2, text), Some(&b"a.b"[..]));
        assert_eq!(found(r"(?-u:\xff)(\d)", 1, text), Some(&b"5"[..]));
        assert_eq!(found("(x)|(c)", 1, text), None);
        assert_eq!(found("", 0, text), Some(&b""[..]));
        assert_eq!(found("z", 0, text), None);
        let digits = Pattern::parse("[0-9]", 0).unwrap();
        assert_eq!((digits.count(b"1a23"), digits.count(b"abc")), (3, 0));
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        assert_eq!(Pattern::parse("(a", 0).unwrap_err(), "error: unclosed group");
        assert!(Pattern::parse("(a)", 2).unwrap_err().contains("1 groups"));
        assert!(Pattern::parse(&"(a)".repeat(40), 40).unwrap_err().contains("above 31"));
        assert!(Pattern::parse("(?:a{1000}){1000}", 0).unwrap_err().contains("bytes"));
    }

    #[test]
    fn time_does_not_explode() {
        let text = "a".repeat(30_000);
        assert_eq!(found("(a|aa)+$", 0, text.as_bytes()).map(<[u8]>::len), Some(30_000));
        assert_eq!(found("(a*)*b", 0, text.as_bytes()), None);
    }
}
