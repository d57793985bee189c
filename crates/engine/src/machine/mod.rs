//! What the machine did to the generator while it ran: the evidence a verdict needs.
//!
//! A run that fell behind its schedule has a cause, and the cause may be here and not at the target: other processes on
//! our cores, a hypervisor, a quota, a process that was stopped. [`MachineWatch`] collects that while a run is under
//! way; [`timer_noise`] measures before a run what this machine's timers are good for. What cannot be read, because a
//! container hides it or the kernel is older, counts as zero. Nothing here may know what the figures are judged by.

mod counters;
mod delay;
mod gap;
mod noise;
mod pressure;
mod quota;
mod ticks;
mod watch;

pub(crate) use delay::{Delay, current as current_delay};
pub use noise::timer_noise;
pub use watch::MachineWatch;
