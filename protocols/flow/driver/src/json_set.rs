//! [`JsonSet`]: JSON that came from an answer or another value, with some of its values replaced before it is sent.
//!
//! Everything else stays as it is, to the byte: members keep their order and numbers their digits. A server decides
//! what the JSON contains, so that the work is limited, as for the values of an answer.

use super::json::{Pointer, PointerError, is_empty, unread};
use super::jsonpath::{JsonPath, JsonPathError};
use super::unexamined::Unexamined;
use super::work::Work;
use brunt_feed::{Text, Unfilled, Values};
use serde_json::Value;
use std::fmt;
use std::ops::Range;

/// JSON, and what is replaced in it.
#[derive(Debug)]
pub struct JsonSet {
    /// The JSON.
    pub text: Text,
    /// The places, and the JSON text of the value for each.
    pub members: Vec<(JsonPlace, Text)>,
    /// Whether a place that does not exist is passed over, and not an error.
    pub skip: bool,
}

/// A place in JSON.
#[derive(Clone, Debug)]
pub enum JsonPlace {
    /// By JSON pointer.
    Pointer(Pointer),
    /// By `JSONPath`.
    Path(JsonPath),
}

/// Why a text is not a place in JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonPlaceError {
    /// It is not a JSON pointer.
    #[error(transparent)]
    Pointer(#[from] PointerError),
    /// It is not a `JSONPath`.
    #[error(transparent)]
    Path(#[from] JsonPathError),
}

/// Why a value cannot be replaced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetError {
    /// The JSON cannot be searched.
    #[error("the JSON to change cannot be searched: {0}")]
    Unexamined(#[from] Unexamined),
    /// There is no value.
    #[error("'{0}' leads to no value; set-missing = \"skip\" passes it over")]
    Missing(String),
    /// There are several values.
    #[error("'{0}' leads to {1} values, but must lead to one")]
    Several(String, usize),
    /// One value contains the other, or is the same.
    #[error("'{0}' and '{1}' lead to the same value, or one into the other")]
    Overlap(String, String),
}

/// Why there is no JSON to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unset {
    /// A text of the plan cannot be filled in.
    Unfilled(Unfilled),
    /// A value cannot be replaced.
    Wrong(SetError),
}

impl From<Unfilled> for Unset {
    fn from(unfilled: Unfilled) -> Self {
        Self::Unfilled(unfilled)
    }
}

impl JsonPlace {
    /// Reads a `JSONPath`, which begins with `$`, or a JSON pointer.
    pub fn parse(text: &str) -> Result<Self, JsonPlaceError> {
        if text.starts_with('$') {
            return Ok(Self::Path(JsonPath::parse(text)?));
        }
        Ok(Self::Pointer(Pointer::parse(text)?))
    }

    /// Where its only value is in the text; none if there is no value. `tree` is the parsed text.
    fn range(
        &self,
        body: &[u8],
        tree: Option<&Value>,
        work: &Work,
    ) -> Result<Option<Range<usize>>, SetError> {
        let found;
        let pointer = match (self, tree) {
            (Self::Pointer(pointer), _) => pointer,
            (Self::Path(_), None) => return Ok(None),
            (Self::Path(path), Some(tree)) => {
                let values = path.find(tree, work)?;
                let value = match values[..] {
                    [] => return Ok(None),
                    [value] => value,
                    _ => return Err(SetError::Several(self.to_string(), values.len())),
                };
                let mut tokens = Vec::new();
                locate(tree, value, &mut tokens, work)?;
                found = Pointer::from_tokens(tokens);
                &found
            }
        };
        work.read(body.len())?;
        Ok(pointer.find(body)?.map(|raw| {
            let start = raw.as_ptr().addr() - body.as_ptr().addr();
            start..start + raw.len()
        }))
    }
}

impl fmt::Display for JsonPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pointer(pointer) => pointer.fmt(f),
            Self::Path(path) => path.fmt(f),
        }
    }
}

impl JsonSet {
    /// Its texts.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        std::iter::once(&self.text).chain(self.members.iter().map(|(_, text)| text))
    }

    /// The JSON to send.
    pub fn filled(&self, values: &Values) -> Result<Vec<u8>, Unset> {
        let filled = |text: &Text| {
            let mut out = Vec::new();
            text.render(values, &mut out).map(|()| out)
        };
        let body = filled(&self.text)?;
        let members = self.members.iter().map(|(place, text)| Ok((place, filled(text)?)));
        let members: Vec<_> = members.collect::<Result<_, Unfilled>>()?;
        replaced(&body, &members, self.skip).map_err(Unset::Wrong)
    }
}

/// JSON with the value at each of these places replaced by other JSON.
pub fn replaced(
    body: &[u8],
    members: &[(&JsonPlace, Vec<u8>)],
    skip: bool,
) -> Result<Vec<u8>, SetError> {
    let work = Work::default();
    let by_path = members.iter().any(|(place, _)| matches!(place, JsonPlace::Path(_)));
    let tree = if by_path && !is_empty(body) {
        work.read(body.len())?;
        Some(serde_json::from_slice::<Value>(body).map_err(|error| unread(&error))?)
    } else {
        None
    };
    let mut changes: Vec<(Range<usize>, &JsonPlace, &[u8])> = Vec::new();
    for (place, value) in members {
        match place.range(body, tree.as_ref(), &work)? {
            Some(range) => changes.push((range, *place, value)),
            None if skip => {}
            None => return Err(SetError::Missing(place.to_string())),
        }
    }
    changes.sort_by_key(|(range, ..)| range.start);
    for both in changes.windows(2) {
        if let [(first, one, _), (second, other, _)] = both
            && second.start < first.end
        {
            return Err(SetError::Overlap(one.to_string(), other.to_string()));
        }
    }
    let (mut out, mut kept) = (Vec::with_capacity(body.len()), 0);
    for (range, _, value) in changes {
        out.extend_from_slice(&body[kept..range.start]);
        out.extend_from_slice(value);
        kept = range.end;
    }
    out.extend_from_slice(&body[kept..]);
    Ok(out)
}

/// The word in a place by which its value is a secret.
pub fn secret_word(place: &str) -> Option<&str> {
    let word = |c: char| c.is_alphanumeric() || "-_".contains(c);
    place.split(|c| !word(c)).find(|name| brunt_redact::is_secret_name(name))
}

/// Finds the way from the root to a value that is part of it. JSON is parsed to a depth of at most 127.
fn locate(
    root: &Value,
    wanted: &Value,
    tokens: &mut Vec<String>,
    work: &Work,
) -> Result<bool, Unexamined> {
    work.visit(1)?;
    if std::ptr::eq(root, wanted) {
        return Ok(true);
    }
    let mut below = |token: String, value: &Value| -> Result<bool, Unexamined> {
        tokens.push(token);
        let found = locate(value, wanted, tokens, work)?;
        if !found {
            tokens.pop();
        }
        Ok(found)
    };
    match root {
        Value::Array(list) => {
            for (at, value) in list.iter().enumerate() {
                if below(at.to_string(), value)? {
                    return Ok(true);
                }
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                if below(name.clone(), value)? {
                    return Ok(true);
                }
            }
        }
        _ => {}
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The body with these places set, each to a JSON text.
    fn set(body: &str, members: &[(&str, &str)], skip: bool) -> Result<String, String> {
        let places: Vec<JsonPlace> =
            members.iter().map(|(place, _)| JsonPlace::parse(place).unwrap()).collect();
        let values = members.iter().map(|(_, value)| value.as_bytes().to_vec());
        let members: Vec<_> = places.iter().zip(values).collect();
        let replaced = replaced(body.as_bytes(), &members, skip);
        replaced.map(|bytes| String::from_utf8(bytes).unwrap()).map_err(|error| error.to_string())
    }

    const CALLBACKS: &str = r#"{ "authId": "e\u0079J0", "n": 1.50e3, "callbacks": [
        {"type":"NameCallback","input":[{"name":"IDToken1","value":""}]},
        {"type":"PasswordCallback","input":[{"name":"IDToken2","value":""}]}], "big": 12345678901234567890123}"#;
    const NAME: &str = "$.callbacks[?@.type == 'NameCallback'].input[0].value";
    const PASSWORD: &str = "$.callbacks[?@.type == 'PasswordCallback'].input[0].value";

    #[test]
    fn values_are_replaced_and_the_rest_is_unchanged() {
        let filled = set(CALLBACKS, &[(PASSWORD, "\"p\\\"w\""), (NAME, "\"jo\"")], false).unwrap();
        let expected = CALLBACKS.replacen("\"value\":\"\"", "\"value\":\"jo\"", 1).replacen(
            "\"value\":\"\"",
            "\"value\":\"p\\\"w\"",
            1,
        );
        assert_eq!(filled, expected);
        assert_eq!(
            set("[1, 2 ,3]", &[("/1", "{}"), ("$[0]", "null")], false).unwrap(),
            "[null, {} ,3]"
        );
        assert_eq!(set(" 1 ", &[("", "[2]")], false).unwrap(), " [2] ");
        assert_eq!(set(" 1 ", &[("$", "[2]")], false).unwrap(), " [2] ");
        // The last of several members of one name counts, as for extractions.
        let twice = r#"{"a~/":1,"a~/":2}"#;
        assert_eq!(set(twice, &[("$['a~/']", "3")], false).unwrap(), r#"{"a~/":1,"a~/":3}"#);
    }

    #[test]
    fn place_must_match_exactly_one_value() {
        let message =
            |body: &str, members: &[(&str, &str)], skip| set(body, members, skip).unwrap_err();
        let missing = "'$.x' leads to no value; set-missing = \"skip\" passes it over";
        assert_eq!(message("{}", &[("$.x", "1")], false), missing);
        assert_eq!(set("{\"y\":0}", &[("$.x", "1"), ("/z", "1")], true).unwrap(), "{\"y\":0}");
        assert_eq!(set("", &[("$.x", "1")], true).unwrap(), "");
        assert!(message("[1,2]", &[("$[*]", "1")], true).contains("leads to 2 values"));
        for members in [[("$.a", "1"), ("$.a.b", "2")], [("/a/b", "1"), ("/a", "2")]] {
            assert!(message("{\"a\":{\"b\":0}}", &members, false).contains("one into the other"));
        }
        assert!(
            message("{\"a\":0}", &[("$.a", "1"), ("/a", "2")], false).contains("the same value")
        );
    }

    #[test]
    fn unsearchable_body_is_refused() {
        let message = |body: &str, place: &str| set(body, &[(place, "1")], true).unwrap_err();
        assert!(message("{", "$.a").contains("not JSON"));
        assert!(message("<a>", "/a").contains("not JSON"));
        let deep = ["[".repeat(1 << 20), "]".repeat(1 << 20)].concat();
        assert!(message(&deep, "$.a").contains("nested more than 127 deep"));
        let wide = format!("[{}0]", "0,".repeat(1 << 20));
        assert!(message(&wide, "$[?@ == 1 || @ == 2 || @ == 3]").contains("units of work"));
    }
}
