//! A [`Gap`]: a time in which the hub did not run though it should have.
//!
//! A process that is stopped, or whose machine is stopped, does not know what a server did meanwhile. Datagrams that
//! arrived are in the socket with the kernel's stamps and are read before anything is judged; what is missing then is
//! counted separately. In addition, everything that became due meanwhile is sent at once when the process continues, so
//! that a server's queue that is large enough for the load overflows: this is counted separately as well, for as long
//! as the gap was, and a second at most. It must not depend on why the hub did not run.

use super::wheel::TICK;
use brunt_exchange::Moment;
use std::time::Duration;

/// A hub that checks later than planned by at least this time did not run.
const STALL_MIN: Duration = Duration::from_millis(50);
/// How often a hub checks while anything is in flight, even if no drop time ends.
pub(super) const BEAT: Duration = Duration::from_millis(100);
/// The longest time for which the burst after a gap may have an effect.
const BURST_MAX: Duration = Duration::from_secs(1);

/// When the hub did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    from: Moment,
    to: Moment,
}

impl Gap {
    /// The gap of a hub that went to sleep after it had `looked`, should have checked again at `next`, and does so
    /// `now`.
    pub fn between(looked: Moment, next: Moment, now: Moment) -> Option<Self> {
        let should = next.max(looked);
        // Drop times are checked up to a tick after their end.
        let before = Moment::from_nanos(next.as_nanos().saturating_sub(TICK.as_nanos() as u64));
        let from = before.max(looked);
        (now > should && now - should > STALL_MIN).then_some(Self { from, to: now })
    }

    /// The gap of a hub that woke at a moment and finished its work only `now`: none of its work takes this long.
    pub(super) fn midway(woke: Moment, now: Moment) -> Option<Self> {
        (now - woke > STALL_MIN).then_some(Self { from: woke, to: now })
    }

    /// Whether the gap contains a moment.
    pub fn holds(&self, at: Moment) -> bool {
        (self.from..=self.to).contains(&at)
    }

    /// Whether a datagram sent at a moment is part of the burst of what could not be sent in the gap.
    pub fn bursts(&self, at: Moment) -> bool {
        (self.to..=self.to + (self.to - self.from).min(BURST_MAX)).contains(&at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Moment {
        Moment::ZERO + Duration::from_millis(millis)
    }

    #[test]
    fn gap_requires_a_missed_wake_up() {
        // Asleep because nothing was due.
        assert_eq!(Gap::between(at(0), at(1_000), at(1_050)), None);
        let stopped = Gap::between(at(0), at(1_000), at(9_000)).unwrap();
        let held = [989, 990, 1_000, 9_000, 9_001].map(|millis| stopped.holds(at(millis)));
        assert_eq!(held, [false, true, true, true, false]);
        // So busy that the check was postponed, but it ran all the time.
        assert_eq!(Gap::between(at(8_990), at(1_000), at(9_000)), None);
        let late = Gap::between(at(8_900), at(1_000), at(9_000)).unwrap();
        assert!(!late.holds(at(8_899)) && late.holds(at(8_900)));
    }

    #[test]
    fn gap_includes_a_stop_during_work() {
        assert_eq!(Gap::midway(at(1_000), at(1_040)), None);
        let stopped = Gap::midway(at(1_000), at(4_000)).unwrap();
        assert!(stopped.holds(at(2_000)) && stopped.bursts(at(4_500)));
    }

    #[test]
    fn gap_burst_lasts_as_long_as_the_gap_up_to_a_second() {
        let long = Gap::between(at(0), at(1_000), at(9_000)).unwrap();
        let felt = [8_999, 9_000, 10_000, 10_001].map(|millis| long.bursts(at(millis)));
        assert_eq!(felt, [false, true, true, false]);
        let short = Gap::between(at(1_000), at(1_000), at(1_060)).unwrap();
        let felt = [1_059, 1_060, 1_120, 1_121].map(|millis| short.bursts(at(millis)));
        assert_eq!(felt, [false, true, true, false]);
    }
}
