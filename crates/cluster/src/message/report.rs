//! What an agent reports ([`Report`]) and what it is told ([`Word`]).

use serde::{Deserialize, Serialize};

/// How far an agent is with its share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Stage {
    /// Its sessions connect.
    Preparing,
    /// All are connected, and nothing is sent.
    Ready,
    /// It knows when to begin, or has begun.
    Running,
    /// Its run is over; all that the run has told is in the stream.
    Ended {
        /// The exit code of the run.
        code: Option<i32>,
        /// Why the agent ended it, if it did.
        why: Option<String>,
    },
    /// It does not carry the order out.
    Refused {
        /// Why not.
        why: String,
    },
}

impl Stage {
    /// Whether nothing more comes of it.
    pub const fn is_over(&self) -> bool {
        matches!(self, Self::Ended { .. } | Self::Refused { .. })
    }
}

/// An agent says how far it is, four times a second and whenever it has something to tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Which of the agents of this name.
    pub nonce: String,
    /// How far it is.
    pub stage: Stage,
    /// The monotonic clock of the agent when it sent this, in nanoseconds: also the number of the report.
    pub sent_ns: u64,
    /// Where the piece that comes with this lies in the stream of event lines.
    pub at: u64,
    /// How long the whole stream is so far.
    pub total: u64,
    /// The wall clock of the agent, in milliseconds since 1970.
    pub wall_ms: i64,
    /// What is known of its clocks, once some reports were answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockReport>,
}

/// An agent's clocks at the moment of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockReport {
    /// Its wall clock, in microseconds since 1970.
    pub wall_us: i64,
    /// What the coordinator's monotonic clock shows more than its own, in nanoseconds.
    pub offset_ns: i64,
    /// The quickest round trip of those that this rests on, in nanoseconds.
    pub round_trip_ns: u64,
}

/// What an agent is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Wish {
    /// Connect, and wait.
    Wait,
    /// Begin at this moment.
    Start {
        /// By the monotonic clock of the coordinator, in nanoseconds.
        at_ns: u64,
    },
    /// Begin nothing more, and let what is in flight end.
    Stop,
    /// End at once.
    Abort,
    /// All has arrived: ask for other work.
    Leave,
}

/// The coordinator answers a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// The run it is about.
    pub run: String,
    /// Which of the runs that one command makes.
    pub epoch: u32,
    /// The nonce of the agent it is for.
    pub nonce: String,
    /// The report it answers, by its `sent_ns`.
    pub answers_ns: u64,
    /// The monotonic clock of the coordinator, in nanoseconds.
    pub now_ns: u64,
    /// How much of the stream has arrived.
    pub arrived: u64,
    /// What to do.
    pub wish: Wish,
}
