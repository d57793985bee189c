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
mod simulated_machine;
mod ticks;
mod watch;

pub(crate) use delay::{Delay, current as current_delay};
pub use noise::timer_noise;
pub use simulated_machine::{SimulatedMachine, ThreadUse};
pub use watch::MachineWatch;
