//! Times in which a worker did not run although it should have: [`Gaps`].
//!
//! A process that is stopped reads no clock, so a gap is seen only afterwards: somebody reads the clock and finds that
//! the moment at which the worker wanted to look again has long passed. What was due meanwhile waited for the generator
//! and not for the target, and so did an answer that lay unread. It must not know why the worker did not run.

use brunt_exchange::{Moment, Stamps};
use brunt_record::Own;
use std::time::Duration;

/// Less than this is what a busy loop and a scheduler cost; it is part of an exchange's own wait, but no gap.
pub(super) const GAP_MIN: Duration = Duration::from_millis(20);
/// How many gaps are remembered. An exchange seldom outlives more.
const KEPT: usize = 8;

/// The last few gaps of a worker.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    kept: [(Moment, Moment); KEPT],
    next: usize,
    /// The end of the last.
    last_to: Moment,
    last_from: Moment,
}

impl Gaps {
    /// Notes that the worker wanted to look at `wanted` and looks only now.
    #[inline]
    pub(super) fn look(&mut self, wanted: Moment, now: Moment) {
        if now - wanted > GAP_MIN && wanted != self.last_from {
            self.note(wanted, now);
        }
    }

    #[cold]
    fn note(&mut self, from: Moment, to: Moment) {
        self.kept[self.next] = (from, to);
        self.next = (self.next + 1) % KEPT;
        (self.last_from, self.last_to) = (from, to);
    }

    /// Whether something that was due at this moment was due in a gap, or before one.
    #[inline]
    pub(super) fn touch(&self, due: Moment) -> bool {
        due < self.last_to
    }

    /// What of an exchange's time was the generator's own doing, if its answer lay `unread` for so long at most.
    #[inline]
    pub(super) fn own(&self, stamps: &Stamps, unread: Duration) -> Own {
        let waited = stamps.lateness() + unread.min(stamps.service());
        if !self.touch(stamps.due) {
            return Own { waited, tainted: false };
        }
        let stood = self.overlap(stamps.due, stamps.ended);
        Own { waited: waited.max(stood), tainted: !stood.is_zero() }
    }

    /// How much of the time from one moment to another lay in gaps.
    pub(super) fn overlap(&self, from: Moment, to: Moment) -> Duration {
        self.kept.iter().map(|(began, ended)| to.min(*ended) - from.max(*began)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Moment {
        Moment::from_nanos(ms * 1_000_000)
    }

    fn stamps(due: u64, free: u64, sent: u64, ended: u64) -> Stamps {
        Stamps { due: at(due), free: at(free), sent: at(sent), ended: at(ended) }
    }

    #[test]
    fn waiting_for_a_generator_that_stood_still_is_its_own_doing() {
        let mut gaps = Gaps::default();
        gaps.look(at(100), at(119));
        assert!(!gaps.touch(at(50)), "a scheduler may take that long");
        gaps.look(at(1_000), at(4_000));
        // Seen once more before the worker looked: the same gap.
        gaps.look(at(1_000), at(4_001));
        let own = |due, free, sent, ended| {
            let own = gaps.own(&stamps(due, free, sent, ended), Duration::ZERO);
            (own.waited.as_millis(), own.tainted)
        };
        // In flight when it began; due within it and left at its end; due within it and kept waiting after.
        assert_eq!(own(990, 980, 990, 4_000), (3_000, true));
        assert_eq!(own(2_000, 900, 4_000, 4_001), (2_000, true));
        assert_eq!(own(2_000, 4_300, 4_300, 4_301), (2_000, true));
        assert_eq!(own(4_002, 900, 4_002, 4_003), (0, false));
        assert_eq!(own(500, 400, 501, 502), (1, false), "over before it began");
    }

    #[test]
    fn an_answer_that_lay_unread_waited_for_us_but_no_longer_than_it_was_on_its_way() {
        let gaps = Gaps::default();
        let unread =
            |ms| gaps.own(&stamps(0, 0, 2, 10), Duration::from_millis(ms)).waited.as_millis();
        assert_eq!((unread(0), unread(3), unread(30)), (2, 5, 10));
    }
}
