//! The URLs of a command line: which scheme they have, and where fields of a query go.

use super::CurlError;
use crate::notation::without_holes;
use crate::percent_decoded;

/// A URL as it is sent: with a scheme, without a fragment.
pub(super) fn whole(url: &str, globoff: bool) -> Result<String, CurlError> {
    let wrong = |remedy| CurlError::Url { url: url.to_owned(), remedy };
    let url = url.split('#').next().unwrap_or(url);
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
        None if url.starts_with("${") => (String::new(), url),
        None => ("http".to_owned(), url),
    };
    if !matches!(scheme.as_str(), "" | "http" | "https") {
        return Err(wrong("its scheme must be http or https"));
    }
    if rest.is_empty() || rest.starts_with(['/', '?']) {
        return Err(wrong("it names no host"));
    }
    if rest.chars().any(|char| char.is_whitespace() || char.is_control()) {
        return Err(wrong("it has a space or a line break in it: write %20 for a space"));
    }
    if !globoff && is_pattern(rest) {
        return Err(wrong(
            "braces and brackets make many URLs of one: write one command for each, or -g if they mean themselves",
        ));
    }
    let authority = rest.split(['/', '?']).next().unwrap_or(rest);
    let path = &rest[authority.len()..];
    let slash = if path.starts_with('/') || scheme.is_empty() { "" } else { "/" };
    let prefix = if scheme.is_empty() { String::new() } else { format!("{scheme}://") };
    Ok(format!("{prefix}{authority}{slash}{path}"))
}

/// Whether cURL would make several URLs of it. Holes and addresses of IPv6 are no patterns.
fn is_pattern(rest: &str) -> bool {
    let without_holes = without_holes(rest);
    let path = match without_holes.strip_prefix('[') {
        Some(address) => address.split_once(']').map_or("", |(_, path)| path),
        None => &without_holes,
    };
    path.contains('{') || path.contains('[')
}

/// A URL with more of a query.
pub(super) fn with_query(url: &str, more: &str) -> String {
    if more.is_empty() {
        return url.to_owned();
    }
    let joint = match url.rsplit_once('?') {
        None => "?",
        Some((_, "")) => "",
        Some((_, query)) if query.ends_with('&') => "",
        Some(_) => "&",
    };
    format!("{url}{joint}{more}")
}

/// The user and password in a URL, and the URL without them.
pub(super) fn user(url: &str) -> (Option<(String, String)>, String) {
    let Some((scheme, rest)) = url.split_once("://") else { return (None, url.to_owned()) };
    let authority = rest.split(['/', '?']).next().unwrap_or(rest);
    let Some((user, host)) = authority.rsplit_once('@') else { return (None, url.to_owned()) };
    let path = &rest[authority.len()..];
    let (name, password) = user.split_once(':').unwrap_or((user, ""));
    (Some((percent_decoded(name), percent_decoded(password))), format!("{scheme}://{host}{path}"))
}

/// The path of a URL, for a name.
pub(super) fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').map_or("/", |at| &rest[at..]);
    path.split('?').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_gets_a_scheme_and_a_path() {
        for (given, expected) in [
            ("example.com", "http://example.com/"),
            ("HTTPS://h:1?a=b#c", "https://h:1/?a=b"),
            ("${BASE}/x", "${BASE}/x"),
            ("http://[::1]:80/a", "http://[::1]:80/a"),
            ("https://${HOST}/x", "https://${HOST}/x"),
        ] {
            assert_eq!(whole(given, false).unwrap(), expected);
        }
        for wrong in
            ["ftp://h/", "http:///x", "http://h/a b", "http://h/{a,b}", "http://h/[1-3]", ""]
        {
            assert!(whole(wrong, false).is_err(), "{wrong}");
        }
        assert_eq!(whole("http://h/[1]", true).unwrap(), "http://h/[1]");
    }

    #[test]
    fn url_query_and_user_are_found() {
        assert_eq!(with_query("http://h/", "a=1"), "http://h/?a=1");
        assert_eq!(with_query("http://h/?b=2", "a=1"), "http://h/?b=2&a=1");
        assert_eq!(with_query("http://h/?", "a=1"), "http://h/?a=1");
        let (who, url) = user("https://jo%40x:p%3aw@h:1/a@b");
        assert_eq!(who, Some(("jo@x".to_owned(), "p:w".to_owned())));
        assert_eq!(url, "https://h:1/a@b");
        assert_eq!(user("http://h/").0, None);
        assert_eq!((path("http://h/a/b?c"), path("http://h")), ("/a/b", "/"));
    }
}
