//! A [`Gap`]: a time in which the hub did not run, though a drop time ended in it.
//!
//! A process that is stopped, or whose machine is, cannot tell what a server did meanwhile. What came in lies in the
//! socket with the kernel's stamps and is read before anything is judged; what is missing then is counted apart. It must
//! not know why the hub stood still.

use crate::dhcp::wheel::TICK;
use brunt_exchange::Moment;
use std::time::Duration;

/// A hub that looks at its drop times later than this stood still.
pub(super) const STALL_MIN: Duration = Duration::from_millis(50);

/// When the hub did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    from: Moment,
    to: Moment,
}

impl Gap {
    /// The gap of a hub that went to sleep when it had `looked`, should have looked again at `due` and does so `now`.
    pub(super) fn between(looked: Moment, due: Moment, now: Moment) -> Option<Self> {
        let should = due.max(looked);
        // Drop times are looked at up to a tick after their end.
        let before = Moment::from_nanos(due.as_nanos().saturating_sub(TICK.as_nanos() as u64));
        let from = before.max(looked);
        (now > should && now - should > STALL_MIN).then_some(Self { from, to: now })
    }

    /// Whether a moment lies in it.
    pub(super) fn holds(&self, at: Moment) -> bool {
        (self.from..=self.to).contains(&at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dhcp::toy::at;

    #[test]
    fn only_who_should_have_looked_and_did_not_stood_still() {
        // Asleep because nothing was due.
        assert_eq!(Gap::between(at(0), at(1_000), at(1_050)), None);
        let stopped = Gap::between(at(0), at(1_000), at(9_000)).unwrap();
        let held = [989, 990, 1_000, 9_000, 9_001].map(|millis| stopped.holds(at(millis)));
        assert_eq!(held, [false, true, true, true, false]);
        // So busy that it put looking off, but it ran all the while.
        assert_eq!(Gap::between(at(8_990), at(1_000), at(9_000)), None);
        let late = Gap::between(at(8_900), at(1_000), at(9_000)).unwrap();
        assert!(!late.holds(at(8_899)) && late.holds(at(8_900)));
    }
}
