//! [`Check`]: what must hold of an answer.
//!
//! A check looks at the same places as an extraction and says one thing of what it finds there. Whether it holds is
//! asked of every exchange; what was expected and what came is put into words only for the few failures that are kept,
//! and secrets are left out of them.

use super::extract::{Found, Location};
use super::reply::Parsed;
use crate::http::response::Wanted;
use brunt_feed::{Text, TextPiece, Values};
use brunt_redact::{HIDDEN, is_secret_name};
use regex::bytes::Regex;
use serde_json::Value;
use std::fmt;

/// How much of a value is shown.
const SHOWN_MAX: usize = 120;

/// What must hold of an answer.
#[derive(Clone, Debug)]
pub enum Check {
    /// The code is one of these ranges, both ends included.
    Code(Vec<(u32, u32)>),
    /// A value is what it must be.
    Value {
        /// The value.
        of: Location,
        /// What it must be.
        must: Condition,
    },
    /// There are so many values, both ends included: of what a path leads to, of a list, of a field, of matches.
    Count {
        /// The values.
        of: Location,
        /// The fewest.
        least: u64,
        /// The most.
        most: u64,
    },
    /// The body has so many bytes as they came, both ends included.
    Size {
        /// The fewest.
        least: u64,
        /// The most.
        most: u64,
    },
    /// It does not hold.
    Not(Box<Self>),
}

/// What a value must be.
#[derive(Clone, Debug)]
pub enum Condition {
    /// Anything: it must be there.
    Exist,
    /// This text.
    Equal(Text),
    /// Have this text in it.
    Contain(Text),
    /// Match this regular expression somewhere.
    Match(Regex),
    /// This JSON value. Numbers are the same if they are equal, and members may come in any order.
    Json(Value),
    /// A number between these, both included.
    Between(f64, f64),
}

impl Check {
    /// Whether it holds of the answer, texts being filled from `values`.
    pub fn holds(&self, parsed: &Parsed<'_>, values: &Values) -> bool {
        match self {
            Self::Code(ranges) => {
                let code = parsed.reply().code();
                ranges.iter().any(|(least, most)| (*least..=*most).contains(&code))
            }
            Self::Value { of, must } => {
                of.find(parsed).is_some_and(|found| must.holds(&found, values))
            }
            Self::Count { of, least, most } => {
                (*least..=*most).contains(&(of.count(parsed) as u64))
            }
            Self::Size { least, most } => (*least..=*most).contains(&parsed.reply().received()),
            Self::Not(check) => !check.holds(parsed, values),
        }
    }

    /// Whether it looks at the code alone: an answer for which it does not hold is a no, and not an unexpected yes.
    pub fn is_of_the_code(&self) -> bool {
        match self {
            Self::Code(_) | Self::Value { of: Location::Code, .. } => true,
            Self::Not(check) => check.is_of_the_code(),
            _ => false,
        }
    }

    /// The texts in which variables may stand.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        let mut check = self;
        while let Self::Not(inner) = check {
            check = inner;
        }
        let text = match check {
            Self::Value { must: Condition::Equal(text) | Condition::Contain(text), .. } => {
                Some(text)
            }
            _ => None,
        };
        text.into_iter()
    }

    /// What it wants to see of an answer.
    pub fn wants(&self) -> Wanted {
        match self {
            Self::Code(_) | Self::Size { .. } => Wanted::default(),
            Self::Value { of, .. } | Self::Count { of, .. } => of.wants(),
            Self::Not(check) => check.wants(),
        }
    }

    /// What was expected and what came, for an answer of which it does not hold. Secrets are not shown.
    pub fn words(&self, parsed: &Parsed<'_>, values: &Values) -> String {
        let came = match self.place() {
            Subject::Code => format!("it is {}", parsed.reply().code()),
            Subject::Size => format!("it is {}", parsed.reply().received()),
            Subject::Count(of) => format!("there are {}", of.count(parsed)),
            Subject::Value(of) => match of.find(parsed) {
                Some(_) if is_secret(of) => format!("it is {HIDDEN}"),
                Some(found) => format!("it is {}", shortened(&found)),
                None => "the answer does not contain it".to_owned(),
            },
        };
        let kept = if parsed.reply().is_truncated() && self.wants().body {
            ", of which only the beginning was kept"
        } else {
            ""
        };
        values.shown(&format!("{} but {came}{kept}", Expected { check: self, values, not: false }))
    }

    /// What it expects, texts being filled from `values`. Secrets are not shown.
    pub fn expected(&self, values: &Values) -> String {
        values.shown(&Expected { check: self, values, not: false }.to_string())
    }

    fn place(&self) -> Subject<'_> {
        match self {
            Self::Code(_) => Subject::Code,
            Self::Size { .. } => Subject::Size,
            Self::Count { of, .. } => Subject::Count(of),
            Self::Value { of, .. } => Subject::Value(of),
            Self::Not(check) => check.place(),
        }
    }
}

/// What a check looks at.
enum Subject<'a> {
    Code,
    Size,
    Count(&'a Location),
    Value(&'a Location),
}

impl Condition {
    fn holds(&self, found: &Found<'_>, values: &Values) -> bool {
        match self {
            Self::Exist => true,
            Self::Equal(text) => equals(text, &found.text(), values),
            Self::Contain(text) => contains(text, &found.text(), values),
            Self::Match(pattern) => pattern.is_match(&found.text()),
            Self::Json(value) => found.json().is_some_and(|json| same(&json, value)),
            Self::Between(least, most) => {
                number(&found.text()).is_some_and(|number| *least <= number && number <= *most)
            }
        }
    }
}

fn equals(text: &Text, found: &[u8], values: &Values) -> bool {
    match text.constant() {
        Some(bytes) => bytes == found,
        None => rendered(text, values).is_some_and(|bytes| bytes == found),
    }
}

fn contains(text: &Text, found: &[u8], values: &Values) -> bool {
    let within =
        |bytes: &[u8]| bytes.is_empty() || found.windows(bytes.len()).any(|window| window == bytes);
    match text.constant() {
        Some(bytes) => within(bytes),
        None => rendered(text, values).is_some_and(|bytes| within(&bytes)),
    }
}

fn rendered(text: &Text, values: &Values) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    text.render(values, &mut out).ok().map(|()| out)
}

fn number(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.trim().parse().ok()
}

/// Whether two JSON values are the same, whatever way their numbers are written.
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

/// Whether what is found there is a secret by the name it has.
fn is_secret(of: &Location) -> bool {
    matches!(of, Location::Cookie(_)) || is_secret_name(&of.to_string())
}

/// A value as a sentence shows it: whole if it is short.
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

    /// A text as it was expected; where a variable in it has no value, as it stands.
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

/// A range of numbers as a sentence shows it.
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
mod tests {
    use super::*;
    use crate::flow::Reply;
    use crate::http::Response;
    use brunt_feed::{Escape, Hole};
    use serde_json::json;

    const BODY: &str = r#"{"user":"jo","age":41,"mail":["a","b"],"gone":null}"#;

    fn text(text: &str) -> Text {
        Text::parse(text, Escape::None, |name| (name == "user").then_some(Hole(0))).unwrap()
    }

    fn judged(check: &Check) -> Result<(), String> {
        let fields = [("Content-Type", "application/json"), ("X-Id", "jo-7")];
        let response = Response::sample(201, &fields, BODY.as_bytes());
        let parsed = Parsed::new(Reply::Http(&response));
        let mut values = Values::new(1);
        values.set(Hole(0), b"jo");
        if check.holds(&parsed, &values) { Ok(()) } else { Err(check.words(&parsed, &values)) }
    }

    fn value(of: Location, must: Condition) -> Check {
        Check::Value { of, must }
    }

    fn at(pointer: &str, must: Condition) -> Check {
        value(Location::pointer(pointer).unwrap(), must)
    }

    fn field(name: &str, must: Condition) -> Check {
        value(Location::Field(name.to_owned()), must)
    }

    #[test]
    fn what_holds_holds_and_its_opposite_does_not() {
        let list =
            |least, most| Check::Count { of: Location::path("$.mail[*]").unwrap(), least, most };
        let checks = [
            Check::Code(vec![(404, 404), (200, 299)]),
            Check::Size { least: 51, most: 51 },
            field("content-type", Condition::Contain(text("json"))),
            field("X-Id", Condition::Match(Regex::new("^jo-[0-9]$").unwrap())),
            field("X-Id", Condition::Exist),
            at("/user", Condition::Equal(text("${user}"))),
            at("/age", Condition::Equal(text("41"))),
            at("/age", Condition::Json(json!(41.0))),
            at("/age", Condition::Between(40.0, 41.0)),
            at("/mail", Condition::Json(json!(["a", "b"]))),
            at("/gone", Condition::Json(json!(null))),
            at("/gone", Condition::Exist),
            at(
                "",
                Condition::Json(json!({"gone": null, "mail": ["a", "b"], "age": 41, "user": "jo"})),
            ),
            value(Location::Body, Condition::Contain(text("\"${user}\""))),
            value(Location::Body, Condition::Contain(text(""))),
            list(2, 2),
            list(0, u64::MAX),
        ];
        for check in checks {
            assert_eq!(judged(&check), Ok(()), "{check:?}");
            let opposite = Check::Not(Box::new(check));
            let words = judged(&opposite).unwrap_err();
            assert!(words.contains("should not "), "{words}");
            assert_eq!(judged(&Check::Not(Box::new(opposite))), Ok(()));
        }
    }

    #[test]
    fn a_failure_says_what_was_expected_and_what_came() {
        let cases = [
            (
                Check::Code(vec![(200, 200), (204, 206)]),
                "the code should be 200, 204 to 206 but it is 201",
            ),
            (
                Check::Size { least: 100, most: u64::MAX },
                "the length of the body should be at least 100 but it is 51",
            ),
            (
                field("X-Id", Condition::Equal(text("${user}"))),
                "the field 'X-Id' should be 'jo' but it is 'jo-7'",
            ),
            (
                field("X-No", Condition::Exist),
                "the field 'X-No' should exist but the answer does not contain it",
            ),
            (
                at("/age", Condition::Json(json!("41"))),
                "the JSON value at '/age' should be \"41\" but it is '41'",
            ),
            (
                at("/age", Condition::Between(50.0, 60.5)),
                "the JSON value at '/age' should be between 50 and 60.5 but it is '41'",
            ),
            (
                at("/user", Condition::Contain(text("x"))),
                "the JSON value at '/user' should contain 'x' but it is 'jo'",
            ),
            (
                Check::Count { of: Location::path("$.mail[*]").unwrap(), least: 0, most: 1 },
                "the count of the JSON value at '$.mail[*]' should be at most 1 but there are 2",
            ),
        ];
        for (check, words) in cases {
            assert_eq!(judged(&check).unwrap_err(), words);
        }
    }

    #[test]
    fn secrets_and_long_values_are_not_shown() {
        let body = format!("hunter2 {}", "ü".repeat(500));
        let response = Response::sample(200, &[], body.as_bytes());
        let parsed = Parsed::new(Reply::Http(&response));
        let mut values = Values::new(1);
        values.set(Hole(0), b"hunter2");
        values.hide(Hole(0), true);
        let words =
            value(Location::Body, Condition::Equal(text("${user}"))).words(&parsed, &values);
        assert!(words.starts_with("the body should be '***' but it is '*** ü"), "{words}");
        assert!(words.ends_with("...', 1008 bytes") && words.len() < 350, "{words}");
    }

    #[test]
    fn only_what_looks_at_the_code_is_of_the_code() {
        let code = Check::Code(vec![(200, 200)]);
        assert!(code.is_of_the_code() && !code.wants().fields && !code.wants().body);
        assert!(Check::Not(Box::new(code)).is_of_the_code());
        let field = field("X", Condition::Equal(text("${user}")));
        assert!(!field.is_of_the_code() && field.wants().fields);
        assert_eq!(Check::Not(Box::new(field)).texts().count(), 1);
    }
}
