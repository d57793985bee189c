//! The evaluation of a path on a value.

use super::{Comparison, Condition, Operand, Query, Segment, Selector};
use crate::unexamined::Unexamined;
use crate::work::Work;
use serde_json::Value;
use std::borrow::Cow;

type Result<T> = std::result::Result<T, Unexamined>;

/// The values that `query` leads to from `root`.
pub(super) fn evaluate<'v>(query: &Query, root: &'v Value, work: &Work) -> Result<Vec<&'v Value>> {
    Evaluation { root, work }.query(query, root)
}

struct Evaluation<'v, 'w> {
    root: &'v Value,
    work: &'w Work,
}

impl<'v> Evaluation<'v, '_> {
    fn query(&self, query: &Query, current: &'v Value) -> Result<Vec<&'v Value>> {
        let mut values = vec![if query.absolute { self.root } else { current }];
        for segment in &query.segments {
            let mut found = Vec::new();
            for value in values {
                self.segment(segment, value, &mut found)?;
            }
            values = found;
        }
        Ok(values)
    }

    /// What a segment selects from `value` and, if it descends, from everything below. JSON is parsed to a depth of at
    /// most 127.
    fn segment(
        &self,
        segment: &Segment,
        value: &'v Value,
        found: &mut Vec<&'v Value>,
    ) -> Result<()> {
        self.work.visit(1)?;
        for selector in &segment.selectors {
            self.select(selector, value, found)?;
        }
        if segment.descends {
            for child in children(value) {
                self.segment(segment, child, found)?;
            }
        }
        Ok(())
    }

    fn select(
        &self,
        selector: &Selector,
        value: &'v Value,
        found: &mut Vec<&'v Value>,
    ) -> Result<()> {
        match (selector, value) {
            (Selector::Name(name), Value::Object(members)) => {
                self.work.visit(1)?;
                found.extend(members.get(name));
            }
            (Selector::Index(at), Value::Array(list)) => {
                self.work.visit(1)?;
                found.extend(place(*at, list.len()).and_then(|at| list.get(at)));
            }
            (Selector::Slice { start, end, step }, Value::Array(list)) => {
                for at in slice(*start, *end, *step, list.len()) {
                    self.work.visit(1)?;
                    found.extend(list.get(at));
                }
            }
            (Selector::Any, value) => {
                for child in children(value) {
                    self.work.visit(1)?;
                    found.push(child);
                }
            }
            (Selector::Filter(condition), value) => {
                for child in children(value) {
                    if self.holds(condition, child)? {
                        found.push(child);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn holds(&self, condition: &Condition, current: &'v Value) -> Result<bool> {
        self.work.visit(1)?;
        match condition {
            Condition::Any(conditions) => {
                for condition in conditions {
                    if self.holds(condition, current)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Condition::All(conditions) => {
                for condition in conditions {
                    if !self.holds(condition, current)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Condition::Not(condition) => Ok(!self.holds(condition, current)?),
            Condition::Exists(query) => Ok(!self.query(query, current)?.is_empty()),
            Condition::Compare(left, comparison, right) => {
                let (left, right) = (self.operand(left, current)?, self.operand(right, current)?);
                self.compare(*comparison, left.as_deref(), right.as_deref())
            }
            Condition::Matches(of, pattern) => match self.operand(of, current)?.as_deref() {
                Some(Value::String(text)) => pattern.is_match(text.as_bytes(), self.work),
                _ => Ok(false),
            },
        }
    }

    /// The value of an operand; `None` if its query selects none.
    fn operand<'o>(
        &self,
        operand: &'o Operand,
        current: &'v Value,
    ) -> Result<Option<Cow<'o, Value>>>
    where
        'v: 'o,
    {
        self.work.visit(1)?;
        Ok(match operand {
            Operand::Literal(value) => Some(Cow::Borrowed(value)),
            Operand::Value(query) => {
                self.query(query, current)?.first().copied().map(Cow::Borrowed)
            }
            Operand::Only(query) => match self.query(query, current)?[..] {
                [value] => Some(Cow::Borrowed(value)),
                _ => None,
            },
            Operand::Count(query) => {
                Some(Cow::Owned(Value::from(self.query(query, current)?.len())))
            }
            Operand::Length(of) => {
                let length = match self.operand(of, current)?.as_deref() {
                    Some(Value::String(text)) => {
                        self.work.read(text.len())?;
                        Some(text.chars().count())
                    }
                    Some(Value::Array(list)) => Some(list.len()),
                    Some(Value::Object(members)) => Some(members.len()),
                    _ => None,
                };
                length.map(|length| Cow::Owned(Value::from(length)))
            }
        })
    }

    /// Section 2.3.5.2.2: values of different types are unequal and neither is less.
    fn compare(
        &self,
        comparison: Comparison,
        left: Option<&Value>,
        right: Option<&Value>,
    ) -> Result<bool> {
        use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        Ok(match comparison {
            Equal => self.equal(left, right)?,
            NotEqual => !self.equal(left, right)?,
            Less => self.less(left, right)?,
            Greater => self.less(right, left)?,
            LessOrEqual => self.less(left, right)? || self.equal(left, right)?,
            GreaterOrEqual => self.less(right, left)? || self.equal(left, right)?,
        })
    }

    fn equal(&self, left: Option<&Value>, right: Option<&Value>) -> Result<bool> {
        match (left, right) {
            (Some(left), Some(right)) => self.same(left, right),
            (left, right) => Ok(left.is_none() && right.is_none()),
        }
    }

    fn less(&self, left: Option<&Value>, right: Option<&Value>) -> Result<bool> {
        Ok(match (left, right) {
            (Some(Value::Number(left)), Some(Value::Number(right))) => {
                match (left.as_i64(), right.as_i64()) {
                    (Some(left), Some(right)) => left < right,
                    _ => left.as_f64() < right.as_f64(),
                }
            }
            (Some(Value::String(left)), Some(Value::String(right))) => {
                self.work.read(left.len().min(right.len()))?;
                left < right
            }
            _ => false,
        })
    }

    fn same(&self, left: &Value, right: &Value) -> Result<bool> {
        self.work.visit(1)?;
        match (left, right) {
            (Value::Number(left), Value::Number(right)) => {
                Ok(left == right || left.as_f64() == right.as_f64())
            }
            (Value::String(left), Value::String(right)) if left.len() == right.len() => {
                self.work.read(left.len())?;
                Ok(left == right)
            }
            (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
                for (left, right) in left.iter().zip(right) {
                    if !self.same(left, right)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Value::Object(left), Value::Object(right)) if left.len() == right.len() => {
                for (name, left) in left {
                    self.work.read(name.len())?;
                    match right.get(name) {
                        Some(right) if self.same(left, right)? => {}
                        _ => return Ok(false),
                    }
                }
                Ok(true)
            }
            (Value::Null, Value::Null) => Ok(true),
            (Value::Bool(left), Value::Bool(right)) => Ok(left == right),
            _ => Ok(false),
        }
    }
}

fn children(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(list) => Box::new(list.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => Box::new(std::iter::empty()),
    }
}

/// The position that an index means; a negative index counts from the end.
fn place(at: i64, length: usize) -> Option<usize> {
    let length = i64::try_from(length).ok()?;
    usize::try_from(if at < 0 { at + length } else { at }).ok()
}

/// The positions of a slice, section 2.3.4.2.2.
fn slice(
    start: Option<i64>,
    end: Option<i64>,
    step: i64,
    length: usize,
) -> impl Iterator<Item = usize> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let normal = |at: i64| if at < 0 { at + length } else { at };
    let (first, last) = if step >= 0 {
        let start = normal(start.unwrap_or(0)).clamp(0, length);
        (start, normal(end.unwrap_or(length)).clamp(0, length))
    } else {
        let start = start.map_or(length - 1, normal).clamp(-1, length - 1);
        (start, end.map_or(-1, normal).clamp(-1, length - 1))
    };
    let mut at = first;
    std::iter::from_fn(move || {
        let within = if step >= 0 { step > 0 && at < last } else { at > last };
        let here = within.then_some(at)?;
        at += step;
        usize::try_from(here).ok()
    })
}
