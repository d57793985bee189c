//! What an agent reports ([`Report`]) and the answer that it receives ([`Word`]).

use serde::{Deserialize, Serialize};

/// How far an agent has progressed with its share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Stage {
    /// Its sessions connect.
    Preparing,
    /// All sessions are connected, and nothing is sent.
    Ready,
    /// It knows when to begin, or has begun.
    Running,
    /// Its run is over; all events of the run are in the stream.
    Ended {
        /// The exit code of the run.
        code: Option<i32>,
        /// Why the agent ended it, if it did.
        why: Option<String>,
    },
    /// It refuses the order.
    Refused {
        /// Why not.
        why: String,
    },
}

impl Stage {
    /// Whether this stage is final.
    pub const fn is_over(&self) -> bool {
        matches!(self, Self::Ended { .. } | Self::Refused { .. })
    }
}

/// The report of an agent, sent four times a second and whenever there are new events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The nonce of the agent, which distinguishes agents of this name.
    pub nonce: String,
    /// How far it has progressed.
    pub stage: Stage,
    /// The monotonic clock of the agent when it sent this, in nanoseconds: also the number of the report.
    pub sent_ns: u64,
    /// The position in the stream of event lines of the piece that is sent with this report.
    pub at: u64,
    /// The length of the whole stream so far.
    pub total: u64,
    /// The wall clock of the agent, in milliseconds since 1970.
    pub wall_ms: i64,
    /// The state of its clocks, once some reports were answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockReport>,
}

/// An agent's clocks at the moment of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockReport {
    /// Its wall clock, in microseconds since 1970.
    pub wall_us: i64,
    /// How far the coordinator's monotonic clock is ahead of its own, in nanoseconds.
    pub offset_ns: i64,
    /// The quickest round trip of those that the offset rests on, in nanoseconds.
    pub round_trip_ns: u64,
}

/// What an agent must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Instruction {
    /// Connect, and wait.
    Wait,
    /// Begin at this moment.
    Start {
        /// By the monotonic clock of the coordinator, in nanoseconds.
        at_ns: u64,
    },
    /// Begin no further exchanges, and let those in flight end.
    Stop,
    /// End at once.
    Abort,
    /// Everything has arrived: request other work.
    Leave,
}

/// The coordinator's answer to a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// The run it is about.
    pub run: String,
    /// The number of the run among those of the same command.
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
    pub wish: Instruction,
}
