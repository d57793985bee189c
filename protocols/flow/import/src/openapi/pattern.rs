//! A text that a pattern matches: approximately the shortest one.
//!
//! Patterns of OpenAPI are those of ECMAScript, which agree with those of the `regex` crates in common cases; where
//! they differ, there is no text.

use regex_syntax::hir::{Class, Hir, HirKind};

/// The greatest length of a generated text.
const LONGEST: usize = 1_000;

/// A text that the pattern matches.
pub(super) fn sample(pattern: &str) -> Option<String> {
    let mut parser = regex_syntax::ParserBuilder::new().nest_limit(50).build();
    let tree = parser.parse(pattern).ok()?;
    let mut out = String::new();
    write(&tree, &mut out)?;
    Some(out)
}

fn write(tree: &Hir, out: &mut String) -> Option<()> {
    match tree.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => out.push(char_of(class)?),
        HirKind::Repetition(repetition) => {
            for _ in 0..repetition.min {
                write(&repetition.sub, out)?;
                if out.len() > LONGEST {
                    return None;
                }
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, out)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, out))?,
        HirKind::Alternation(parts) => write(parts.first()?, out)?,
    }
    (out.len() <= LONGEST).then_some(())
}

/// A character of a class: a letter or digit if it contains one.
fn char_of(class: &Class) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => {
            class.ranges().iter().map(|range| (range.start(), range.end())).collect()
        }
        Class::Bytes(class) => {
            let ascii = class.ranges().iter().filter(|range| range.end() < 128);
            ascii.map(|range| (char::from(range.start()), char::from(range.end()))).collect()
        }
    };
    let within = |char: &char| ranges.iter().any(|(from, to)| (from..=to).contains(&char));
    let friendly = ('a'..='z').chain('A'..='Z').chain('1'..='9').chain(['0']).chain('!'..='~');
    friendly.into_iter().find(within).or_else(|| ranges.first().map(|(from, _)| *from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_sample_matches_its_pattern() {
        for (pattern, expected) in [
            ("^[A-Z]{2}\\d{4}$", "AA1111"),
            ("^(foo|bar)-[^a-z]+$", "foo-A"),
            ("a*b?c", "c"),
            ("\\+1", "+1"),
            ("", ""),
        ] {
            assert_eq!(sample(pattern).as_deref(), Some(expected), "{pattern}");
        }
        assert_eq!(sample("(?=x)y"), None);
        assert_eq!(sample("((a{1000}){1000}){1000}"), None);
        assert_eq!(sample("((){1000}){1000}").as_deref(), Some(""));
    }
}
