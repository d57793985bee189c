//! The time of day of a run, as a timestamp.

use brunt_engine::RunClock;
use jiff::Timestamp;

/// What time it is by this clock.
pub fn now(clock: RunClock) -> Timestamp {
    // A time that a timestamp cannot hold is none that a machine shows.
    Timestamp::try_from(clock.now()).unwrap_or_default()
}
