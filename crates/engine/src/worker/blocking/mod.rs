//! A worker whose only session blocks its thread: a call into a database library or the name service.
//!
//! Such threads cannot watch a clock while they wait, so they have no pacer. Between exchanges a thread updates its own
//! `SlotState`: what is due and what was measured. While the thread is inside a call, the [`Watchdog`], one thread
//! for all slots, may take the lock on that state and notices when an exchange takes too long. An exchange cannot be
//! cancelled: the watchdog records it as timed out, abandons its thread and starts a replacement. An abandoned thread
//! that returns finds that the state belongs to its replacement and exits without recording anything. This costs one
//! uncontended lock an exchange, and bounds every run whatever a library does.

mod sessions;
mod slot;
mod slot_state;
#[cfg(test)]
mod tests;
mod thread;
mod watchdog;

pub(crate) use sessions::BlockingSessions;
pub(crate) use slot::{BlockingSlot, SlotError};
pub(crate) use watchdog::Watchdog;

use super::{TICK, TICK_MIN};
use brunt_exchange::{Clock, Moment, Monotonic};
use rustix::thread::{ClockId, clock_nanosleep_relative};
use rustix::time::Timespec;

/// A clock for which a thread can wait.
pub(crate) trait Wait: Clock + Clone + Send + Sync + 'static {
    /// What each thread of a run has while it uses the clock.
    type Registration: Registration;

    /// Blocks the thread until this moment. It may return early.
    fn wait_until(&self, at: Moment);

    /// Registers a thread that is about to be started.
    fn register(&self) -> Self::Registration;

    /// Takes the time that a call into a library takes besides its work, which on a real machine is none.
    fn call(&self) {}
}

/// A thread that uses a clock, until this is dropped.
pub(crate) trait Registration: Send + 'static {
    /// The thread was started. It calls this before anything else.
    fn begin(&self);
}

/// Threads of a real machine need none.
impl Registration for () {
    fn begin(&self) {}
}

impl Wait for Monotonic {
    type Registration = ();

    fn register(&self) {}

    fn wait_until(&self, at: Moment) {
        let left = at - self.now();
        if !left.is_zero() {
            let request = Timespec {
                tv_sec: left.as_secs().cast_signed(),
                tv_nsec: i64::from(left.subsec_nanos()),
            };
            // A signal only makes it return early.
            let _ = clock_nanosleep_relative(ClockId::Monotonic, &request);
        }
    }
}
