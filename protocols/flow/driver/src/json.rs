//! [`Pointer`]: a place in a JSON text, RFC 6901, found without building a tree.
//!
//! A run that keeps one token of each answer would spend most of its time on building trees. Instead the text is
//! scanned, and only the value that the pointer names is kept, exactly as in the text: a number keeps its digits. If
//! several members have the same name, the last counts, as in the tree that other extractions use.

use super::unexamined::Unexamined;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// Why a text is not a JSON pointer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PointerError {
    /// It begins with something else.
    #[error("a JSON pointer begins with a slash: write /{0}")]
    NoSlash(String),
    /// A tilde before something else than 0 or 1.
    #[error("the tilde in '{0}' is neither ~0, a tilde, nor ~1, a slash")]
    Tilde(String),
}

/// A place in a JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    tokens: Vec<String>,
}

impl Pointer {
    /// Parses `/a/0/b`, where `~1` means a slash and `~0` a tilde; an empty text means the whole value.
    pub fn parse(text: &str) -> Result<Self, PointerError> {
        if text.is_empty() {
            return Ok(Self { tokens: Vec::new() });
        }
        let rest = text.strip_prefix('/').ok_or_else(|| PointerError::NoSlash(text.to_owned()))?;
        let tokens = rest.split('/').map(|token| {
            let known = |rest: &str| rest.starts_with('0') || rest.starts_with('1');
            if token.split('~').skip(1).all(known) {
                Ok(token.replace("~1", "/").replace("~0", "~"))
            } else {
                Err(PointerError::Tilde(token.to_owned()))
            }
        });
        Ok(Self { tokens: tokens.collect::<Result<_, _>>()? })
    }

    /// The place that these names and numbers lead to.
    pub(super) fn from_tokens(tokens: Vec<String>) -> Self {
        Self { tokens }
    }

    /// The value at this place in the JSON text `body`, as it is written.
    pub(super) fn find<'a>(&self, body: &'a [u8]) -> Result<Option<&'a str>, Unexamined> {
        walk(body, &self.tokens, false)
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for token in &self.tokens {
            write!(f, "/{}", token.replace('~', "~0").replace('/', "~1"))?;
        }
        Ok(())
    }
}

/// The member `name` of the object in `body`, or of the first of the objects if `body` is an array.
pub(super) fn member<'a>(body: &'a [u8], name: &String) -> Result<Option<&'a str>, Unexamined> {
    walk(body, std::slice::from_ref(name), true)
}

/// The text of a JSON value as it is written; a string is without its quotes.
pub(super) fn unquoted(raw: &str) -> Cow<'_, str> {
    struct Unquote;
    impl<'de> Visitor<'de> for Unquote {
        type Value = Cow<'de, str>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }
        fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
            Ok(Cow::Borrowed(text))
        }
        fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Cow::Owned(text.to_owned()))
        }
    }
    if !raw.starts_with('"') {
        return Cow::Borrowed(raw);
    }
    let mut reader = serde_json::Deserializer::from_str(raw);
    serde::Deserializer::deserialize_str(&mut reader, Unquote).unwrap_or(Cow::Borrowed(raw))
}

/// Why a text could not be read as JSON.
pub(super) fn unread(error: &serde_json::Error) -> Unexamined {
    // The library distinguishes its own limits from invalid JSON only by its messages.
    let words = error.to_string();
    if words.starts_with("recursion limit") {
        Unexamined::Deep
    } else if words.starts_with("number out of range") {
        Unexamined::Number
    } else {
        Unexamined::NotJson { line: error.line(), column: error.column() }
    }
}

/// Whether a body is empty; in an empty body, every value is known to be missing.
pub(super) fn is_empty(body: &[u8]) -> bool {
    body.trim_ascii().is_empty()
}

fn walk<'a>(
    body: &'a [u8],
    tokens: &[String],
    into_first: bool,
) -> Result<Option<&'a str>, Unexamined> {
    if is_empty(body) {
        return Ok(None);
    }
    let mut reader = serde_json::Deserializer::from_slice(body);
    let found = PointerSearch { tokens, into_first }.deserialize(&mut reader);
    let found = found.and_then(|found| reader.end().map(|()| found));
    found.map(|found| found.map(RawValue::get)).map_err(|error| unread(&error))
}

/// A search in a JSON text, along a pointer.
#[derive(Clone, Copy)]
struct PointerSearch<'t> {
    tokens: &'t [String],
    /// Whether an array at the top means its first element.
    into_first: bool,
}

impl<'de> DeserializeSeed<'de> for PointerSearch<'_> {
    type Value = Option<&'de RawValue>;

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        if self.tokens.is_empty() {
            <&RawValue as serde::Deserialize>::deserialize(from).map(Some)
        } else {
            from.deserialize_any(self)
        }
    }
}

impl<'de> Visitor<'de> for PointerSearch<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        let Some((name, tokens)) = self.tokens.split_first() else { return Ok(None) };
        while let Some(named) = map.next_key_seed(Named(name))? {
            if named {
                found = map.next_value_seed(PointerSearch { tokens, into_first: false })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let Some((name, tokens)) = self.tokens.split_first() else { return Ok(None) };
        let (wanted, tokens) =
            if self.into_first { (Some(0), self.tokens) } else { (index(name), tokens) };
        let mut found = None;
        for at in 0.. {
            let more = if Some(at) == wanted {
                let below = list.next_element_seed(PointerSearch { tokens, into_first: false })?;
                found = below.flatten();
                below.is_some()
            } else {
                list.next_element::<IgnoredAny>()?.is_some()
            };
            if !more {
                break;
            }
        }
        Ok(found)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}

/// Whether a key is this one, without copying it.
struct Named<'t>(&'t str);

impl<'de> DeserializeSeed<'de> for Named<'_> {
    type Value = bool;

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<bool, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Named<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<bool, E> {
        Ok(name == self.0)
    }
}

/// The array index that a token names: digits, without a leading zero.
fn index(token: &str) -> Option<usize> {
    let plain = token.bytes().all(|byte| byte.is_ascii_digit());
    let padded = token.len() > 1 && token.starts_with('0');
    (plain && !padded).then(|| token.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn find<'a>(pointer: &str, body: &'a str) -> Option<Cow<'a, str>> {
        Pointer::parse(pointer).unwrap().find(body.as_bytes()).unwrap().map(unquoted)
    }

    #[test]
    fn pointer_examples_of_rfc_6901_are_found() {
        let body = r#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#;
        let cases = [
            ("", body),
            ("/foo", r#"["bar","baz"]"#),
            ("/foo/0", "bar"),
            ("/", "0"),
            ("/a~1b", "1"),
            ("/c%d", "2"),
            ("/e^f", "3"),
            ("/g|h", "4"),
            (r"/i\j", "5"),
            ("/k\"l", "6"),
            ("/ ", "7"),
            ("/m~0n", "8"),
        ];
        for (pointer, expected) in cases {
            assert_eq!(find(pointer, body).unwrap(), expected, "{pointer}");
            assert_eq!(Pointer::parse(pointer).unwrap().to_string(), pointer);
        }
        for nothing in ["/foo/2", "/foo/-", "/foo/00", "/foo/0/x", "/bar", "/foo/bar"] {
            assert_eq!(find(nothing, body), None, "{nothing}");
        }
    }

    #[test]
    fn pointer_values_keep_digits_and_lose_quotes() {
        let body = r#" {"n": 1.50e3, "big": 123456789012345678901234567890, "s": "a\u00fc\n\"", "z": null} "#;
        assert_eq!(find("/n", body).unwrap(), "1.50e3");
        assert_eq!(find("/big", body).unwrap(), "123456789012345678901234567890");
        assert_eq!(find("/s", body).unwrap(), "aü\n\"");
        assert_eq!(find("/z", body).unwrap(), "null");
    }

    #[test]
    fn member_is_found_at_any_depth_first_match() {
        let token = "tokenId".to_owned();
        let found = |body: &'static str| member(body.as_bytes(), &token).unwrap().map(unquoted);
        assert_eq!(found(r#"{"a":{"tokenId":"x"},"tokenId":"y"}"#).unwrap(), "y");
        assert_eq!(found(r#"[{"tokenId":"1"},{"tokenId":"2"}]"#).unwrap(), "1");
        assert_eq!((found("[]"), found("[7]"), found("\"tokenId\"")), (None, None, None));
    }

    #[test]
    fn pointer_in_invalid_json_is_unexamined() {
        let find = |pointer: &str, body: &str| {
            Pointer::parse(pointer).unwrap().find(body.as_bytes()).map(|found| found.is_some())
        };
        for body in ["{", "{\"a\":1", "{\"a\":1}x", "{\"a\":1,}", "nul"] {
            let message = find("/a", body);
            assert!(matches!(message, Err(Unexamined::NotJson { .. })), "{body}: {message:?}");
        }
        assert_eq!((find("/a", ""), find("", "\n ")), (Ok(false), Ok(false)));
        let deep = ["{\"a\":", &"[".repeat(1 << 20), &"]".repeat(1 << 20), "}"].concat();
        let pointer = format!("/a{}", "/0".repeat(300));
        assert_eq!(find(&pointer, &deep), Err(Unexamined::Deep));
        assert_eq!(find("/b", &deep), Ok(false));
        assert_eq!(find("/a/b", "{\"a\":1e999}"), Err(Unexamined::Number));
        assert_eq!(find("/b", "{\"a\":1e999}"), Ok(false));
    }

    #[test]
    fn pointer_errors_are_refused() {
        assert_eq!(Pointer::parse("a"), Err(PointerError::NoSlash("a".to_owned())));
        assert_eq!(Pointer::parse("/a~"), Err(PointerError::Tilde("a~".to_owned())));
        assert_eq!(Pointer::parse("/a~2"), Err(PointerError::Tilde("a~2".to_owned())));
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,4}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[ab/~\"]{0,2}", inner, 0..4)
                    .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
            ]
        })
    }

    proptest! {
        #[test]
        fn pointer_equals_serde_json(value in json(), tokens in prop::collection::vec("[ab01/~]{0,2}", 0..4)) {
            let pointer = Pointer { tokens }.to_string();
            let text = value.to_string();
            let found = Pointer::parse(&pointer).unwrap().find(text.as_bytes()).unwrap();
            let read = found.map(|raw| serde_json::from_str::<Value>(raw).unwrap());
            prop_assert_eq!(read.as_ref(), value.pointer(&pointer));
        }
    }
}
