//! [`JsonPath`]: the values of a JSON body that a path leads to, RFC 9535.
//!
//! It is implemented here because the crates that evaluate paths always evaluate them completely, however long that
//! takes, and parse expressions by unbounded recursion. This evaluation is counted against the [`Work`] of the answer.
//! It implements RFC 9535 with one exception: the expression passed to `match()` and `search()` must be a literal in
//! the path and not a value of the body, so that it is compiled once. The members of an object are visited in the order
//! of their names.

mod error;
mod evaluate;
mod parse;

pub use error::JsonPathError;
use error::LENGTH_MAX;

use super::pattern::Pattern;
use super::unexamined::Unexamined;
use super::work::Work;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// A path, compiled.
#[derive(Clone, Debug)]
pub struct JsonPath {
    text: Arc<str>,
    query: Arc<Query>,
}

impl JsonPath {
    /// Parses a path.
    pub fn parse(text: &str) -> Result<Self, JsonPathError> {
        if text.len() > LENGTH_MAX {
            return Err(JsonPathError::Long);
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

/// Segments from a starting point.
#[derive(Clone, Debug)]
struct Query {
    /// Whether it begins at the root, `$`, and not at the current value of a filter, `@`.
    absolute: bool,
    segments: Vec<Segment>,
}

impl Query {
    /// Whether it leads to at most one value.
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
    /// Whether all descendants are included: `..`.
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

/// A condition of a filter.
#[derive(Clone, Debug)]
enum Condition {
    Any(Vec<Self>),
    All(Vec<Self>),
    Not(Box<Self>),
    Exists(Query),
    Compare(Operand, Comparison, Operand),
    /// On a text: `match()` and `search()`.
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

/// An operand of a comparison.
#[derive(Clone, Debug)]
enum Operand {
    Literal(Value),
    /// A query that leads to at most one value.
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
