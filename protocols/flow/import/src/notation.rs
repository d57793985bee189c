//! The text notation of plans: `${name}` is a hole, and `$${` represents `${`. A value is encoded as its place
//! requires, for example percent-encoded in a URL; `${name|raw}` and `${name|form}` select another encoding.
//!
//! All imported text is kept in this notation from the moment it is read, so that a variable of a shell and a replaced
//! secret are holes like any other, while a dollar sign and a brace that happened to be adjacent are not.

use std::path::{Path, PathBuf};

/// Text without holes, escaped so that it is literal.
pub fn literal(text: &str) -> String {
    text.replace("${", "$${")
}

/// The name of a file without holes, escaped so that it is literal.
pub fn literal_path(path: &Path) -> PathBuf {
    path.to_str().map_or_else(|| path.to_owned(), |text| literal(text).into())
}

/// A hole. A dollar sign cannot precede one immediately, since that would escape it.
pub(crate) fn hole(name: &str) -> String {
    format!("${{{name}}}")
}

/// Where the first hole of a text begins and ends.
fn next_hole(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find("${")?;
        if !text[..at].ends_with('$') {
            return text[at..].find('}').map(|end| (at, at + end + 1));
        }
        from = at + 2;
    }
}

/// Whether there is a hole in it.
pub fn has_holes(text: &str) -> bool {
    next_hole(text).is_some()
}

/// The text that a notation without holes represents; none if there are holes.
pub fn meaning(text: &str) -> Option<String> {
    (!has_holes(text)).then(|| text.replace("$${", "${"))
}

/// The text with each hole filled by the value that `value` returns for its name; none if a hole has no value.
pub fn filled(text: &str, value: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((from, to)) = next_hole(rest) {
        out.push_str(&rest[..from].replace("$${", "${"));
        let name = &rest[from + 2..to - 1];
        let name = name.split('|').next().unwrap_or(name);
        out.push_str(&value(name)?);
        rest = &rest[to..];
    }
    out.push_str(&rest.replace("$${", "${"));
    Some(out)
}

/// The text with its holes unencoded in any place, unless they select an encoding.
pub(crate) fn raw(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((from, to)) = next_hole(rest) {
        out.push_str(&rest[..to - 1]);
        out.push_str(if rest[from..to].contains('|') { "}" } else { "|raw}" });
        rest = &rest[to..];
    }
    out + rest
}

/// The text with what is outside of its holes changed.
pub(crate) fn outside(text: &str, change: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((from, to)) = next_hole(rest) {
        out.push_str(&change(&rest[..from].replace("$${", "${")));
        out.push_str(&rest[from..to]);
        rest = &rest[to..];
    }
    out + &change(&rest.replace("$${", "${"))
}

/// The text with its holes empty.
pub(crate) fn without_holes(text: &str) -> String {
    filled(text, |_| Some(String::new())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notation_distinguishes_text_from_holes() {
        for (text, written) in [("a", "a"), ("${x}", "$${x}"), ("$${x", "$$${x"), ("$x", "$x")] {
            assert_eq!(literal(text), written);
            assert_eq!(meaning(written).as_deref(), Some(text));
        }
        assert!(has_holes(&format!("a{}b", hole("x"))));
        assert_eq!(meaning("$${a} ${b}"), None);
        let known = |name: &str| (name == "b").then(|| "${}".to_owned());
        assert_eq!(filled("$${a} ${b}-${b}", known).as_deref(), Some("${a} ${}-${}"));
        assert_eq!(filled("${b}${c}", known), None);
        assert!(!has_holes("${open"));
        assert_eq!(raw("$${a}/${b}?${c}"), "$${a}/${b|raw}?${c|raw}");
        assert_eq!(filled("${b|raw}", known).as_deref(), Some("${}"));
    }
}
