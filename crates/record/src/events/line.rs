//! The kinds of line that an event file has: [`Line`].

use super::IntervalLine;
use crate::{CodeRecord, Ending, Head, HistogramError, PaceError, Record, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::Duration;

/// The version of the format. A change that could break a reader raises the number; new fields and
/// new types of line do not.
pub const EVENTS_SCHEMA: &str = "brunt-events/1";

/// A line of an event file.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Numbered<'a> {
    /// The number of the line in the run, counted from 0, without gaps.
    pub(super) seq: u64,
    /// The content of the line.
    #[serde(flatten)]
    pub(super) line: Line<'a>,
}

/// The content of a line.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Line<'a> {
    /// The first line: what is known before the run.
    Head(Box<HeadLine<'a>>),
    /// The run waits for the signal to begin: the second line of a run that receives such a signal.
    Ready(ReadyLine),
    /// What was measured in one step of one phase.
    Interval(Box<IntervalLine>),
    /// The verdict that the run would get if it ended now.
    Verdict(VerdictLine),
    /// The last line of a run that came to an end.
    End(Box<EndLine<'a>>),
}

/// What is known before the run.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HeadLine<'a> {
    /// `brunt-events/1`.
    pub(super) schema: &'static str,
    /// The rest.
    #[serde(flatten)]
    pub(super) head: Cow<'a, Head>,
}

/// What is ready in a run that waits for the signal to begin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct ReadyLine {
    /// How many sessions were requested from this machine.
    pub(super) sessions: u64,
    /// How many of them are ready.
    pub(super) ready: u64,
    /// Why attempts to make the others ready failed.
    pub(super) unready: Vec<CodeRecord>,
}

/// A provisional verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct VerdictLine {
    /// When the last interval that it is based on ended, since the origin of the run.
    #[serde(rename = "at_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub(super) at: Duration,
    /// The verdict on what was measured so far.
    pub(super) verdict: Verdict,
}

/// What is known once the run is over.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EndLine<'a> {
    /// When it was measured, and how it ended.
    #[serde(flatten)]
    pub(super) ending: Cow<'a, Ending>,
    /// The record, as `--record` writes it.
    pub(super) record: Cow<'a, Record>,
}

/// The fields that every line has, and those that only the head has.
#[derive(Debug, Deserialize)]
pub(super) struct Kind {
    #[serde(rename = "type")]
    pub(super) word: String,
    pub(super) seq: u64,
    #[serde(default)]
    pub(super) schema: Option<String>,
}

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// It is not JSON, or not of the shape that its type has.
    #[error("it cannot be understood ({0})")]
    Json(#[from] serde_json::Error),
    /// One of its histograms is damaged.
    #[error("failed to {0}")]
    Histogram(#[from] HistogramError),
    /// When exchanges were due and answered is damaged.
    #[error("failed to {0}")]
    Pace(#[from] PaceError),
    /// It names a class of outcomes that does not exist.
    #[error("there is no class of outcomes {0:?}")]
    Class(String),
    /// It contains a number that cannot have been counted.
    #[error("the number {0} is larger than a run can count")]
    Large(u64),
    /// It has more or fewer operations or parts than the head names.
    #[error("it has {found} {what}, and the head names {named}")]
    Unnamed {
        /// Operations or parts.
        what: &'static str,
        /// How many the line has.
        found: usize,
        /// How many there should be.
        named: usize,
    },
    /// Lines are missing, or occur twice.
    #[error("it has number {found} where {expected} follows: lines are missing or doubled")]
    Number {
        /// Its number.
        found: u64,
        /// The number it should have.
        expected: u64,
    },
    /// The line is too long.
    #[error("it is longer than {0} bytes")]
    Long(u64),
    /// The first line is not a head, or another line is one.
    #[error("it is of type {found:?} where {expected} belongs")]
    Order {
        /// The type of the line.
        found: String,
        /// The type that is expected there.
        expected: &'static str,
    },
    /// The format has another version.
    #[error("it has the format {found:?}, and this program reads {EVENTS_SCHEMA:?}")]
    Version {
        /// The format that it states.
        found: String,
    },
}

/// The JSON schema of a line, as it is published.
pub fn schema() -> String {
    crate::schema_of::<Numbered<'_>>(EVENTS_SCHEMA)
}
