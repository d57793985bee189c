//! [`JsonPath`]: the values of a JSON body that a path leads to, RFC 9535.
//!
//! Written here because the crates that follow such paths do so to the end, however long that takes, and read
//! expressions by recursion without a bound. What is followed here is counted against the [`Work`] of the answer. It is
//! RFC 9535 but for one thing: the expression given to `match()` and `search()` must be a text in the path and not a
//! value of the body, so that it is compiled once. The members of an object are met in the order of their names.

mod evaluate;
mod parse;

use super::pattern::Pattern;
use super::unexamined::Unexamined;
use super::work::Work;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// The longest path.
const LENGTH_MAX: usize = 4096;

/// A path, compiled.
#[derive(Clone, Debug)]
pub struct JsonPath {
    text: Arc<str>,
    query: Arc<Query>,
}

impl JsonPath {
    /// Reads a path. The error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LENGTH_MAX {
            return Err(format!("it is longer than {LENGTH_MAX} bytes"));
        }
        Ok(Self { text: text.into(), query: Arc::new(parse::parse(text)?) })
    }

    /// The values it leads to.
    pub(super) fn find<'v>(
        &self,
        root: &'v Value,
        work: &Work,
    ) -> Result<Vec<&'v Value>, Unexamined> {
        evaluate::evaluate(&self.query, root, work)
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Segments from somewhere.
#[derive(Clone, Debug)]
struct Query {
    /// Whether it begins at the root, `$`, and not at the value a filter looks at, `@`.
    absolute: bool,
    segments: Vec<Segment>,
}

impl Query {
    /// Whether it leads to one value at most.
    fn is_singular(&self) -> bool {
        let single = |segment: &Segment| {
            !segment.descends
                && matches!(&segment.selectors[..], [Selector::Name(_) | Selector::Index(_)])
        };
        self.segments.iter().all(single)
    }
}

#[derive(Clone, Debug)]
struct Segment {
    /// Whether all that stands below is meant as well: `..`.
    descends: bool,
    selectors: Vec<Selector>,
}

#[derive(Clone, Debug)]
enum Selector {
    Name(String),
    Any,
    Index(i64),
    Slice { start: Option<i64>, end: Option<i64>, step: i64 },
    Filter(Condition),
}

/// What a filter asks of a value.
#[derive(Clone, Debug)]
enum Condition {
    Any(Vec<Self>),
    All(Vec<Self>),
    Not(Box<Self>),
    Exists(Query),
    Compare(Operand, Comparison, Operand),
    /// Of a text: `match()` and `search()`.
    Matches(Operand, Pattern),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// What is compared.
#[derive(Clone, Debug)]
enum Operand {
    Literal(Value),
    /// A query that leads to one value at most.
    Value(Query),
    /// `length()`
    Length(Box<Self>),
    /// `count()`
    Count(Query),
    /// `value()`
    Only(Query),
}

#[cfg(test)]
mod tests;
