//! The phases of a run. Only the steady phase enters the totals; the others are kept beside it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a run is doing.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
// As wide as a moment, so that a phase next to moments leaves no padding. Padding is copied in pieces that a processor
// cannot read back before they have reached its cache: a dozen cycles each time, for every exchange.
#[repr(u64)]
pub enum Phase {
    /// Connecting, and checking the parameters, before any exchange is due.
    Prepare,
    /// Exchanges at full load that are not counted in the result.
    WarmUp,
    /// Exchanges at a rate that approaches the steady one.
    Ramp,
    /// The phase that is measured.
    #[default]
    Steady,
    /// No more exchanges become due; those in flight end.
    Drain,
}

impl Phase {
    /// Every phase, in the order of a run.
    pub const ALL: [Self; 5] = [Self::Prepare, Self::WarmUp, Self::Ramp, Self::Steady, Self::Drain];

    /// The word a report uses.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Prepare => "prepare",
            Self::WarmUp => "warm-up",
            Self::Ramp => "ramp",
            Self::Steady => "steady",
            Self::Drain => "drain",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}
