//! [`Check`]: what must hold of an answer.
//!
//! A check looks at the same places as an extraction and makes one statement about what it finds there. It is evaluated
//! for every exchange. If the part of the answer that it needs cannot be examined, neither the check nor its negation
//! holds. The expected and the actual value are only put into words for the few failures that are kept, and secrets are
//! left out.

use super::extract::{Count, Found, Location};
use super::pattern::Pattern;
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
            _ => None,
        };
        text.into_iter()
    }

    /// The parts of an answer that it needs.
    pub fn wants(&self) -> Wanted {
        match self {
            Self::Code(_) | Self::Size { .. } => Wanted::default(),
            Self::Value { of, .. } | Self::Count { of, .. } => of.wants(),
            Self::Not(check) => check.wants(),
        }
    }

    /// The expected and the actual value, for an answer of which it does not hold. Secrets are not shown.
    pub fn words(&self, parsed: &Parsed<'_>, values: &Values) -> String {
        parsed.work().renew();
        let came = match self.place() {
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
        values.shown(&format!("{} but {came}", Expected { check: self, values, not: false }))
    }

    /// What was expected, for an answer that could not be examined. Secrets are not shown.
    pub fn words_unexamined(&self, why: Unexamined, values: &Values) -> String {
        values.shown(&format!("{}, but {why}", Expected { check: self, values, not: false }))
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

/// Whether a count is in the range.
fn within(count: Count, least: u64, most: u64) -> Result<bool, Unexamined> {
    let so_far = (least..=most).contains(&count.least);
    // If the count may still rise, it decides only when it exceeds the maximum, or when it has reached the minimum and
    // there is no maximum.
    let decided = count.whole || count.least > most || so_far && most == u64::MAX;
    if decided { Ok(so_far) } else { Err(Unexamined::Truncated) }
}

impl Condition {
    fn holds(&self, found: &Found<'_>, values: &Values, work: &Work) -> Result<bool, Unexamined> {
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
mod tests {
    use super::*;
    use crate::Reply;
    use brunt_feed::{Escape, Hole};
    use brunt_http_driver::Response;
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
        if check.holds(&parsed, &values) == Ok(true) {
            Ok(())
        } else {
            Err(check.words(&parsed, &values))
        }
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
            field("X-Id", Condition::Match(Pattern::parse("^jo-[0-9]$", 0).unwrap())),
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

    /// The results of a check and of its negation.
    fn both(check: Check, response: &Response) -> [Result<bool, Unexamined>; 2] {
        let values = Values::new(1);
        let holds = |check: &Check| check.holds(&Parsed::new(Reply::Http(response)), &values);
        let straight = holds(&check);
        [straight, holds(&Check::Not(Box::new(check)))]
    }

    #[test]
    fn what_was_not_looked_at_passes_no_check_and_not_its_opposite() {
        let nested =
            (0..8_000).fold(String::new(), |text, at| text + &format!("<a xmlns:n{at}='u'>"));
        let nested = nested + &"</a>".repeat(8_000);
        let chains = vec!["[".repeat(100) + &"]".repeat(100); 4_800].join(",");
        let chains = format!("[{chains}]");
        let xpath = |path| Location::xpath(path).unwrap();
        let path = |path| Location::path(path).unwrap();
        let one = || Condition::Json(json!(1));
        for (body, of, must, why) in [
            ("<!DOCTYPE a><a/>", xpath("//b"), Condition::Exist, Unexamined::Doctype),
            (&nested, xpath("//b"), Condition::Exist, Unexamined::Work),
            (&chains, path("$..*..*..*"), Condition::Exist, Unexamined::Work),
            ("{\"a\":1e999}", path("$.b"), Condition::Exist, Unexamined::Number),
            ("{\"a\":1e999}", Location::pointer("/a").unwrap(), one(), Unexamined::Number),
            ("<p>", path("$.b"), Condition::Exist, Unexamined::NotJson { line: 1, column: 1 }),
            ("{}", xpath("//b"), Condition::Exist, Unexamined::NotXml { line: 1, column: 1 }),
        ] {
            let response = Response::sample(200, &[], body.as_bytes());
            let check = value(of.clone(), must);
            assert_eq!(both(check, &response), [Err(why), Err(why)], "{of}");
            let count = Check::Count { of: of.clone(), least: 0, most: 0 };
            assert_eq!(both(count, &response), [Err(why), Err(why)], "{of}");
        }
        // Everything is known about an empty body.
        let empty = Response::sample(204, &[], b"");
        for of in [xpath("//b"), path("$.b"), Location::pointer("/b").unwrap()] {
            assert_eq!(both(value(of, Condition::Exist), &empty), [Ok(false), Ok(true)]);
        }
    }

    #[test]
    fn the_beginning_of_a_body_tells_what_it_tells() {
        let mut response = Response::sample(200, &[], b"one two thr");
        response.cut_off();
        let unknown = [Err(Unexamined::Truncated); 2];
        let (yes, no) = ([Ok(true), Ok(false)], [Ok(false), Ok(true)]);
        let pattern = |text: &str| Condition::Match(Pattern::parse(text, 0).unwrap());
        for (must, expected) in [
            (Condition::Exist, yes),
            (Condition::Contain(text("two")), yes),
            (Condition::Contain(text("three")), unknown),
            (pattern("t[a-z]o"), yes),
            (pattern("thr"), unknown),
            (pattern("four"), unknown),
            (Condition::Equal(text("one two three")), unknown),
            (Condition::Equal(text("one")), no),
            (Condition::Json(json!(1)), unknown),
        ] {
            let shown = format!("{must:?}");
            assert_eq!(both(value(Location::Body, must), &response), expected, "{shown}");
        }
        let count = |least, most| {
            let of = Location::pattern("o", 0).unwrap();
            both(Check::Count { of, least, most }, &response)
        };
        assert_eq!((count(1, u64::MAX), count(0, 1)), (yes, no));
        assert_eq!((count(2, 2), count(0, 0), count(3, u64::MAX)), (unknown, no, unknown));
        assert_eq!(both(at("/a", Condition::Exist), &response), unknown);
        let check = Check::Not(Box::new(value(Location::Body, Condition::Contain(text("x")))));
        let words = check.words_unexamined(Unexamined::Truncated, &Values::new(1));
        assert_eq!(
            words,
            "the body should not contain 'x', but only the beginning of the body was kept (`body-kept`)"
        );
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
