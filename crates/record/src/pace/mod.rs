//! When exchanges of the steady phase were due and when they were answered: [`Pace`], from which rates are computed.
//!
//! A rate is what was answered while the load ran, and how long answers normally take is known only after the run, so
//! counts of whole steps are not enough. So exchanges are counted in about a thousand slots of the window, by due and
//! by answer, and how long they took in cohorts of sixteen slots, by due. Widths are powers of two nanoseconds counted
//! from the beginning of the phase. So the slots of workers, and of machines that share a run, are the same, and a
//! window that becomes too long is counted in slots of twice the width. Everything is an integer that is added. In an
//! open load an iteration of several exchanges counts once: with its arrival and its last answer.

mod overload;
mod share;
mod stages;
mod text;
mod times;

pub use overload::Overload;
pub use share::{PaceShare, RateDoubt};
pub use stages::StageOverload;
pub use text::PaceError;
pub use times::Times;

use std::time::Duration;

/// One exchange, or one iteration, that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finish {
    /// When it was due, since the beginning of the phase.
    pub due: Duration,
    /// How long it took from due to its end.
    pub response: Duration,
    /// How long it took from sent to its end; none if it was never sent.
    pub service: Option<Duration>,
    /// Whether it was answered, well or not.
    pub answered: bool,
    /// Whether it succeeded.
    pub ok: bool,
    /// Whether it ended while the load ran.
    pub in_time: bool,
}

/// What was due and what was answered in one slot of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaceSlot {
    /// Its number, counted from the beginning of the phase.
    pub number: u32,
    /// What became due in it.
    pub due: u64,
    /// How much of that was skipped.
    pub skipped: u64,
    /// What was answered in it, whenever it had been due in the phase.
    pub answered: u64,
    /// How much of that succeeded.
    pub ok: u64,
}

/// The outcomes of what was due in sixteen neighbouring slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cohort {
    /// Its number, counted from the beginning of the phase.
    pub number: u32,
    /// Exchanges without an answer: timed out, cut off, or without a connection.
    pub unanswered: u64,
    /// Exchanges that were never sent.
    pub dropped: u64,
    /// Exchanges whose answer was a failure.
    pub failed: u64,
    /// Sent to answered.
    pub service: Times,
    /// Due to answered.
    pub response: Times,
}

/// What of one operation or span ended after the load did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Late {
    /// The number of the operation; the spans follow the operations.
    pub operation: u16,
    /// Exchanges that were answered; none of a span.
    pub answered: u64,
    /// How many of these succeeded.
    pub ok: u64,
    /// Items that arrived after the load.
    pub items: u64,
}

/// Cycles of virtual users, an exchange and the think time after it, that cross an end of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crossing {
    /// Exchanges of the phase that were answered and whose cycles cross an end of the window.
    pub answered: u64,
    /// How many of these succeeded.
    pub ok: u64,
    /// The shares of all such cycles that lie in the window, in millionths.
    pub answered_millionths: u64,
    /// The same of the successes.
    pub ok_millionths: u64,
}

/// When exchanges of the steady phase were due and answered.
#[derive(Clone, Debug)]
pub struct Pace {
    bits: u32,
    slots: Vec<PaceSlot>,
    cohorts: Vec<Cohort>,
    late: Vec<Late>,
    crossing: Crossing,
    /// Emptied cohorts, whose memory is used again.
    spare: Vec<Cohort>,
}

/// A share below this is of a target, or of connections, that did not keep up with the load.
pub(crate) const KEPT_UP: f64 = 0.995;

/// How many slots a cohort has, as a power of two.
const COHORT_BITS: u32 = 4;
/// How many emptied cohorts are kept.
const SPARE_MAX: usize = 8;
/// The narrowest slot is a millisecond wide.
const NARROWEST_BITS: u32 = 20;
/// The widest slot is 18 minutes wide.
const WIDEST_BITS: u32 = 40;

impl Default for Pace {
    fn default() -> Self {
        Self {
            bits: NARROWEST_BITS,
            slots: Vec::new(),
            cohorts: Vec::new(),
            late: Vec::new(),
            crossing: Crossing::default(),
            spare: Vec::new(),
        }
    }
}

impl PartialEq for Pace {
    fn eq(&self, other: &Self) -> bool {
        (self.is_empty() && other.is_empty() || self.bits == other.bits)
            && (&self.slots, &self.cohorts) == (&other.slots, &other.cohorts)
            && (&self.late, self.crossing) == (&other.late, other.crossing)
    }
}

impl Pace {
    /// The most slots of a phase.
    pub const SLOTS_MAX: u32 = 1_024;

    /// Empties it, and keeps some of its memory.
    pub fn reset(&mut self) {
        self.bits = NARROWEST_BITS;
        self.slots.clear();
        for mut cohort in self.cohorts.drain(..) {
            if self.spare.len() < SPARE_MAX {
                cohort.reset();
                self.spare.push(cohort);
            }
        }
        self.late.clear();
        self.crossing = Crossing::default();
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
            && self.cohorts.is_empty()
            && self.late.is_empty()
            && self.crossing == Crossing::default()
    }

    /// Counts what becomes due this long after the beginning of the phase.
    #[inline]
    pub fn due(&mut self, at: Duration) {
        self.slot(at).due += 1;
    }

    /// Counts something that was due at this time and was skipped.
    pub fn skipped(&mut self, due: Duration) {
        self.slot(due).skipped += 1;
    }

    /// Counts something that was due at this time and will never be sent.
    pub fn dropped(&mut self, due: Duration) {
        self.cohort(due).dropped += 1;
    }

    /// Counts the end of an exchange or an iteration.
    #[inline]
    pub fn finished(&mut self, finish: &Finish) {
        if !finish.answered {
            self.cohort(finish.due).unanswered += 1;
            return;
        }
        if finish.in_time {
            let slot = self.slot(finish.due + finish.response);
            slot.answered += 1;
            slot.ok += u64::from(finish.ok);
        }
        let cohort = self.cohort(finish.due);
        cohort.failed += u64::from(!finish.ok);
        cohort.response.record(finish.response);
        finish.service.into_iter().for_each(|service| cohort.service.record(service));
    }

    /// Counts what of an operation ended after the load did.
    pub fn late(&mut self, late: Late) {
        match self.late.iter_mut().find(|known| known.operation == late.operation) {
            Some(known) => {
                known.answered += late.answered;
                known.ok += late.ok;
                known.items += late.items;
            }
            None => self.late.push(late),
        }
    }

    /// Counts cycles that cross an end of the window.
    pub fn crossed(&mut self, crossing: Crossing) {
        let sum = &mut self.crossing;
        sum.answered += crossing.answered;
        sum.ok += crossing.ok;
        // A record of another machine may hold any number.
        sum.answered_millionths =
            sum.answered_millionths.saturating_add(crossing.answered_millionths);
        sum.ok_millionths = sum.ok_millionths.saturating_add(crossing.ok_millionths);
    }

    /// Cycles that cross an end of the window.
    pub fn crossing(&self) -> Crossing {
        self.crossing
    }

    /// What of an operation ended after the load did.
    pub fn late_of(&self, operation: usize) -> Late {
        let of = |late: &&Late| usize::from(late.operation) == operation;
        self.late.iter().find(of).copied().unwrap_or_default()
    }

    /// Exchanges that were answered after the load.
    pub fn late_answers(&self) -> u64 {
        self.late.iter().map(|late| late.answered).sum()
    }

    /// Items that arrived after the load.
    pub fn late_items(&self) -> u64 {
        self.late.iter().map(|late| late.items).sum()
    }

    /// The slots in which something happened, in order.
    pub fn slots(&self) -> &[PaceSlot] {
        &self.slots
    }

    /// The cohorts of which something is known, in order.
    pub fn cohorts(&self) -> &[Cohort] {
        &self.cohorts
    }

    /// When a slot begins, since the beginning of the phase.
    pub fn slot_from(&self, number: u32) -> Duration {
        Duration::from_nanos(u64::from(number) << self.bits)
    }

    /// When a cohort begins, since the beginning of the phase.
    pub fn cohort_from(&self, number: u32) -> Duration {
        self.slot_from(number << COHORT_BITS)
    }

    /// What became due between these times, without what was skipped. A slot that lies partly between them counts with
    /// that part.
    pub fn due_between(&self, from: Duration, to: Duration) -> f64 {
        let due = |slot: &PaceSlot| slot.due.saturating_sub(slot.skipped) as f64;
        self.between(from, to).map(|(slot, part)| due(slot) * part).sum()
    }

    /// What was answered between these times, and how much of it succeeded. A slot that lies partly between them counts
    /// with that part.
    pub fn answered_between(&self, from: Duration, to: Duration) -> (f64, f64) {
        self.between(from, to).fold((0.0, 0.0), |(answered, ok), (slot, part)| {
            (answered + slot.answered as f64 * part, ok + slot.ok as f64 * part)
        })
    }

    /// The slots that lie between these times, with the part of each that does.
    fn between(&self, from: Duration, to: Duration) -> impl Iterator<Item = (&PaceSlot, f64)> {
        let part = move |slot: &PaceSlot| {
            let begin = self.slot_from(slot.number);
            let inside = self.slot_from(slot.number + 1).min(to).saturating_sub(begin.max(from));
            inside.as_secs_f64() / self.slot_width().as_secs_f64()
        };
        self.slots.iter().map(move |slot| (slot, part(slot))).filter(|(_, part)| *part > 0.0)
    }

    /// The beginning of the slot of a moment.
    pub fn slot_of(&self, at: Duration) -> Duration {
        Duration::from_nanos(nanos(at) >> self.bits << self.bits)
    }

    /// How long a slot is.
    pub fn slot_width(&self) -> Duration {
        self.slot_from(1)
    }

    /// Adds what another counted in the same phase.
    pub fn merge(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        if self.is_empty() {
            self.bits = other.bits;
        }
        while self.bits < other.bits {
            self.widen();
        }
        let wider = self.bits - other.bits;
        for slot in &other.slots {
            let mine = self.numbered(slot.number >> wider);
            mine.add(slot);
        }
        for cohort in &other.cohorts {
            self.cohort_numbered(cohort.number >> wider).merge(cohort);
        }
        other.late.iter().for_each(|late| self.late(*late));
        self.late.sort_unstable_by_key(|late| late.operation);
        self.crossed(other.crossing);
        while self.last() >= Self::SLOTS_MAX && self.bits < WIDEST_BITS {
            self.widen();
        }
    }

    /// The last slot of which anything is known.
    fn last(&self) -> u32 {
        let slot = self.slots.last().map_or(0, |slot| slot.number);
        slot.max(self.cohorts.last().map_or(0, |cohort| cohort.number << COHORT_BITS))
    }

    #[inline]
    fn slot(&mut self, at: Duration) -> &mut PaceSlot {
        let number = self.number(at);
        self.numbered(number)
    }

    /// The number of the slot of a moment. Slots are made wider until there are few enough.
    #[inline]
    fn number(&mut self, at: Duration) -> u32 {
        let nanos = nanos(at);
        while nanos >> self.bits >= u64::from(Self::SLOTS_MAX) && self.bits < WIDEST_BITS {
            self.widen();
        }
        u32::try_from(nanos >> self.bits).unwrap_or(u32::MAX >> COHORT_BITS)
    }

    #[inline]
    fn numbered(&mut self, number: u32) -> &mut PaceSlot {
        // Nearly everything happens in the last slot, or a few before it.
        let at = self.slots.iter().rposition(|slot| slot.number <= number);
        match at {
            Some(at) if self.slots[at].number == number => &mut self.slots[at],
            at => {
                let at = at.map_or(0, |at| at + 1);
                self.slots.insert(at, PaceSlot { number, ..PaceSlot::default() });
                &mut self.slots[at]
            }
        }
    }

    #[inline]
    fn cohort(&mut self, due: Duration) -> &mut Cohort {
        let number = self.number(due) >> COHORT_BITS;
        self.cohort_numbered(number)
    }

    fn cohort_numbered(&mut self, number: u32) -> &mut Cohort {
        let at = self.cohorts.iter().rposition(|cohort| cohort.number <= number);
        match at {
            Some(at) if self.cohorts[at].number == number => &mut self.cohorts[at],
            at => {
                let at = at.map_or(0, |at| at + 1);
                let mut cohort = self.spare.pop().unwrap_or_default();
                cohort.number = number;
                self.cohorts.insert(at, cohort);
                &mut self.cohorts[at]
            }
        }
    }

    /// Makes slots twice as wide.
    #[cold]
    fn widen(&mut self) {
        self.bits += 1;
        self.slots.iter_mut().for_each(|slot| slot.number >>= 1);
        self.slots.dedup_by(|later, earlier| {
            let same = later.number == earlier.number;
            if same {
                earlier.add(later);
            }
            same
        });
        self.cohorts.iter_mut().for_each(|cohort| cohort.number >>= 1);
        self.cohorts.dedup_by(|later, earlier| {
            let same = later.number == earlier.number;
            if same {
                earlier.merge(later);
            }
            same
        });
    }
}

impl PaceSlot {
    fn add(&mut self, other: &Self) {
        self.due += other.due;
        self.skipped += other.skipped;
        self.answered += other.answered;
        self.ok += other.ok;
    }
}

impl Cohort {
    /// All that was due and is over.
    pub fn over(&self) -> u64 {
        self.response.count() + self.unanswered + self.dropped
    }

    /// Adds what another knows of the same exchanges' time.
    pub fn merge(&mut self, other: &Self) {
        self.unanswered += other.unanswered;
        self.dropped += other.dropped;
        self.failed += other.failed;
        self.service.merge(&other.service);
        self.response.merge(&other.response);
    }

    fn reset(&mut self) {
        (self.unanswered, self.dropped, self.failed) = (0, 0, 0);
        self.service.reset();
        self.response.reset();
    }
}

impl Crossing {
    /// The cycle of a virtual user from `from` to `to`, whose exchange ended like this, in a window that begins at
    /// `window.0` and ends at `window.1`. `counted` is whether its exchange is among those of the phase.
    pub fn new(
        (from, to): (Duration, Duration),
        window: (Duration, Duration),
        (answered, ok): (bool, bool),
        counted: bool,
    ) -> Self {
        let inside = to.min(window.1).saturating_sub(from.max(window.0));
        let length = to.saturating_sub(from).as_nanos().max(1);
        let millionths = u64::try_from(inside.as_nanos() * 1_000_000 / length).unwrap_or_default();
        Self {
            answered: u64::from(answered && counted),
            ok: u64::from(ok && counted),
            answered_millionths: if answered { millionths } else { 0 },
            ok_millionths: if ok { millionths } else { 0 },
        }
    }
}

fn nanos(at: Duration) -> u64 {
    at.as_secs().saturating_mul(1_000_000_000).saturating_add(u64::from(at.subsec_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: Duration = Duration::from_millis(1);

    fn answered(due: u32, took: u32) -> Finish {
        let response = took * MS;
        Finish {
            due: due * MS,
            response,
            service: Some(response),
            answered: true,
            ok: true,
            in_time: true,
        }
    }

    #[test]
    fn slots_widen_with_the_window() {
        let mut pace = Pace::default();
        for second in 0..10 {
            pace.due(1_000 * second * MS);
            pace.finished(&answered(1_000 * second, 10));
        }
        let close = |found: f64| (found - 10.0).abs() < 1e-9;
        assert!(close(pace.due_between(Duration::ZERO, 100_000 * MS)));
        assert!(pace.slots().iter().all(|slot| slot.number < Pace::SLOTS_MAX));
        assert_eq!(pace.bits, 24, "slots of 17 ms");
        let (all, _) = pace.answered_between(Duration::ZERO, 100_000 * MS);
        assert!(close(all), "{all}");
        assert_eq!(pace.cohorts().iter().map(Cohort::over).sum::<u64>(), 10);
    }

    #[test]
    fn slot_counts_by_its_overlap() {
        let mut pace = Pace::default();
        (0..4).for_each(|_| pace.due(2 * MS));
        // The slot of 2 ms is that from 1.048576 ms to 2.097152 ms.
        let half = Duration::from_nanos(1_048_576 + 524_288);
        assert!((pace.due_between(Duration::ZERO, half) - 2.0).abs() < 1e-6);
        assert!((pace.due_between(half, 10 * MS) - 2.0).abs() < 1e-6);
        assert!(pace.due_between(3 * MS, 10 * MS).abs() < 1e-9);
    }

    #[test]
    fn crossings_of_many_records_do_not_overflow() {
        let huge = Crossing { answered_millionths: u64::MAX / 2 + 1, ..Crossing::default() };
        let mut pace = Pace::default();
        (0..2).for_each(|_| pace.crossed(huge));
        assert_eq!(pace.crossing().answered_millionths, u64::MAX);
    }

    #[test]
    fn reset_pace_equals_a_new_one() {
        let mut pace = Pace::default();
        pace.due(3 * MS);
        pace.dropped(3 * MS);
        pace.late(Late { operation: 2, answered: 1, ok: 0, items: 7 });
        pace.finished(&answered(5, 10));
        pace.reset();
        assert_eq!(pace, Pace::default());
        pace.dropped(3 * MS);
        let mut fresh = Pace::default();
        fresh.dropped(3 * MS);
        assert_eq!(pace, fresh);
    }

    #[test]
    fn crossing_counts_by_its_share_in_the_window() {
        let window = (Duration::ZERO, 10_000 * MS);
        let crossing = Crossing::new((8_000 * MS, 12_000 * MS), window, (true, false), true);
        assert_eq!((crossing.answered, crossing.ok), (1, 0));
        assert_eq!((crossing.answered_millionths, crossing.ok_millionths), (500_000, 0));
        let begins = Crossing::new(
            (8_000 * MS, 12_000 * MS),
            (9_000 * MS, 20_000 * MS),
            (true, true),
            false,
        );
        assert_eq!((begins.answered, begins.ok_millionths), (0, 750_000));
    }

    fn paced(exchanges: &[(u32, u32, u8)]) -> Pace {
        let mut pace = Pace::default();
        for &(due, took, how) in exchanges {
            pace.due(due * MS);
            match how {
                0 => pace.dropped(due * MS),
                1 => pace.skipped(due * MS),
                2 => pace.finished(&Finish { answered: false, ..answered(due, took) }),
                3 => pace.late(Late { operation: 1, answered: 1, ok: 1, items: 2 }),
                _ => pace.finished(&answered(due, took)),
            }
        }
        pace
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn counting_together_equals_merging(
            one in prop::collection::vec((0u32..20_000, 0u32..5_000, 0u8..9), 0..30),
            two in prop::collection::vec((0u32..200, 0u32..50, 0u8..9), 0..30),
        ) {
            let whole = paced(&[one.clone(), two.clone()].concat());
            let (one, two) = (paced(&one), paced(&two));
            let (mut a, mut b) = (one.clone(), two.clone());
            a.merge(&two);
            b.merge(&one);
            prop_assert_eq!(&a, &b);
            prop_assert_eq!(&a, &whole);
            prop_assert_eq!(Pace::from_text(&a.to_text()).unwrap(), a);
        }
    }
}
