//! [`Check`]: what must hold of an answer.
//!
//! A check looks at the same places as an extraction and makes one statement about what it finds there. It is evaluated
//! for every exchange. If the part of the answer that it needs cannot be examined, neither the check nor its negation
//! holds. The expected and the actual value are only put into words for the few failures that are kept, and secrets are
//! left out.

use super::extract::{Count, Found, Location};
use super::pattern::Pattern;
use super::place;
use super::reply::Parsed;
use super::unexamined::Unexamined;
use super::work::Work;
use brunt_feed::{Text, TextPiece, Values};
use brunt_http_driver::response::Wanted;
use brunt_redact::{HIDDEN, is_secret_name};
use serde_json::Value;
use std::fmt;

/// How many characters of a value are shown.
const SHOWN_MAX: usize = 120;

/// What must hold of an answer.
#[derive(Clone, Debug)]
pub enum Check {
    /// The code is in one of these ranges, both ends included.
    Code(Vec<(u32, u32)>),
    /// A value satisfies a condition.
    Value {
        /// The value.
        of: Location,
        /// The condition.
        must: Condition,
    },
    /// The number of values is in a range, both ends included: the values that a path leads to, the elements of a list,
    /// the fields of a name, or the matches.
    Count {
        /// The values.
        of: Location,
        /// The minimum.
        least: u64,
        /// The maximum.
        most: u64,
    },
    /// The size of the body in bytes, as received, is in a range, both ends included.
    Size {
        /// The minimum.
        least: u64,
        /// The maximum.
        most: u64,
    },
    /// The answer came from this place, after redirects: a path, in which `*` is any text, or a whole URL.
    Lands(Text),
    /// The check does not hold.
    Not(Box<Self>),
}

/// A condition on a value.
#[derive(Clone, Debug)]
pub enum Condition {
    /// It exists.
    Exist,
    /// It is this text.
    Equal(Text),
    /// It contains this text.
    Contain(Text),
    /// Some part of it matches this regular expression.
    Match(Pattern),
    /// It is this JSON value. Numbers are the same if they are equal, and members may be in any order.
    Json(Value),
    /// It is a number between these, both included.
    Between(f64, f64),
}

impl Check {
    /// Whether the check holds of the answer. Texts are filled in from `values`.
    pub fn holds(&self, parsed: &Parsed<'_>, values: &Values) -> Result<bool, Unexamined> {
        match self {
            Self::Code(ranges) => {
                let code = parsed.reply().code();
                Ok(ranges.iter().any(|(least, most)| (*least..=*most).contains(&code)))
            }
            Self::Value { of, must } => match of.find(parsed)? {
                Some(found) => must.holds(&found, values, parsed.work()),
                None => Ok(false),
            },
            Self::Count { of, least, most } => within(of.count(parsed)?, *least, *most),
            Self::Size { least, most } => Ok((*least..=*most).contains(&parsed.reply().received())),
            Self::Lands(place) => {
                let url = parsed.reply().url().unwrap_or_default();
                Ok(with(place, values, |place| place::is_at(url, place)))
            }
            Self::Not(check) => check.holds(parsed, values).map(|holds| !holds),
        }
    }

    /// Whether it checks only the code. An answer for which it fails is a refusal, not an unexpected success.
    pub fn is_of_the_code(&self) -> bool {
        match self {
            Self::Code(_) | Self::Value { of: Location::Code, .. } => true,
            Self::Not(check) => check.is_of_the_code(),
            _ => false,
        }
    }

    /// The texts that may contain variables.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        let mut check = self;
        while let Self::Not(inner) = check {
            check = inner;
        }
        let text = match check {
            Self::Value { must: Condition::Equal(text) | Condition::Contain(text), .. } => {
                Some(text)
            }
            Self::Lands(place) => Some(place),
            _ => None,
        };
        text.into_iter()
    }

    /// The parts of an answer that it needs.
    pub fn wants(&self) -> Wanted {
        match self {
            Self::Code(_) | Self::Size { .. } => Wanted::default(),
            // The body says why it is another place.
            Self::Lands(_) => Wanted { fields: true, body: true, url: true, ..Wanted::default() },
            Self::Value { of, .. } | Self::Count { of, .. } => of.wants(),
            Self::Not(check) => check.wants(),
        }
    }

    /// The expected and the actual value, for an answer of which it does not hold. Secrets are not shown.
    pub fn words(&self, parsed: &Parsed<'_>, values: &Values) -> String {
        parsed.work().renew();
        let came = match self.place() {
            Subject::Place => Ok(landed(parsed)),
            Subject::Code => Ok(format!("it is {}", parsed.reply().code())),
            Subject::Size => Ok(format!("it is {}", parsed.reply().received())),
            Subject::Count(of) => {
                of.count(parsed).map(|count| format!("there are {}", count.least))
            }
            Subject::Value(of) => of.find(parsed).map(|found| match found {
                Some(_) if is_secret(of) => format!("it is {HIDDEN}"),
                Some(found) => format!("it is {}", shortened(&found)),
                None => "the answer does not contain it".to_owned(),
            }),
        };
        let came = came.unwrap_or_else(|why| why.to_string());
        let but = if matches!(self, Self::Lands(_)) { "," } else { " but" };
        values.shown(&format!("{}{but} {came}", Expected { check: self, values, not: false }))
    }

    /// What was expected, for an answer that could not be examined. Secrets are not shown.
    pub fn words_unexamined(&self, why: Unexamined, values: &Values) -> String {
        values.shown(&format!("{}, but {why}", Expected { check: self, values, not: false }))
    }

    /// The value that it looks at, for a reader; none if it looks at no single value. Secrets are not shown.
    pub(super) fn found(&self, parsed: &Parsed<'_>, values: &Values) -> Option<String> {
        let Subject::Value(of) = self.place() else { return None };
        let found = of.find(parsed).ok().flatten().filter(|_| !is_secret(of))?;
        let text = String::from_utf8_lossy(&found.text()).into_owned();
        Some(values.shown(text.chars().take(SHOWN_MAX).collect::<String>().as_str()))
    }

    /// What it expects. Texts are filled in from `values`. Secrets are not shown.
    pub fn expected(&self, values: &Values) -> String {
        values.shown(&Expected { check: self, values, not: false }.to_string())
    }

    fn place(&self) -> Subject<'_> {
        match self {
            Self::Code(_) => Subject::Code,
            Self::Size { .. } => Subject::Size,
            Self::Count { of, .. } => Subject::Count(of),
            Self::Value { of, .. } => Subject::Value(of),
            Self::Lands(_) => Subject::Place,
            Self::Not(check) => check.place(),
        }
    }
}

/// Where an answer came from, and what it says about an error.
fn landed(parsed: &Parsed<'_>) -> String {
    let reply = parsed.reply();
    let path = place::path(reply.url().unwrap_or_default());
    let path = brunt_redact::url(&String::from_utf8_lossy(path));
    let message =
        parsed.page().ok().and_then(|page| brunt_flow_page::error_text(page, parsed.work()).ok());
    let message = message.flatten().map(|text| format!("; the page says \"{text}\""));
    format!("landed on {path} ({}){}", reply.code(), message.unwrap_or_default())
}

/// What a check looks at.
enum Subject<'a> {
    Code,
    Size,
    Place,
    Count(&'a Location),
    Value(&'a Location),
}

/// Whether a count is in the range.
fn within(count: Count, least: u64, most: u64) -> Result<bool, Unexamined> {
    let so_far = (least..=most).contains(&count.least);
    // If the count may still rise, it decides only when it exceeds the maximum, or when it has reached the minimum and
    // there is no maximum.
    let decided = count.whole || count.least > most || so_far && most == u64::MAX;
    if decided { Ok(so_far) } else { Err(Unexamined::Truncated) }
}

impl Condition {
    pub(super) fn holds(
        &self,
        found: &Found<'_>,
        values: &Values,
        work: &Work,
    ) -> Result<bool, Unexamined> {
        if let Found::Beginning(bytes) = found {
            return self.holds_of_beginning(bytes, values, work);
        }
        Ok(match self {
            Self::Exist => true,
            Self::Equal(text) => with(text, values, |text| text == &*found.text()),
            Self::Contain(text) => with(text, values, |text| contains(text, &found.text())),
            Self::Match(pattern) => pattern.is_match(&found.text(), work)?,
            Self::Json(value) => found.json()?.is_some_and(|json| same(&json, value)),
            Self::Between(least, most) => {
                number(&found.text()).is_some_and(|number| *least <= number && number <= *most)
            }
        })
    }

    /// Whether the condition holds of a value of which only the beginning is known, if the beginning is sufficient to
    /// decide.
    fn holds_of_beginning(
        &self,
        beginning: &[u8],
        values: &Values,
        work: &Work,
    ) -> Result<bool, Unexamined> {
        let decided = match self {
            Self::Exist => Some(true),
            // A text that does not start with the beginning differs from the value.
            Self::Equal(text) => {
                with(text, values, |text| !text.starts_with(beginning)).then_some(false)
            }
            Self::Contain(text) => {
                with(text, values, |text| contains(text, beginning)).then_some(true)
            }
            Self::Match(pattern) => pattern
                .find(beginning, work)?
                .is_some_and(|found| found.whole.end < beginning.len())
                .then_some(true),
            Self::Json(_) | Self::Between(..) => None,
        };
        decided.ok_or(Unexamined::Truncated)
    }
}

/// Applies `of` to a text; false if a variable in it has no value.
fn with(text: &Text, values: &Values, of: impl Fn(&[u8]) -> bool) -> bool {
    match text.constant() {
        Some(bytes) => of(bytes),
        None => rendered(text, values).is_some_and(|bytes| of(&bytes)),
    }
}

fn contains(part: &[u8], found: &[u8]) -> bool {
    memchr::memmem::find(found, part).is_some()
}

fn rendered(text: &Text, values: &Values) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    text.render(values, &mut out).ok().map(|()| out)
}

fn number(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.trim().parse().ok()
}

/// Whether two JSON values are the same, however their numbers are written.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(name, value)| other.get(name).is_some_and(|other| same(value, other)))
        }
        _ => one == other,
    }
}

/// Whether the value at a location is a secret according to its name.
fn is_secret(of: &Location) -> bool {
    matches!(of, Location::Cookie(_)) || is_secret_name(&of.to_string())
}

/// A value as shown in a sentence: complete if it is short.
fn shortened(found: &Found<'_>) -> String {
    let text = found.text();
    let text = String::from_utf8_lossy(&text);
    let text: String =
        text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    match text.char_indices().nth(SHOWN_MAX) {
        Some((at, _)) => format!("'{}...', {} bytes", &text[..at], found.text().len()),
        None => format!("'{text}'"),
    }
}

/// What a check expects, in words.
struct Expected<'a> {
    check: &'a Check,
    values: &'a Values,
    not: bool,
}

impl fmt::Display for Expected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = if self.not { "not " } else { "" };
        match self.check {
            Check::Code(ranges) => {
                write!(f, "the code should {not}be ")?;
                for (at, (least, most)) in ranges.iter().enumerate() {
                    let between = if at == 0 { "" } else { ", " };
                    write!(f, "{between}{}", Span(u64::from(*least), u64::from(*most)))?;
                }
                Ok(())
            }
            Check::Size { least, most } => {
                write!(f, "the length of the body should {not}be {}", Span(*least, *most))
            }
            Check::Count { of, least, most } => {
                write!(f, "the count of {of} should {not}be {}", Span(*least, *most))
            }
            Check::Lands(place) => write!(f, "should {not}land on {}", self.filled(place)),
            Check::Value { of, must } => self.value(f, of, must, not),
            Check::Not(check) => Expected { check, not: !self.not, ..*self }.fmt(f),
        }
    }
}

impl Expected<'_> {
    fn value(
        &self,
        f: &mut fmt::Formatter<'_>,
        of: &Location,
        must: &Condition,
        not: &str,
    ) -> fmt::Result {
        match must {
            Condition::Exist => write!(f, "{of} should {not}exist"),
            Condition::Equal(whole) => write!(f, "{of} should {not}be '{}'", self.filled(whole)),
            Condition::Contain(part) => {
                write!(f, "{of} should {not}contain '{}'", self.filled(part))
            }
            Condition::Match(pattern) => write!(f, "{of} should {not}match '{pattern}'"),
            Condition::Json(value) => write!(f, "{of} should {not}be {value}"),
            Condition::Between(low, high) => {
                write!(f, "{of} should {not}be between {low} and {high}")
            }
        }
    }

    /// An expected text, filled in; if a variable in it has no value, as it was written.
    fn filled(&self, text: &Text) -> String {
        let mut shown = Vec::new();
        for piece in text.pieces() {
            match piece {
                TextPiece::Literal(bytes) => shown.extend_from_slice(bytes),
                TextPiece::Hole(hole, _) => match self.values.value(*hole) {
                    Some(value) => shown.extend_from_slice(value),
                    None => shown.extend_from_slice(b"<no value>"),
                },
            }
        }
        String::from_utf8_lossy(&shown).into_owned()
    }
}

/// A range of numbers as shown in a sentence.
struct Span(u64, u64);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self(least, most) if least == most => write!(f, "{least}"),
            Self(0, most) => write!(f, "at most {most}"),
            Self(least, u64::MAX) => write!(f, "at least {least}"),
            Self(least, most) => write!(f, "{least} to {most}"),
        }
    }
}

#[cfg(test)]
mod tests;
