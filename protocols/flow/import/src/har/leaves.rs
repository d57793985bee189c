//! The texts and numbers of a JSON document, each with its place in the text.

use std::fmt::Write as _;
use std::ops::Range;

/// The deepest document.
const DEPTH_MAX: usize = 128;
/// The longest pointer.
const POINTER_MAX: usize = 512;
/// The most leaves.
const LEAVES_MAX: usize = 200_000;

/// A text or a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// Where it is, as a JSON pointer.
    pub(super) pointer: String,
    /// The last name above it.
    pub(super) name: String,
    /// Where it is in the text, without quotes.
    pub(super) range: Range<usize>,
    /// Its value.
    pub(super) value: String,
}

/// The leaves of a document in order; none if the text is not JSON.
pub(super) fn leaves(text: &str) -> Option<Vec<Leaf>> {
    serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
    let mut walk = Walk { text, at: 0, pointer: String::new(), found: Vec::new() };
    walk.value("", 0)?;
    Some(walk.found)
}

/// A walk over a document that is known to be JSON.
struct Walk<'a> {
    text: &'a str,
    at: usize,
    pointer: String,
    found: Vec<Leaf>,
}

impl Walk<'_> {
    fn value(&mut self, name: &str, depth: usize) -> Option<()> {
        match self.next()? {
            b'{' => self.members(depth)?,
            b'[' => self.elements(name, depth)?,
            b'"' => {
                let range = self.string()?;
                let value = unescaped(&self.text[range.clone()]);
                self.keep(name, range, value);
            }
            _ => {
                let from = self.at;
                let rest = &self.text[from..];
                let end = rest.find([',', ']', '}', ' ', '\n', '\r', '\t']).unwrap_or(rest.len());
                self.at += end;
                let word = self.text[from..self.at].to_owned();
                if word.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
                    self.keep(name, from..self.at, word);
                }
            }
        }
        Some(())
    }

    fn members(&mut self, depth: usize) -> Option<()> {
        if depth >= DEPTH_MAX {
            return None;
        }
        self.at += 1;
        while self.next()? != b'}' {
            if self.next()? == b',' {
                self.at += 1;
                continue;
            }
            let key = self.string()?;
            let key = unescaped(&self.text[key]);
            self.next()?;
            self.at += 1;
            let length = self.pointer.len();
            self.pointer.push('/');
            self.pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
            self.value(&key, depth + 1)?;
            self.pointer.truncate(length);
        }
        self.at += 1;
        Some(())
    }

    fn elements(&mut self, name: &str, depth: usize) -> Option<()> {
        if depth >= DEPTH_MAX {
            return None;
        }
        self.at += 1;
        let mut number = 0;
        while self.next()? != b']' {
            if self.next()? == b',' {
                self.at += 1;
                continue;
            }
            let length = self.pointer.len();
            let _ = write!(self.pointer, "/{number}");
            self.value(name, depth + 1)?;
            self.pointer.truncate(length);
            number += 1;
        }
        self.at += 1;
        Some(())
    }

    fn keep(&mut self, name: &str, range: Range<usize>, value: String) {
        if self.found.len() < LEAVES_MAX && self.pointer.len() <= POINTER_MAX {
            let (pointer, name) = (self.pointer.clone(), name.to_owned());
            self.found.push(Leaf { pointer, name, range, value });
        }
    }

    /// The next byte that is no space.
    fn next(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at)?.is_ascii_whitespace() {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    /// The content of the text in quotes that begins here.
    fn string(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        let from = self.at + 1;
        let mut end = from;
        while *bytes.get(end)? != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        self.at = end + 1;
        Some(from..end)
    }
}

fn unescaped(inside: &str) -> String {
    if !inside.contains('\\') {
        return inside.to_owned();
    }
    serde_json::from_str(&["\"", inside, "\""].concat()).unwrap_or_else(|_| inside.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_leaves_have_pointers_and_offsets() {
        let text = r#" {"a/b" : [ {"id": 17, "n": null}, "x\"\u00e9", true ], "e": {}, "t": "v"} "#;
        let found = leaves(text).unwrap();
        let message: Vec<_> =
            found.iter().map(|it| (&*it.pointer, &*it.name, &*it.value)).collect();
        assert_eq!(
            message,
            [("/a~1b/0/id", "id", "17"), ("/a~1b/1", "a/b", "x\"\u{e9}"), ("/t", "t", "v")]
        );
        assert_eq!(&text[found[0].range.clone()], "17");
        assert_eq!(&text[found[2].range.clone()], "v");
        let document: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(document.pointer(&found[1].pointer).unwrap(), "x\"\u{e9}");
        for (none, count) in
            [("", None), ("{", None), ("[]", Some(0)), ("\"x\"", Some(1)), ("7", Some(1))]
        {
            assert_eq!(leaves(none).map(|it| it.len()), count, "{none}");
        }
        assert_eq!(leaves(&"[".repeat(100_000)), None);
        assert_eq!(leaves(&("[".repeat(1_000) + &"]".repeat(1_000))), None);
    }
}
