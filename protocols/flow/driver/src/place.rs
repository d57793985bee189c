//! Places that URLs name: where an answer must come from, and the parameters of a URL.

use std::borrow::Cow;

/// Whether a URL is at a place: a path, in which `*` is any text, or a whole URL without its query.
pub(super) fn is_at(url: &[u8], place: &[u8]) -> bool {
    let end = url.iter().position(|byte| matches!(byte, b'?' | b'#')).unwrap_or(url.len());
    let url = &url[..end];
    let whole = memchr::memmem::find(place, b"://").is_some();
    matches(if whole { url } else { path(url) }, place)
}

/// The path of a URL without a query.
pub(super) fn path(url: &[u8]) -> &[u8] {
    let end = url.iter().position(|byte| matches!(byte, b'?' | b'#')).unwrap_or(url.len());
    let url = &url[..end];
    let after = memchr::memmem::find(url, b"://").map_or(0, |at| at + 3);
    let start = url[after..].iter().position(|byte| *byte == b'/');
    start.map_or(b"/", |start| &url[after + start..])
}

/// Whether a text is one of those that a pattern means, in which `*` is any text.
fn matches(text: &[u8], pattern: &[u8]) -> bool {
    let mut parts = pattern.split(|byte| *byte == b'*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match memchr::memmem::find(rest, part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The value of a parameter of a URL, decoded: of its query, else of its fragment.
pub(super) fn parameter(url: &[u8], name: &str) -> Option<Vec<u8>> {
    let (before, fragment) = split(url, b'#');
    let (_, query) = split(before, b'?');
    // A fragment may have a path of its own.
    let (own, nested) = split(fragment, b'?');
    [query, own, nested].into_iter().find_map(|pairs| find(pairs, name))
}

fn find(pairs: &[u8], name: &str) -> Option<Vec<u8>> {
    pairs.split(|byte| *byte == b'&').find_map(|pair| {
        let (key, value) = split(pair, b'=');
        (!pair.is_empty() && *decoded(key) == *name.as_bytes()).then(|| decoded(value).into_owned())
    })
}

fn split(text: &[u8], at: u8) -> (&[u8], &[u8]) {
    match memchr::memchr(at, text) {
        Some(found) => (&text[..found], &text[found + 1..]),
        None => (text, b""),
    }
}

fn decoded(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'+') {
        return percent_encoding::percent_decode(text).into();
    }
    let spaced: Vec<u8> =
        text.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    Cow::Owned(percent_encoding::percent_decode(&spaced).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_matches_paths_and_urls_with_wildcards() {
        for (place, there, not) in [
            ("/", "http://h/?a", "http://h/a"),
            ("/", "http://h", "http://h/a"),
            ("/a", "http://h:1/a?b=/c#d", "http://h/a/"),
            ("/a/*", "http://h/a/b/c", "http://h/a"),
            ("*/auth", "http://h/x/auth?y", "http://h/auth/x"),
            ("/a*b*c", "http://h/a1b2c", "http://h/abd"),
            ("/ab*ba", "http://h/abba", "http://h/aba"),
            ("https://h/cb", "https://h/cb?code=1", "http://h/cb"),
            ("*", "http://h/any", "\u{0}"),
        ] {
            assert!(is_at(there.as_bytes(), place.as_bytes()), "{place} {there}");
            assert!(not == "\0" || !is_at(not.as_bytes(), place.as_bytes()), "{place} {not}");
        }
    }

    #[test]
    fn parameters_are_found_in_query_and_fragment() {
        let found = |url: &str, name: &str| {
            parameter(url.as_bytes(), name).map(|value| String::from_utf8(value).unwrap())
        };
        let url = "https://h/cb?state=a%20b+c&code=x%2By&empty&twice=1&twice=2#id=3";
        assert_eq!(found(url, "state").unwrap(), "a b c");
        assert_eq!(found(url, "code").unwrap(), "x+y");
        assert_eq!(found(url, "empty").unwrap(), "");
        assert_eq!(found(url, "twice").unwrap(), "1");
        assert_eq!(found(url, "id").unwrap(), "3");
        assert_eq!(found(url, ""), None);
        assert_eq!(found("/cb#code=1", "code").unwrap(), "1");
        assert_eq!(found("/#/cb?code=1", "code").unwrap(), "1");
        assert_eq!(found("/cb", "code"), None);
    }
}
