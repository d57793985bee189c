//! A compiled attribute line: text and tags in order, and whether it is there at all.

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

/// What a line gives.
#[derive(Clone, Debug, Default)]
pub(super) struct Value {
    /// All of them must hold for the line to give a value.
    pub(super) conditions: Vec<Condition>,
    pub(super) parts: Vec<Part>,
    /// Whether the DN of the entry is needed to compute it.
    pub(super) needs_dn: bool,
}

/// When a line gives a value.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// For this many entries of a hundred.
    Presence(u8, Stream),
    /// Where one of these lines gives a value, or this very one.
    IfPresent(Vec<usize>, Option<String>),
    /// Where none of them does.
    IfAbsent(Vec<usize>, Option<String>),
}

/// A part of a value.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(String),
    /// What a line above gives, or its first characters where that is not 0.
    Reference(usize, usize),
    Dn(Extent),
    ParentDn(Extent),
    Rdn(Extent),
    First,
    Last,
    /// The lines of a file in turn.
    Lines(Arc<Lines>),
    /// A random line of a file.
    Line(Arc<Lines>, Stream),
    /// One of several texts, each with the sum of the weights up to it.
    List(Vec<(u64, String)>, Stream),
    Guid(Stream),
    Sequence {
        start: i64,
        restart: bool,
    },
    Random(Random, Stream),
}

/// How much of a DN or RDN: the first components, the last where negative, all where 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub(super) count: i32,
    pub(super) underscores: bool,
}

/// What `<random:...>` draws.
#[derive(Clone, Debug)]
pub(super) enum Random {
    /// Between so many and so many characters.
    Chars(Charset, u32, u32),
    /// A number from the first on, within the span.
    Number(i64, u64, Option<Decimal>),
    /// The name of a month, or its first characters.
    Month(usize),
    Telephone,
}
