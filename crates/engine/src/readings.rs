//! [`Readings`]: notices that a virtual clock stands still for ever.

use brunt_exchange::Moment;

/// How often a clock may be read at one moment. What a test does at one moment reads it some thousand times.
const MOST: u64 = 1_000_000;

/// How often a virtual clock was read since it was moved on.
#[derive(Debug, Default)]
pub(crate) struct Readings {
    at: Moment,
    count: u64,
}

impl Readings {
    /// Counts a reading at this moment. Panics if there were so many that the clock will never move on: a test that
    /// hangs reports less than one that fails.
    pub(crate) fn add(&mut self, now: Moment) {
        if now != self.at {
            *self = Self { at: now, count: 0 };
        }
        self.count += 1;
        assert!(self.count < MOST, "it stands still at {:?}", now.since_origin());
    }
}
