//! When, how many and how long: schedules, the clock, workers and the phases of a run.
//!
//! The engine stands between a schedule and the sessions and alone holds the clock and the
//! histograms. It is generic over [`Session`](brunt_exchange::Session) and cannot see a protocol.

mod chance;
pub mod cores;
pub mod limits;
pub mod schedule;
mod stop;
mod think;
pub mod timer;

pub use stop::{Stop, Urgency};
pub use think::{ThinkTime, ThinkTimeError};
