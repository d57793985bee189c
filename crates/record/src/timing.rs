//! The window of the steady phase, and what came before and after it: [`Timing`].

use crate::TimerNoise;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// When a run was measured, since its origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Timing {
    /// When exchanges of the steady phase began to become due.
    #[serde(rename = "from_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub from: Duration,
    /// When the last of them had fallen due: the end of the schedule, of the time limit or of the count. Rates are
    /// divided by the time between these two, however long the last answers took.
    #[serde(rename = "to_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub to: Duration,
    /// When nothing was in flight any more.
    #[serde(rename = "over_ns", with = "crate::nanos")]
    #[schemars(with = "u64")]
    pub over: Duration,
    /// How late this machine's timer was before the run.
    pub noise: TimerNoise,
}

impl Timing {
    /// How long exchanges of the steady phase became due.
    pub fn window(&self) -> Duration {
        self.to.saturating_sub(self.from)
    }

    /// How long it took after that until nothing was in flight.
    pub fn drained(&self) -> Duration {
        self.over.saturating_sub(self.to)
    }
}
