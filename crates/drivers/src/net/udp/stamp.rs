//! A [`Translation`]: from stamps of the kernel, which are of the wall clock, to the moments of a run.
//!
//! Both clocks are read once a batch, so a step of the wall clock spoils at most the batch that waits at that instant.
//! This is no reading of time for a schedule: what comes out is always a moment that the run's clock has passed.

use brunt_exchange::{Clock, Moment};
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The two clocks at one instant.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Translation {
    wall: Duration,
    run: Moment,
}

impl Translation {
    /// Reads both clocks.
    pub(in crate::net) fn now(clock: &dyn Clock) -> Self {
        // A wall clock before 1970 translates nothing: every stamp is then now.
        let wall = Duration::try_from(clock_gettime(ClockId::Realtime)).unwrap_or_default();
        Self { wall, run: clock.now() }
    }

    /// The moment of a stamp. One that the wall clock has not reached is now.
    pub(in crate::net) fn moment(self, stamp: Duration) -> Moment {
        let ago = self.wall.saturating_sub(stamp);
        Moment::from_nanos(self.run.as_nanos().saturating_sub(ago.as_nanos() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_as_long_ago_on_either_clock() {
        let both = Translation { wall: Duration::from_secs(1000), run: Moment::from_nanos(5_000) };
        let at = |before: u64| both.moment(Duration::from_nanos(1_000_000_000_000 - before));
        assert_eq!(at(0), Moment::from_nanos(5_000));
        assert_eq!(at(4_999), Moment::from_nanos(1));
        assert_eq!(at(6_000), Moment::ZERO, "before the run");
        assert_eq!(both.moment(Duration::from_secs(1001)), Moment::from_nanos(5_000), "ahead");
    }
}
