//! What the machine did to the generator during the run: the evidence for a verdict.
//!
//! If a run fell behind its schedule, the cause may be on this machine and not at the target: other processes on our
//! cores, a hypervisor, a quota, a process that was stopped. [`MachineWatch`] collects this evidence during a run;
//! [`timer_noise`] measures before a run how precise this machine's timers are while nothing disturbs them. Without
//! `/proc` the counters are marked as unseen; a single one that the kernel is too old for counts as zero. Nothing here
//! may know how the figures are judged.

mod counter_file;
mod counters;
mod delay;
mod disturbance;
mod gap;
mod noise;
mod pressure;
mod quota;
mod ticks;
mod watch;

pub(crate) use delay::{Delay, current as current_delay};
pub use noise::timer_noise;
pub use watch::MachineWatch;

use brunt_exchange::Moment;
use brunt_record::{Machine, Stall, TimerNoise};
use std::fmt::Debug;
use std::time::Duration;

/// A machine that a test makes up, with the figures that a real one would have shown.
pub trait SimulatedMachine: Debug + Send + Sync {
    /// How precise its timers are while nothing disturbs them.
    fn noise(&self) -> TimerNoise;

    /// What it did since the last call, and when it stood still, from the origin of the run on.
    fn observe(&self, origin: Option<Moment>) -> (Machine, Vec<Stall>);

    /// What the thread of the workers has used.
    fn used(&self) -> ThreadUse;

    /// A run is over by this moment, or none is carried out. One that would go on, or in which nothing waits for any
    /// moment, never ends: it panics, so that its test fails.
    fn ends_by(&self, at: Option<Moment>);
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
