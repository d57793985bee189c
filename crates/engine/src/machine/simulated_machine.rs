//! [`SimulatedMachine`]: a machine that a test makes up, in the place of the one that it runs on.

use brunt_exchange::Moment;
use brunt_record::{Machine, Stall, TimerNoise};
use std::fmt::Debug;
use std::time::Duration;

/// A machine that a test makes up: it says what a real one would have shown of itself.
pub trait SimulatedMachine: Debug + Send + Sync {
    /// How precise its timers are while nothing disturbs them.
    fn noise(&self) -> TimerNoise;

    /// What it did since the last call, and when it stood still, from the origin of the run on.
    fn observe(&self, origin: Option<Moment>) -> (Machine, Vec<Stall>);

    /// What the thread of the workers has used.
    fn used(&self) -> ThreadUse;
}

/// What a thread has used since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadUse {
    /// Processor time.
    pub cpu: Duration,
    /// How long it was ready to run and had no core.
    pub waited: Duration,
    /// How often it was given one.
    pub runs: u64,
}
