//! [`Extract`]: what is kept of an answer, and where it is found.
//!
//! A place in an answer is a [`Location`], compiled once; checks use the same places. If an answer has no value at the
//! place, the variable loses its value too, so that no step sends a value from an earlier iteration.

use super::json::{self, Pointer};
use super::jsonpath::JsonPath;
use super::pattern::Pattern;
use super::reply::Parsed;
use super::unexamined::Unexamined;
use super::work::Work;
use super::xpath::XPath;
use brunt_feed::{Hole, Values};
use brunt_http_driver::response::Wanted;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// The minimum number of bytes at which an extracted value is treated as a secret, such as a token, and is not shown.
const TOKEN_LEAST: usize = 12;

/// What is kept of an answer.
#[derive(Clone, Debug)]
pub struct Extract {
    /// Where it is found.
    pub from: Location,
    /// The variable that gets the value.
    pub into: Hole,
    /// What happens to the variable if the answer does not contain the value.
    pub missing: Missing,
}

/// What happens to a variable if the answer does not contain its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// It loses its value.
    #[default]
    Unset,
    /// It keeps its previous value.
    Keep,
    /// It gets this value.
    Value(Vec<u8>),
    /// The step fails.
    Fail,
}

/// A place in an answer where a value is found.
#[derive(Clone, Debug)]
pub enum Location {
    /// An HTTP header field, an LDAP attribute or a DHCP option, by its name, ignoring case.
    Field(String),
    /// A cookie that the answer sets.
    Cookie(String),
    /// The protocol's own code.
    Code,
    /// The whole body.
    Body,
    /// A place in a JSON body.
    Pointer(Pointer),
    /// A path through a JSON body, RFC 9535: the first of the values it leads to. The members of an object are visited
    /// in the order of their names.
    Path(JsonPath),
    /// A member of the JSON object in the body, or of the first object if the body is a list of objects.
    Member(String),
    /// A value in an XML body, by XPath 1.0: for nodes, the text of the first.
    XPath(XPath),
    /// The part of a value that a regular expression matches.
    Pattern {
        /// The value.
        of: Box<Self>,
        /// The expression, and the group to use.
        pattern: Pattern,
    },
}

/// An invalid place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read the {kind} '{text}': {problem}")]
pub struct LocationError {
    /// The kind of place it should have been.
    pub kind: &'static str,
    /// The text of the place.
    pub text: String,
    /// What is wrong with it and what would be correct.
    pub problem: String,
}

/// A value that was found.
#[derive(Clone, Debug)]
pub(super) enum Found<'a> {
    /// Bytes as received.
    Bytes(Cow<'a, [u8]>),
    /// The beginning of a body that was only partly kept.
    Beginning(&'a [u8]),
    /// JSON as it was received.
    Raw(&'a str),
    /// JSON, parsed.
    Json(&'a Value),
}

impl Found<'_> {
    /// The value as text: a string of JSON without its quotes.
    pub(super) fn text(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Bytes(bytes) => Cow::Borrowed(bytes),
            Self::Beginning(bytes) => Cow::Borrowed(*bytes),
            Self::Raw(raw) => match json::unquoted(raw) {
                Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                Cow::Owned(text) => Cow::Owned(text.into_bytes()),
            },
            Self::Json(Value::String(text)) => Cow::Borrowed(text.as_bytes()),
            Self::Json(value) => Cow::Owned(value.to_string().into_bytes()),
        }
    }

    /// The value as JSON, if it is JSON.
    pub(super) fn json(&self) -> Result<Option<Cow<'_, Value>>, Unexamined> {
        let read = match self {
            Self::Bytes(bytes) => serde_json::from_slice(bytes),
            Self::Beginning(_) => return Err(Unexamined::Truncated),
            Self::Raw(raw) => serde_json::from_str(raw),
            Self::Json(value) => return Ok(Some(Cow::Borrowed(*value))),
        };
        match read {
            Ok(value) => Ok(Some(Cow::Owned(value))),
            Err(error) => match json::unread(&error) {
                Unexamined::NotJson { .. } => Ok(None),
                other => Err(other),
            },
        }
    }

    /// The text of a value that was kept completely.
    fn whole(&self) -> Result<Cow<'_, [u8]>, Unexamined> {
        match self {
            Self::Beginning(_) => Err(Unexamined::Truncated),
            other => Ok(other.text()),
        }
    }

    /// Whether it is JSON's null.
    fn is_null(&self) -> bool {
        matches!(self, Self::Raw("null") | Self::Json(Value::Null))
    }
}

impl Extract {
    /// Finds the value and keeps it. Returns false if the answer does not contain a value that must be there. JSON's
    /// null is not a value, and an answer in a different form than the plan expects has no value. If it cannot be
    /// determined whether there is a value, the variable loses its value.
    pub fn keep(&self, parsed: &Parsed<'_>, values: &mut Values) -> Result<bool, Unexamined> {
        let found = match self.from.find(parsed) {
            Err(why) if why.is_other_form() && self.missing != Missing::Fail => Ok(None),
            found => found,
        };
        let found = found.and_then(|found| {
            let found = found.filter(|found| !found.is_null());
            let Some(found) = found else { return Ok(false) };
            let text = found.whole()?;
            values.set(self.into, &text);
            values.hide(self.into, text.len() >= TOKEN_LEAST);
            Ok(true)
        });
        match found {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(why) => {
                values.unset(self.into);
                return Err(why);
            }
        }
        match &self.missing {
            Missing::Keep => {}
            Missing::Value(value) => values.set(self.into, value),
            Missing::Unset | Missing::Fail => values.unset(self.into),
        }
        Ok(self.missing != Missing::Fail)
    }

    /// The parts of an answer that it needs.
    pub fn wants(&self) -> Wanted {
        self.from.wants()
    }

    /// The error text for an answer that does not contain the value.
    pub fn words(&self) -> String {
        format!("the answer does not contain {}", self.from)
    }
}

impl fmt::Display for Extract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.from.fmt(f)
    }
}

impl Location {
    /// Creates a place in a JSON body, RFC 6901: `/user/0/name`.
    pub fn pointer(text: &str) -> Result<Self, LocationError> {
        let pointer = Pointer::parse(text);
        pointer.map(Self::Pointer).map_err(|problem| wrong("JSON pointer", text, problem))
    }

    /// Creates a path through a JSON body, RFC 9535: `$.users[?@.mail].name`.
    pub fn path(text: &str) -> Result<Self, LocationError> {
        let path = JsonPath::parse(text);
        path.map(Self::Path).map_err(|problem| wrong("JSONPath", text, problem))
    }

    /// Creates a place in an XML body: `//Attribute[@Name='mail']/Value`. A name without a prefix means this name in
    /// any namespace.
    pub fn xpath(text: &str) -> Result<Self, LocationError> {
        XPath::parse(text).map(Self::XPath).map_err(|problem| wrong("XPath", text, problem))
    }

    /// Creates the place of the part of the body that a regular expression matches.
    pub fn pattern(text: &str, group: usize) -> Result<Self, LocationError> {
        Self::Body.narrowed(text, group)
    }

    /// Narrows this place to the part of its value that a regular expression matches.
    pub fn narrowed(self, text: &str, group: usize) -> Result<Self, LocationError> {
        let pattern = Pattern::parse(text, group);
        let pattern = pattern.map_err(|problem| wrong("regular expression", text, problem))?;
        Ok(Self::Pattern { of: Box::new(self), pattern })
    }

    /// The parts of an answer that it needs.
    pub fn wants(&self) -> Wanted {
        match self {
            Self::Code => Wanted::default(),
            Self::Field(_) | Self::Cookie(_) => Wanted { fields: true, ..Wanted::default() },
            Self::Body | Self::Pointer(_) | Self::Path(_) | Self::Member(_) | Self::XPath(_) => {
                Wanted { body: true, ..Wanted::default() }
            }
            Self::Pattern { of, .. } => of.wants(),
        }
    }

    /// The value, if the answer contains it.
    pub(super) fn find<'p>(&self, parsed: &'p Parsed<'_>) -> Result<Option<Found<'p>>, Unexamined> {
        let (reply, work) = (parsed.reply(), parsed.work());
        let bytes = |bytes: &'p [u8]| Found::Bytes(Cow::Borrowed(bytes));
        Ok(match self {
            Self::Field(name) => reply.value(name).map(bytes),
            Self::Cookie(name) => reply.cookie(name).map(bytes),
            Self::Code => Some(Found::Bytes(Cow::Owned(reply.code().to_string().into_bytes()))),
            Self::Body if reply.is_truncated() => Some(Found::Beginning(reply.body())),
            Self::Body => Some(bytes(reply.body())),
            Self::Pointer(pointer) => pointer.find(parsed.whole()?)?.map(Found::Raw),
            Self::Path(path) => match parsed.json()? {
                Some(json) => path.find(json, work)?.first().copied().map(Found::Json),
                None => None,
            },
            Self::Member(name) => json::member(parsed.whole()?, name)?.map(Found::Raw),
            Self::XPath(path) => match parsed.xml()? {
                Some(xml) => path.find(xml, work)?,
                None => None,
            }
            .map(|text| Found::Bytes(Cow::Owned(text.into_bytes()))),
            Self::Pattern { of, pattern } => match of.find(parsed)? {
                Some(found) => narrow(&found, pattern, work)?,
                None => None,
            },
        })
    }

    /// How many values the answer has there: those that a path leads to, fields with the name, matches.
    pub(super) fn count(&self, parsed: &Parsed<'_>) -> Result<Count, Unexamined> {
        let work = parsed.work();
        let counted = match self {
            Self::Field(name) => parsed.reply().count(name),
            Self::Path(path) => match parsed.json()? {
                Some(json) => path.find(json, work)?.len(),
                None => 0,
            },
            Self::XPath(path) => match parsed.xml()? {
                Some(xml) => path.count(xml, work)?,
                None => 0,
            },
            Self::Pattern { of, pattern } => match of.find(parsed)? {
                Some(Found::Beginning(bytes)) => {
                    return Ok(Count { least: pattern.count(bytes, work)? as u64, whole: false });
                }
                Some(found) => pattern.count(&found.text(), work)?,
                None => 0,
            },
            // For a list, its elements; for anything else, the value itself.
            Self::Pointer(_) | Self::Member(_) => match self.find(parsed)? {
                None => 0,
                Some(found) => match found.json()?.as_deref() {
                    Some(Value::Array(list)) => list.len(),
                    _ => 1,
                },
            },
            Self::Cookie(_) | Self::Code | Self::Body => self.find(parsed)?.iter().count(),
        };
        Ok(Count { least: counted as u64, whole: true })
    }
}

/// How many values there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    /// The minimum.
    pub(super) least: u64,
    /// Whether this is the exact number, because everything was examined.
    pub(super) whole: bool,
}

/// The part of a value that a pattern matches. It is borrowed if the value is.
fn narrow<'p>(
    found: &Found<'p>,
    pattern: &Pattern,
    work: &Work,
) -> Result<Option<Found<'p>>, Unexamined> {
    Ok(match found {
        Found::Bytes(Cow::Borrowed(bytes)) => {
            pattern.find(bytes, work)?.map(|at| Found::Bytes(Cow::Borrowed(&bytes[at.group])))
        }
        Found::Beginning(bytes) => match pattern.find(bytes, work)? {
            // A match that ends before the end of the known bytes would also be found in the complete value.
            Some(at) if at.whole.end < bytes.len() => {
                Some(Found::Bytes(Cow::Borrowed(&bytes[at.group])))
            }
            _ => return Err(Unexamined::Truncated),
        },
        other => {
            let text = other.text();
            let at = pattern.find(&text, work)?;
            at.map(|at| Found::Bytes(Cow::Owned(text[at.group].to_vec())))
        }
    })
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, "the field '{name}'"),
            Self::Cookie(name) => write!(f, "the cookie '{name}'"),
            Self::Code => f.write_str("the code"),
            Self::Body => f.write_str("the body"),
            Self::Pointer(pointer) => write!(f, "the JSON value at '{pointer}'"),
            Self::Path(path) => write!(f, "the JSON value at '{path}'"),
            Self::Member(name) => write!(f, "the JSON member '{name}'"),
            Self::XPath(path) => write!(f, "the XML value at '{path}'"),
            Self::Pattern { of, pattern } => write!(f, "'{pattern}' in {of}"),
        }
    }
}

fn wrong(kind: &'static str, text: &str, problem: String) -> LocationError {
    LocationError { kind, text: text.to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reply;
    use brunt_http_driver::Response;
    use proptest::prelude::*;

    const STORE: &str = r#"{"store":{"book":[
        {"category":"reference","author":"Nigel Rees","title":"Sayings of the Century","price":8.95},
        {"category":"fiction","author":"Evelyn Waugh","title":"Sword of Honour","price":12.99},
        {"category":"fiction","author":"Herman Melville","title":"Moby Dick","isbn":"0-553-21311-3","price":8.99},
        {"category":"fiction","author":"J. R. R. Tolkien","title":"The Lord of the Rings",
         "isbn":"0-395-19395-8","price":22.99}],
        "bicycle":{"color":"red","price":399}}}"#;

    fn found(from: &Location, response: &Response) -> Option<String> {
        let parsed = Parsed::new(Reply::Http(response));
        let found = from.find(&parsed).ok()?;
        found.map(|found| String::from_utf8(found.text().into_owned()).unwrap())
    }

    fn count(from: &Location, parsed: &Parsed<'_>) -> u64 {
        from.count(parsed).unwrap().least
    }

    #[test]
    fn the_examples_of_rfc_9535_hold() {
        let response = Response::sample(200, &[], STORE.as_bytes());
        let parsed = Parsed::new(Reply::Http(&response));
        // The first value and the number of values, of table 2 in section 1.5.
        let cases = [
            ("$.store.book[*].author", "Nigel Rees", 4),
            ("$..author", "Nigel Rees", 4),
            ("$.store.book..price", "8.95", 4),
            ("$..book[2].author", "Herman Melville", 1),
            ("$..book[-1].title", "The Lord of the Rings", 1),
            ("$..book[0,1].title", "Sayings of the Century", 2),
            ("$..book[?@.isbn].title", "Moby Dick", 2),
            ("$..book[?@.price<10].title", "Sayings of the Century", 2),
            ("$..book[?match(@.author, 'J.*')].price", "22.99", 1),
        ];
        for (path, first, all) in cases {
            let from = Location::path(path).unwrap();
            let text = from.find(&parsed).unwrap().map(|found| found.text().into_owned());
            assert_eq!(
                (text.as_deref(), count(&from, &parsed)),
                (Some(first.as_bytes()), all),
                "{path}"
            );
        }
        let nothing = Location::path("$..book[2].publisher").unwrap();
        assert_eq!((found(&nothing, &response), count(&nothing, &parsed)), (None, 0));
    }

    #[test]
    fn values_are_found_wherever_they_stand() {
        let fields = [
            ("Location", "https://rp/cb?code=a.b&state=5"),
            ("Set-Cookie", "sid=xyz; Secure"),
            ("X-Count", "1"),
            ("x-count", "2"),
        ];
        let body = r#"{"tokenId":"AQIC5*","n":{"list":[1,{"x":2}]},"none":null}"#;
        let response = Response::sample(302, &fields, body.as_bytes());
        let pattern = |text, group| Location::pattern(text, group).unwrap();
        let field = |name: &str| Location::Field(name.to_owned());
        let cases = [
            (field("x-COUNT"), Some("1")),
            (Location::Cookie("sid".to_owned()), Some("xyz")),
            (Location::Code, Some("302")),
            (Location::Body, Some(body)),
            (Location::pointer("/n/list").unwrap(), Some(r#"[1,{"x":2}]"#)),
            (Location::path("$.n.list[1]").unwrap(), Some(r#"{"x":2}"#)),
            (Location::Member("tokenId".to_owned()), Some("AQIC5*")),
            (pattern(r#""tokenId":"([^"]+)""#, 1), Some("AQIC5*")),
            (pattern("AQ(I)C", 0), Some("AQIC")),
            (pattern("(x)|(y)", 2), None),
            (field("location").narrowed("[?&]code=([^&]*)", 1).unwrap(), Some("a.b")),
            (Location::pointer("/tokenId").unwrap().narrowed(r"\d", 0).unwrap(), Some("5")),
            (Location::Cookie("other".to_owned()), None),
            (Location::pointer("/x").unwrap(), None),
        ];
        for (from, expected) in cases {
            assert_eq!(found(&from, &response).as_deref(), expected, "{from}");
        }
        let parsed = Parsed::new(Reply::Http(&response));
        let counts = [field("X-Count"), Location::pointer("/n/list").unwrap(), pattern("[0-9]", 0)];
        assert_eq!(counts.map(|from| count(&from, &parsed)), [2, 2, 3]);
    }

    #[test]
    fn what_is_missing_is_taken_away_kept_replaced_or_a_failure() {
        let response =
            Response::sample(200, &[], br#"{"a":"new","long":"0123456789ab","null":null}"#);
        let parsed = Parsed::new(Reply::Http(&response));
        let keep = |pointer, missing| {
            let from = Location::pointer(pointer).unwrap();
            let mut values = Values::new(1);
            values.set(Hole(0), b"old");
            let fine = Extract { from, into: Hole(0), missing }.keep(&parsed, &mut values);
            let fine = fine.unwrap();
            let value =
                values.value(Hole(0)).map(|value| String::from_utf8_lossy(value).into_owned());
            (fine, value, values.is_hidden(Hole(0)))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(keep("/a", Missing::Fail), (true, some("new"), false));
        assert_eq!(keep("/long", Missing::Unset), (true, some("0123456789ab"), true));
        assert_eq!(keep("/b", Missing::Unset), (true, None, false));
        assert_eq!(keep("/null", Missing::Unset), (true, None, false));
        assert_eq!(keep("/b", Missing::Keep), (true, some("old"), false));
        assert_eq!(keep("/b", Missing::Value(b"x".to_vec())), (true, some("x"), false));
        assert_eq!(keep("/b", Missing::Fail), (false, None, false));
    }

    #[test]
    fn what_is_not_looked_at_is_not_asked_for() {
        let wants = |from: Location| (from.wants().fields, from.wants().body);
        assert_eq!(wants(Location::Code), (false, false));
        assert_eq!(wants(Location::Cookie("a".to_owned())), (true, false));
        assert_eq!(wants(Location::path("$.a").unwrap()), (false, true));
        assert_eq!(wants(Location::Field("a".to_owned()).narrowed("b", 0).unwrap()), (true, false));
    }

    #[test]
    fn places_that_are_none_are_refused() {
        let said = |error: Result<Location, LocationError>| error.unwrap_err().to_string();
        assert_eq!(
            said(Location::pointer("a")),
            "read the JSON pointer 'a': a JSON pointer begins with a slash: write /a"
        );
        assert!(said(Location::path("$.a[")).starts_with("read the JSONPath '$.a[': "));
        assert!(said(Location::path("a")).starts_with("read the JSONPath 'a': "));
        let open = said(Location::pattern("(a", 0));
        assert_eq!(open, "read the regular expression '(a': error: unclosed group");
        assert!(said(Location::pattern("(a)", 2)).contains("1 groups, so there is no group 2"));
    }

    #[test]
    fn values_of_xml_are_found_by_their_path() {
        let body = b"<r xmlns='urn:r'><e m='1'>x</e><e m='2'>y</e></r>";
        let response = Response::sample(200, &[], body);
        let from = |path| Location::xpath(path).unwrap();
        assert_eq!(found(&from("//e[@m='2']"), &response).as_deref(), Some("y"));
        assert_eq!(found(&from("//f"), &response), None);
        assert_eq!(count(&from("//e"), &Parsed::new(Reply::Http(&response))), 2);
        let other = Response::sample(200, &[], b"{}");
        assert_eq!(found(&from("//e"), &other), None);
        let said = Location::xpath("//e[").unwrap_err().to_string();
        assert_eq!(said, "read the XPath '//e[': the end stands where a value should");
    }

    #[test]
    fn hostile_bodies_hold_nothing() {
        let froms = [
            Location::path("$..a").unwrap(),
            Location::pointer("/a/b").unwrap(),
            Location::Member("a".to_owned()),
            Location::xpath("//a").unwrap(),
        ];
        let bomb = b"<!DOCTYPE a [<!ENTITY b 'xxxx'><!ENTITY c '&b;&b;'>]><a>&c;</a>";
        let deep = ["[".repeat(1 << 20), "]".repeat(1 << 20)].concat();
        for body in [deep.as_bytes(), bomb, b"<a>", b"{\"a\xff\":1}", b"", b"\0\0\0", b"{\"a\":"] {
            let response = Response::sample(200, &[], body);
            for from in &froms {
                assert_eq!(found(from, &response), None, "{from}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_place_in_any_body_is_found_or_not(
            place in r#"[$@./\[\]()?*|&'"=:,ab0-9~^+{}\\d -]{0,24}"#,
            body in r#"[\[\]{}<>/"'=:,!&;ab0-9 .\\-]{0,60}"#,
        ) {
            let response = Response::sample(200, &[("Set-Cookie", &place)], body.as_bytes());
            let parsed = Parsed::new(Reply::Http(&response));
            let read = [
                Location::pointer(&place),
                Location::path(&place),
                Location::xpath(&place),
                Location::pattern(&place, 0),
            ];
            let named = [Location::Member(place.clone()), Location::Cookie(place)];
            for from in named.into_iter().chain(read.into_iter().flatten()) {
                let mut values = Values::new(1);
                let extract = Extract { from, into: Hole(0), missing: Missing::Fail };
                let found = extract.keep(&parsed, &mut values) == Ok(true);
                prop_assert_eq!(found, values.value(Hole(0)).is_some());
                prop_assert!(!found || count(&extract.from, &parsed) > 0);
            }
        }
    }
}
