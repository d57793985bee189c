//! A worker whose only session keeps its thread waiting: a call into a database library or the name service.
//!
//! Such a thread cannot watch a clock while it waits, so it has no pacer. Between exchanges it looks after its own
//! books ([`SlotState`]: what is due, what was measured), and while it waits they lie open for the [`Watchdog`], one
//! thread for all, who notices when an exchange takes too long. An exchange cannot be called off: the watchdog enters
//! it as timed out, leaves its thread behind and puts a stand-in in its place. Whoever returns to books that are
//! another's now goes away without a word. That costs one lock an exchange that nobody else wants, and makes every run
//! bounded, whatever a library does.

mod slot;
mod slot_state;
#[cfg(test)]
mod tests;
mod thread;
mod watchdog;

pub(crate) use slot::{BlockingSlot, Fault};
pub(crate) use watchdog::Watchdog;

use super::{TICK, TICK_MIN};
use brunt_exchange::{Clock, Moment, Monotonic};
use rustix::thread::{ClockId, clock_nanosleep_relative};
use rustix::time::Timespec;

/// A clock for which a thread can wait.
pub(crate) trait Wait: Clock + Clone + Send + Sync + 'static {
    /// Keeps the thread until the moment has come. It may return early.
    fn wait_until(&self, at: Moment);
}

impl Wait for Monotonic {
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
