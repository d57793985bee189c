//! [`Extract`]: what is kept of an answer, and where it is found.
//!
//! A place in an answer is a [`Location`], compiled once; checks use the same places. If an answer has no value at the
//! place, the variable loses its value too, so that no step sends a value from an earlier iteration.

use super::json::{self, Pointer, PointerError};
use super::jsonpath::{JsonPath, JsonPathError};
use super::pattern::{Pattern, PatternError};
use super::pick::Pick;
use super::place;
use super::reply::Parsed;
use super::unexamined::Unexamined;
use super::work::Work;
use super::xpath::{XPath, XPathError};
use brunt_feed::{Hole, Values};
use brunt_flow_page::{Selector, SelectorError};
use brunt_http_driver::response::Wanted;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// The minimum number of bytes at which an extracted value is treated as a secret, such as a token, and is not shown.
const TOKEN_LEAST: usize = 12;
/// The longest lifetime of a value that is distinguished from an endless one: a hundred years.
const LIFETIME_MAX: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// What is kept of an answer.
#[derive(Clone, Debug)]
pub struct Extract {
    /// Where it is found.
    pub from: Location,
    /// The variable that gets the value.
    pub into: Hole,
    /// What happens to the variable if the answer does not contain the value.
    pub missing: Missing,
    /// When the value expires, if it does.
    pub expires: Option<Box<Expiry>>,
}

/// When an extracted value expires.
#[derive(Clone, Debug)]
pub struct Expiry {
    /// The place in the answer where its lifetime is, in seconds.
    pub of: Location,
    /// How long before its end the value does not exist for conditions any more.
    pub early: Duration,
}

impl Expiry {
    /// How long the value is valid; none if the answer does not give it.
    pub fn lifetime(&self, parsed: &Parsed<'_>) -> Option<Duration> {
        let found = self.of.find(parsed).ok().flatten()?;
        let text = found.text();
        let seconds: f64 = std::str::from_utf8(&text).ok()?.trim().parse().ok()?;
        // NaN is not a time.
        let seconds = Some(seconds).filter(|seconds| !seconds.is_nan())?;
        let seconds = seconds.clamp(0.0, LIFETIME_MAX.as_secs_f64());
        Some(Duration::from_secs_f64(seconds))
    }
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
    /// An element of a page: its text, or one of its attributes.
    Html {
        /// The element.
        selector: Selector,
        /// The attribute.
        attribute: Option<String>,
    },
    /// The URL that the answer came from, after redirects.
    Url,
    /// A parameter of the URL that a value is.
    Parameter {
        /// The value.
        of: Box<Self>,
        /// The name of the parameter.
        name: String,
    },
    /// Another than the first of several values.
    Picked {
        /// The values.
        of: Box<Self>,
        /// Which of them.
        pick: Pick,
    },
    /// The part of a value that a regular expression matches.
    Pattern {
        /// The value.
        of: Box<Self>,
        /// The expression, and the group to use.
        pattern: Pattern,
    },
}

/// An invalid place: its text, and why it is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocationError {
    /// A JSON pointer.
    #[error("read the JSON pointer '{0}': {1}")]
    Pointer(String, PointerError),
    /// A path through JSON.
    #[error("read the JSONPath '{0}': {1}")]
    Path(String, JsonPathError),
    /// A path through XML.
    #[error("read the XPath '{0}': {1}")]
    XPath(String, XPathError),
    /// An element of a page.
    #[error("read the selector '{0}': {1}")]
    Html(String, SelectorError),
    /// A part of a value.
    #[error("read the regular expression '{0}': {1}")]
    Pattern(String, PatternError),
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
        let own = self.from.wants();
        let expiry = self.expires.as_ref().map(|expiry| expiry.of.wants()).unwrap_or_default();
        Wanted {
            fields: own.fields || expiry.fields,
            body: own.body || expiry.body,
            url: own.url || expiry.url,
            ..own
        }
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
        pointer.map(Self::Pointer).map_err(|error| LocationError::Pointer(text.to_owned(), error))
    }

    /// Creates a path through a JSON body, RFC 9535: `$.users[?@.mail].name`.
    pub fn path(text: &str) -> Result<Self, LocationError> {
        let path = JsonPath::parse(text);
        path.map(Self::Path).map_err(|error| LocationError::Path(text.to_owned(), error))
    }

    /// Creates a place in an XML body: `//Attribute[@Name='mail']/Value`. A name without a prefix means this name in
    /// any namespace.
    pub fn xpath(text: &str) -> Result<Self, LocationError> {
        let path = XPath::parse(text);
        path.map(Self::XPath).map_err(|error| LocationError::XPath(text.to_owned(), error))
    }

    /// Creates a place in a page: an element, or one of its attributes.
    pub fn html(text: &str, attribute: Option<String>) -> Result<Self, LocationError> {
        let selector = Selector::parse(text);
        let selector = selector.map_err(|error| LocationError::Html(text.to_owned(), error))?;
        Ok(Self::Html { selector, attribute })
    }

    /// Creates the place of the part of the body that a regular expression matches.
    pub fn pattern(text: &str, group: usize) -> Result<Self, LocationError> {
        Self::Body.narrowed(text, group)
    }

    /// Narrows this place to the part of its value that a regular expression matches.
    pub fn narrowed(self, text: &str, group: usize) -> Result<Self, LocationError> {
        let pattern = Pattern::parse(text, group);
        let pattern = pattern.map_err(|error| LocationError::Pattern(text.to_owned(), error))?;
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
            Self::Html { .. } => Wanted { body: true, ..Wanted::default() },
            Self::Url => Wanted { url: true, ..Wanted::default() },
            Self::Pattern { of, .. } | Self::Parameter { of, .. } | Self::Picked { of, .. } => {
                of.wants()
            }
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
            Self::Html { selector, attribute } => {
                let found = selector.values(parsed.page()?, attribute.as_deref(), 1, work);
                let first = found.map_err(|_| Unexamined::Work)?.into_iter().next();
                first.map(|text| Found::Bytes(Cow::Owned(text.into_bytes())))
            }
            Self::Url => reply.url().map(bytes),
            Self::Parameter { of, name } => match of.find(parsed)? {
                Some(found) => {
                    let value = place::parameter(&found.whole()?, name);
                    value.map(|value| Found::Bytes(Cow::Owned(value)))
                }
                None => None,
            },
            Self::Picked { of, pick } => pick.of(of.all(parsed)?, parsed.draw()),
            Self::Pattern { of, pattern } => match of.find(parsed)? {
                Some(found) => narrow(&found, pattern, work)?,
                None => None,
            },
        })
    }

    /// All values that the answer has there.
    fn all<'p>(&self, parsed: &'p Parsed<'_>) -> Result<Vec<Found<'p>>, Unexamined> {
        let work = parsed.work();
        let owned = |text: String| Found::Bytes(Cow::Owned(text.into_bytes()));
        Ok(match self {
            Self::Path(path) => match parsed.json()? {
                Some(json) => path.find(json, work)?.into_iter().map(Found::Json).collect(),
                None => Vec::new(),
            },
            Self::XPath(path) => match parsed.xml()? {
                Some(xml) => path.all(xml, work)?.into_iter().map(owned).collect(),
                None => Vec::new(),
            },
            Self::Html { selector, attribute } => {
                let all = selector.values(parsed.page()?, attribute.as_deref(), usize::MAX, work);
                all.map_err(|_| Unexamined::Work)?.into_iter().map(owned).collect()
            }
            Self::Pattern { of, pattern } => match of.find(parsed)? {
                Some(found) => {
                    let text = found.whole()?;
                    let all = pattern.all(&text, work)?.into_iter();
                    all.map(|at| Found::Bytes(Cow::Owned(text[at].to_vec()))).collect()
                }
                None => Vec::new(),
            },
            // The elements of a list.
            Self::Pointer(_) | Self::Member(_) => match self.find(parsed)? {
                Some(found) => match found.json()?.as_deref() {
                    Some(Value::Array(list)) => {
                        let texts = list.iter().map(|one| Found::Json(one).text().into_owned());
                        texts.map(|text| Found::Bytes(Cow::Owned(text))).collect()
                    }
                    _ => vec![found],
                },
                None => Vec::new(),
            },
            _ => self.find(parsed)?.into_iter().collect(),
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
            Self::Html { selector, attribute } => {
                let count = selector.count(parsed.page()?, attribute.as_deref(), work);
                count.map_err(|_| Unexamined::Work)?
            }
            Self::Picked { of, .. } => return of.count(parsed),
            Self::Cookie(_) | Self::Code | Self::Body | Self::Url | Self::Parameter { .. } => {
                self.find(parsed)?.iter().count()
            }
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
            Self::Html { selector, attribute: None } => write!(f, "the element '{selector}'"),
            Self::Html { selector, attribute: Some(name) } => {
                write!(f, "the attribute '{name}' of '{selector}'")
            }
            Self::Url => f.write_str("the URL"),
            Self::Parameter { of, name } => write!(f, "the parameter '{name}' of {of}"),
            Self::Picked { of, pick } => write!(f, "{pick} of {of}"),
            Self::Pattern { of, pattern } => write!(f, "'{pattern}' in {of}"),
        }
    }
}

#[cfg(test)]
mod tests;
