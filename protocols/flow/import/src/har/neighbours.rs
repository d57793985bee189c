//! A regular expression that finds a part of a text by what is on both sides of it.

use regex_syntax::escape;
use std::ops::Range;

/// The longest text before the part that the expression contains.
const BEFORE_MAX: usize = 64;
/// The shortest, so that a reader understands the expression.
const BEFORE_MIN: usize = 4;

/// An expression whose first match in `text` has the part at `range` as its first group; none if no short one has.
pub(super) fn neighbours(text: &str, range: &Range<usize>) -> Option<String> {
    let (start, value) = (range.start, text.get(range.clone())?);
    let group = match text[range.end..].chars().next() {
        Some(after) if value.contains(after) => return None,
        Some(after) if after.is_ascii_whitespace() => r"(\S+)".to_owned(),
        Some(after @ ('^' | ']' | '\\' | '-' | '[' | '&' | '~')) => format!(r"([^\{after}]+)"),
        Some(after) => format!("([^{after}]+)"),
        None if value.contains(char::is_whitespace) => "(.+)$".to_owned(),
        None => r"(\S+)$".to_owned(),
    };
    if start == 0 {
        return Some(format!("^{group}"));
    }
    let at_most = |length: usize| {
        let from = start.saturating_sub(length);
        (from..start).find(|at| text.is_char_boundary(*at))
    };
    let mut length = BEFORE_MIN;
    while length <= BEFORE_MAX {
        let from = at_most(length)?;
        let before = &text[from..start];
        let begins_well = from == 0
            || !text[..from].ends_with(char::is_alphanumeric)
            || !before.starts_with(char::is_alphanumeric);
        if begins_well && text.find(before) == Some(from) {
            let more = text[..from].chars().next_back().filter(char::is_ascii_punctuation);
            let more = more.map(String::from).unwrap_or_default();
            return Some(format!("{}{group}", escape(&(more + before))));
        }
        if from == 0 {
            return None;
        }
        length += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str, part: &str) -> Option<String> {
        let at = text.find(part).unwrap();
        neighbours(text, &(at..at + part.len()))
    }

    #[test]
    fn expression_begins_with_a_whole_word() {
        for (text, part, expected) in [
            ("<sid>x7Kq92pL</sid>", "x7Kq92pL", Some("<sid>([^<]+)")),
            ("W/\"x7Kq\"", "x7Kq", Some("W/\"([^\"]+)")),
            ("/orders/17", "17", Some(r"/orders/(\S+)$")),
            ("token=x7Kq92pL next", "x7Kq92pL", Some(r"token=(\S+)")),
            ("x7Kq", "x7Kq", Some(r"^(\S+)$")),
        ] {
            assert_eq!(found(text, part).as_deref(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn expression_finds_the_part_it_was_made_for(
            text in "[a-c/=\"<>^\\]\\[ ä-]{0,40}", from in 0_usize..40, length in 1_usize..10,
        ) {
            let (from, to) = (from.min(text.len()), (from + length).min(text.len()));
            let cut = text.get(from..to).filter(|cut| !cut.is_empty());
            if let Some((cut, pattern)) = cut.zip(neighbours(&text, &(from..to))) {
                let expression = regex::Regex::new(&pattern).unwrap();
                let captures = expression.captures(&text);
                prop_assert_eq!(captures.map(|it| it[1].to_owned()), Some(cut.to_owned()), "{}", pattern);
            }
        }
    }
}
