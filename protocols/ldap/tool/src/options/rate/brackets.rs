//! Finds UnboundID's value patterns where they are not asked for: `[1-1000]` would be sent as it is, and a directory
//! answers a search for `(uid=user.[1-1000])` with success and no entry.

/// What a pattern may begin with, apart from a range of numbers.
const KINDS: [&str; 7] =
    ["random:", "sequential:", "file:", "randomfile:", "sequentialfile:", "timestamp", "uuid]"];

/// The first pattern in the words of a command line. The arguments of `-g` have brackets of their own.
pub(super) fn pattern(words: &[String]) -> Option<&str> {
    let words = words.iter().filter(|word| !word.contains("randstr("));
    words.flat_map(|word| word.match_indices('[').map(move |(at, _)| &word[at..])).find_map(
        |from| {
            let pattern = &from[..=from.find(']')?];
            is_pattern(&pattern[1..]).then_some(pattern)
        },
    )
}

/// Whether the text between brackets in a filter or a DN is a pattern. An address has no place there, so two numbers
/// with a colon between them are a range.
pub(crate) fn is_range_or_kind(inner: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let sequence =
        inner.split(['x', '%']).next().and_then(|range| range.split_once(':')).is_some_and(
            |(from, to)| !from.is_empty() && !to.is_empty() && digits(from) && digits(to),
        );
    sequence || is_pattern(inner)
}

fn is_pattern(inner: &str) -> bool {
    let rest = inner.trim_start_matches(|c: char| c.is_ascii_digit());
    let range = rest.len() < inner.len()
        && rest
            .strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    range || KINDS.iter().any(|kind| inner.starts_with(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bracket_patterns_are_distinguished_from_other_brackets() {
        for (word, found) in [
            ("(uid=user.[1-1000])", Some("[1-1000]")),
            ("[0-99x2%03d]", Some("[0-99x2%03d]")),
            ("a[random:8:abc]b", Some("[random:8:abc]")),
            ("[uuid]", Some("[uuid]")),
            ("-g", None),
            ("randstr(8,[0-9])", None),
            ("[::1]:1389", None),
            ("(cn=[a-z])", None),
            ("[1-", None),
        ] {
            assert_eq!(pattern(&[word.to_owned()]), found, "{word}");
        }
    }
}
