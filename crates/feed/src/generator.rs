//! One compiled source of values: what an argument draws for an exchange.
//!
//! An enum rather than a trait object, so that drawing a row is a loop over a `match`, and the cost
//! of every kind can be seen here. Nothing in it changes during a run.

use crate::charset::Charset;
use crate::decimal::Decimal;
use crate::lines::Lines;
use crate::permutation::Permutation;
use crate::stream::Stream;
use crate::timestamp::Timestamp;
use crate::{Position, Row, uuid};
use std::sync::Arc;

/// Which counter a sequence follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// One sequence for the whole run: no value is repeated before the sequence is complete.
    #[default]
    Process,
    /// A sequence for each worker, all starting at the first value, as in `OpenDJ`'s tools.
    Worker,
}

impl Scope {
    const fn place(self, position: &Position) -> u64 {
        match self {
            Self::Process => position.number,
            Self::Worker => position.turn,
        }
    }
}

/// The kind of an argument's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Integers, which `%d` and `%x` can format.
    Integer,
    /// Text: lines of files, strings, all other values.
    Text,
}

/// A range of integers: `first`, `first + step` and so on, `steps` times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) first: i64,
    pub(crate) step: i64,
    pub(crate) steps: u64,
}

impl Range {
    /// Every integer from `first` to `last`, which must not be less than `first`.
    pub(crate) const fn between(first: i64, last: i64) -> Self {
        debug_assert!(first <= last, "a range that runs backwards");
        Self { first, step: 1, steps: last.wrapping_sub(first).cast_unsigned() }
    }

    const fn value(&self, index: u64) -> i64 {
        self.first.wrapping_add(self.step.wrapping_mul(index.cast_signed()))
    }
}

/// A source of values.
#[derive(Clone, Debug)]
pub(crate) enum Generator {
    /// Always the same value.
    Static(Vec<u8>, Option<i64>),
    /// The integers of a range, in order, repeatedly.
    Sequence(Range, Scope),
    /// A random integer from a range.
    Uniform(Range, Stream),
    /// The integers of a range in random order, without repeating one before all have been used.
    Shuffled(i64, Permutation),
    /// The lines of a file, in order, repeatedly.
    Lines(Arc<Lines>, Scope),
    /// A random line of a file.
    Line(Arc<Lines>, Stream),
    /// Random characters.
    Text(Charset, u32, Stream),
    /// The integers of another source, in a number format.
    Formatted(Box<Self>, Decimal),
    /// A random UUID.
    Uuid(Stream),
    /// A point in time.
    Timestamp(Timestamp),
}

impl Generator {
    /// The kind of the values.
    pub(crate) const fn kind(&self) -> Kind {
        match self {
            Self::Sequence(..)
            | Self::Uniform(..)
            | Self::Shuffled(..)
            | Self::Static(_, Some(_)) => Kind::Integer,
            _ => Kind::Text,
        }
    }

    /// Appends to `row` the value at `position`.
    pub(crate) fn draw(&self, position: &Position, row: &mut Row) {
        match self {
            Self::Static(text, integer) => {
                row.open().extend_from_slice(text);
                row.close(*integer);
            }
            Self::Lines(lines, scope) => row.push(lines.line(scope.place(position) % lines.len())),
            Self::Line(lines, stream) => {
                row.push(lines.line(stream.at(position.number).up_to(lines.len() - 1)));
            }
            Self::Text(charset, length, stream) => {
                let mut draws = stream.at(position.number);
                let bytes = row.open();
                for _ in 0..*length {
                    bytes.extend_from_slice(charset.char(draws.up_to(charset.last())));
                }
                row.close(None);
            }
            Self::Formatted(integers, format) => {
                let integer = integers.integer(position).unwrap_or_default();
                format.write(integer, row.open());
                row.close(None);
            }
            Self::Uuid(stream) => {
                uuid::write(&mut stream.at(position.number), row.open());
                row.close(None);
            }
            Self::Timestamp(timestamp) => {
                timestamp.write(position.number, row.open());
                row.close(None);
            }
            Self::Sequence(..) | Self::Uniform(..) | Self::Shuffled(..) => {
                row.push_integer(self.integer(position).unwrap_or_default());
            }
        }
    }

    /// The value at `position`, for a source of integers.
    fn integer(&self, position: &Position) -> Option<i64> {
        match self {
            Self::Sequence(range, scope) => {
                Some(range.value(wrapped(scope.place(position), range.steps)))
            }
            Self::Uniform(range, stream) => {
                Some(range.value(stream.at(position.number).up_to(range.steps)))
            }
            Self::Shuffled(first, order) => {
                Some(first.wrapping_add(order.value(position.number).cast_signed()))
            }
            _ => None,
        }
    }
}

/// `place` modulo `steps + 1`, a divisor that may exceed 64 bits.
fn wrapped(place: u64, steps: u64) -> u64 {
    steps.checked_add(1).map_or(place, |count| place % count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widest_range_does_not_overflow() {
        let range = Range::between(i64::MIN, i64::MAX);
        assert_eq!(range.value(0), i64::MIN);
        assert_eq!(range.value(u64::MAX), i64::MAX);
        assert_eq!(wrapped(u64::MAX, u64::MAX), u64::MAX);
        assert_eq!(wrapped(7, 2), 1);
    }
}
