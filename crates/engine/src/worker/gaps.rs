//! Times in which a worker did not run although it should have: [`Gaps`].
//!
//! A process that is stopped cannot read the clock, so a gap is found only afterwards: when the clock is read, the
//! moment at which the worker wanted to check again has long passed. What was due in the gap waited for the generator
//! and not for the target, and so did an answer that was not read. This file must not know why the worker did not run.

use brunt_exchange::{Moment, Stamps};
use brunt_record::Own;
use std::time::Duration;

/// Less than this is the usual cost of a busy loop and a scheduler; it is part of an exchange's own wait, but no gap.
pub(super) const GAP_MIN: Duration = Duration::from_millis(20);
/// How many gaps are remembered. An exchange seldom overlaps with more.
const KEPT: usize = 8;

/// A gap matters to an exchange if it is at least this fraction of its time.
const TAINTING: u32 = 10;

/// The last few gaps of a worker, and the backlog that the last of them left.
///
/// What became due in a gap is released all at once when it ends, and its exchanges wait for one another's sessions:
/// the target sees a burst that no schedule requested. Until that backlog is served, waiting is the generator's fault
/// as well, though for no longer than the gap lasted: a target that sustains the load needs no more than that. If
/// exchanges waited before the gap, the target is behind already, and later exchanges wait for the target.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    kept: [(Moment, Moment); KEPT],
    /// For each gap, the latest moment at which its backlog was served.
    served: [Moment; KEPT],
    next: usize,
    /// What is due from here on was affected neither by the last gap nor by its backlog.
    met_to: Moment,
    last_from: Moment,
    /// Whether the backlog of the last gap still exists.
    piled: bool,
    /// Whether exchanges waited for a session at the last check.
    waited: bool,
}

impl Gaps {
    /// Notes that the worker wanted to check at `wanted` and checks only now.
    #[inline]
    pub(super) fn poll(&mut self, wanted: Moment, now: Moment) {
        if now - wanted > GAP_MIN && wanted != self.last_from {
            self.note(wanted, now);
        }
    }

    #[cold]
    fn note(&mut self, from: Moment, to: Moment) {
        self.kept[self.next] = (from, to);
        // If exchanges waited before, they wait for the target, and so do those after them.
        self.served[self.next] = if self.waited && !self.piled { to } else { to + (to - from) };
        self.met_to = self.met_to.max(self.served[self.next]);
        self.next = (self.next + 1) % KEPT;
        (self.last_from, self.piled) = (from, true);
    }

    /// Notes how many exchanges wait for a session now, once everything that was due has been released.
    #[inline]
    pub(super) fn waiting(&mut self, now: Moment, backlog: usize) {
        self.waited = backlog > 0;
        if self.piled && backlog == 0 {
            self.piled = false;
            let served = &mut self.served[(self.next + KEPT - 1) % KEPT];
            *served = now.min(*served);
            self.met_to = self.served.iter().copied().fold(Moment::ZERO, Moment::max);
        }
    }

    /// Whether an exchange due at this moment was due during a gap or its backlog, or before one.
    #[inline]
    pub(super) fn touch(&self, due: Moment) -> bool {
        due < self.met_to
    }

    /// The part of an exchange's time that the generator caused, if its answer was `unread` for at most this time.
    #[inline]
    pub(super) fn own(&self, stamps: &Stamps, unread: Duration) -> Own {
        let waited = stamps.lateness() + unread.min(stamps.service());
        if !self.touch(stamps.due) {
            return Own { waited, tainted: false };
        }
        let stood = self.overlap(stamps.due, stamps.ended);
        let piled = self.in_piles(stamps.due, stamps.sent);
        Own {
            waited: waited.max(stood + piled).min(stamps.response()),
            tainted: taints(stood, stamps.response()),
        }
    }

    /// The same for an exchange that waited from one moment to another and was never sent.
    pub(super) fn own_of_unsent(&self, due: Moment, ended: Moment) -> Own {
        let stood = self.overlap(due, ended);
        Own { waited: stood, tainted: taints(stood, ended - due) }
    }

    /// How much of the time from one moment to another passed while the backlog of a gap was served.
    fn in_piles(&self, from: Moment, to: Moment) -> Duration {
        let piles = self.kept.iter().zip(&self.served);
        piles.map(|((_, began), ended)| to.min(*ended) - from.max(*began)).sum()
    }

    /// How much of the time from one moment to another was in gaps.
    fn overlap(&self, from: Moment, to: Moment) -> Duration {
        self.kept.iter().map(|(began, ended)| to.min(*ended) - from.max(*began)).sum()
    }
}

/// Whether a gap of this length may have decided the outcome of an exchange that took `whole`: a moment without a
/// core does not excuse a timeout of a second.
fn taints(stood: Duration, whole: Duration) -> bool {
    !stood.is_zero() && stood * TAINTING >= whole
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of an exchange that is ours, in milliseconds.
    fn ours(gaps: &Gaps, due: u64, free: u64, ended: u64) -> (u128, bool) {
        let own = gaps.own(&stamps(due, free, free, ended), Duration::ZERO);
        (own.waited.as_millis(), own.tainted)
    }

    #[test]
    fn backlog_of_a_gap_is_charged_to_the_generator() {
        let mut gaps = Gaps::default();
        gaps.poll(at(1_000), at(4_000));
        // A gap that ends, and others' sessions for 80 ms more: only the 5 ms of service are the target's.
        assert_eq!(ours(&gaps, 2_000, 4_080, 4_085), (2_080, true));
        // Due after the gap and behind its backlog.
        assert_eq!(ours(&gaps, 4_010, 4_090, 4_095), (80, false));
        gaps.waiting(at(4_050), 7);
        assert_eq!(ours(&gaps, 4_010, 4_090, 4_095), (80, false));
        gaps.waiting(at(4_100), 0);
        // An exchange that waits after that waits for the target.
        assert_eq!(ours(&gaps, 4_060, 4_500, 4_501), (40, false));
        assert_eq!(ours(&gaps, 4_200, 4_500, 4_501), (0, false));
        assert!(!gaps.touch(at(4_100)));
    }

    #[test]
    fn backlog_is_charged_no_longer_than_the_gap_lasted() {
        let mut gaps = Gaps::default();
        gaps.poll(at(1_000), at(1_030));
        gaps.waiting(at(3_000), 400);
        // The target was stopped as well: two seconds of it are not a gap of 30 ms.
        assert_eq!(ours(&gaps, 1_010, 3_010, 3_011), (50, false), "nor do they excuse what it did");
        assert_eq!(ours(&gaps, 1_500, 3_010, 3_011), (0, false));
        let mut gaps = Gaps::default();
        gaps.waiting(at(990), 3);
        gaps.poll(at(1_000), at(1_030));
        assert_eq!(ours(&gaps, 1_010, 1_090, 1_091), (20, true), "it waited for the target before");
    }

    fn at(ms: u64) -> Moment {
        Moment::from_nanos(ms * 1_000_000)
    }

    fn stamps(due: u64, free: u64, sent: u64, ended: u64) -> Stamps {
        Stamps { due: at(due), free: at(free), sent: at(sent), ended: at(ended) }
    }

    #[test]
    fn waiting_for_a_stalled_generator_is_charged_to_it() {
        let mut gaps = Gaps::default();
        gaps.poll(at(100), at(119));
        assert!(!gaps.touch(at(50)), "a scheduler may take that long");
        gaps.poll(at(1_000), at(4_000));
        // Noted once more before the worker checked: the same gap.
        gaps.poll(at(1_000), at(4_001));
        gaps.waiting(at(4_000), 0);
        let own = |due, free, sent, ended| {
            let own = gaps.own(&stamps(due, free, sent, ended), Duration::ZERO);
            (own.waited.as_millis(), own.tainted)
        };
        // In flight when it began, due within it and sent at its end, due within it and kept waiting after by a session
        // that was in use, though there was no backlog.
        assert_eq!(own(990, 980, 990, 4_000), (3_000, true));
        assert_eq!(own(2_000, 900, 4_000, 4_001), (2_000, true));
        assert_eq!(own(2_000, 4_300, 4_300, 4_301), (2_000, true));
        assert_eq!(own(4_002, 900, 4_002, 4_003), (0, false));
        assert_eq!(own(500, 400, 501, 502), (1, false), "over before it began");
    }

    #[test]
    fn unread_answer_is_charged_up_to_its_service_time() {
        let gaps = Gaps::default();
        let unread =
            |ms| gaps.own(&stamps(0, 0, 2, 10), Duration::from_millis(ms)).waited.as_millis();
        assert_eq!((unread(0), unread(3), unread(30)), (2, 5, 10));
    }
}
