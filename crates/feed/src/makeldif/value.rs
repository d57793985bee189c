//! A compiled attribute line: text and tags in order, and the conditions under which it has a
//! value.

use crate::charset::Charset;
use crate::decimal::Decimal;
use crate::lines::Lines;
use crate::stream::Stream;
use std::sync::Arc;

/// An attribute line.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) value: Value,
}

/// The value of a line.
#[derive(Clone, Debug, Default)]
pub(super) struct Value {
    /// The line has a value only if all of these hold.
    pub(super) conditions: Vec<Condition>,
    pub(super) parts: Vec<Part>,
    /// Whether the DN of the entry is needed to compute it.
    pub(super) needs_dn: bool,
}

/// A condition under which a line has a value.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// In this percentage of the entries.
    Presence(u8, Stream),
    /// If one of these lines has a value, or this particular value.
    IfPresent(Vec<usize>, Option<String>),
    /// If none of them does.
    IfAbsent(Vec<usize>, Option<String>),
}

/// A part of a value.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(String),
    /// The value of a line above, or its first characters if the number is not 0.
    Reference(usize, usize),
    Dn(Extent),
    ParentDn(Extent),
    Rdn(Extent),
    First,
    Last,
    /// The lines of a file in order.
    Lines(Arc<Lines>),
    /// A random line of a file.
    Line(Arc<Lines>, Stream),
    /// One of several texts, each with the sum of the weights up to and including its own.
    List(Vec<(u64, String)>, Stream),
    Guid(Stream),
    Sequence {
        start: i64,
        restart: bool,
    },
    Random(Random, Stream),
}

/// The part of a DN or RDN: the first components, the last if negative, all if 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub(super) count: i32,
    pub(super) underscores: bool,
}

/// What `<random:...>` draws.
#[derive(Clone, Debug)]
pub(super) enum Random {
    /// A number of characters between a minimum and a maximum.
    Chars(Charset, u32, u32),
    /// A number in a range, given as its first number and its span.
    Number(i64, u64, Option<Decimal>),
    /// The name of a month, or its first characters if the number is not 0.
    Month(usize),
    Telephone,
}
