//! What was measured in one step of time: the unit of the stream from which all results are made.
//!
//! A worker fills an interval and passes it on. Intervals of the same index are combined with [`Interval::merge`],
//! successive intervals of one phase with [`Interval::append`]. Counts, sums and buckets are added as integers, so the
//! order never matters.
//!
//! A step has two views. By *end*: what ended in it, with its latencies ([`Interval::operations`],
//! [`Interval::dropped`]). By *due*: what became due in it and how that ended ([`Interval::due`]), which is known only
//! once all of it has ended; until then later steps settle the rest ([`Interval::settled`]). Over a whole run both
//! views count the same exchanges.

use crate::operation::left;
use crate::{
    Codes, Counts, Health, Histogram, Late, Operation, Own, Pace, Phase, Presence, Sample,
};
use brunt_exchange::{Outcome, Part, Stamps};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How exchanges that became due in an earlier step ended in a later one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Settled {
    /// The index of the interval in which they became due.
    pub index: u64,
    /// How they ended. They were counted as planned when they became due, so nothing is planned here.
    pub counts: Counts,
}

/// The measurements of one step of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// The number of the interval in the run, counted from 0.
    pub index: u64,
    /// The phase all of it belongs to.
    pub phase: Phase,
    /// When it began, since the origin of the run.
    pub from: Duration,
    /// When it ended.
    pub to: Duration,
    /// The operations, by their numbers in the catalogue.
    pub operations: Vec<Operation>,
    /// How long each part took, by number.
    pub parts: Vec<Histogram>,
    /// What consists of several exchanges and is measured as one, by number. It grows with the highest number recorded.
    pub spans: Vec<Operation>,
    /// Exchanges that became due, dropped ones included.
    pub planned: u64,
    /// Exchanges given up in this step: dropped, whenever they had fallen due.
    pub dropped: u64,
    /// How long each of those had waited: the least its response time can have been.
    pub dropped_after: Histogram,
    /// How many of those were due while the generator stood still.
    pub dropped_tainted: u64,
    /// What became due in this step, and how it had ended by the end of the step.
    pub due: Counts,
    /// How exchanges that had fallen due in earlier steps ended in this one.
    pub settled: Vec<Settled>,
    /// When exchanges were due and answered, in finer steps; only in the steady phase.
    pub pace: Pace,
    /// When the target answered, and when exchanges waited for it.
    pub presence: Presence,
    /// Sent − due.
    pub lag: Histogram,
    /// Sent − the later of due and free: the part of the lag that the generator caused.
    pub lateness: Histogram,
    /// The most exchanges that were due and waited for a session.
    pub backlog_peak: u64,
    /// Exchanges in flight when the interval ended.
    pub in_flight: u64,
    /// Replies that answered no exchange in flight.
    pub orphans: u64,
    /// Connections that were reopened because the target had closed them while they were idle.
    pub reconnected: u64,
    /// Requests sent again because the connection they left on was closed before an answer began.
    pub resent: u64,
    /// Exchanges that made a request again which was made before, so that the load did not offer them.
    pub repeats: u64,
    /// Why attempts to make a session ready failed, whether an exchange waited for it or not.
    pub unready: Codes,
    /// What the driver counted beside exchanges, by the numbers of the catalogue. It grows with the highest number
    /// counted.
    pub tallies: Vec<u64>,
    /// How the generator performed.
    pub health: Health,
    /// Texts of failures, as many as were still wanted.
    pub samples: Vec<Sample>,
}

impl Interval {
    /// An empty interval with room for this many operations and parts.
    pub fn new(operations: usize, parts: usize) -> Self {
        Self {
            index: 0,
            phase: Phase::default(),
            from: Duration::ZERO,
            to: Duration::ZERO,
            operations: (0..operations).map(|_| Operation::new()).collect(),
            parts: (0..parts).map(|_| Histogram::new()).collect(),
            spans: Vec::new(),
            planned: 0,
            dropped: 0,
            dropped_after: Histogram::new(),
            dropped_tainted: 0,
            due: Counts::default(),
            settled: Vec::new(),
            pace: Pace::default(),
            presence: Presence::default(),
            lag: Histogram::new(),
            lateness: Histogram::new(),
            backlog_peak: 0,
            in_flight: 0,
            orphans: 0,
            reconnected: 0,
            resent: 0,
            repeats: 0,
            unready: Codes::default(),
            tallies: Vec::new(),
            health: Health::default(),
            samples: Vec::new(),
        }
    }

    /// Empties the interval for another step of time and keeps its memory.
    pub fn reset(&mut self, index: u64, phase: Phase, from: Duration) {
        (self.index, self.phase, self.from, self.to) = (index, phase, from, from);
        self.operations.iter_mut().for_each(Operation::reset);
        self.parts.iter_mut().for_each(Histogram::reset);
        self.spans.iter_mut().for_each(Operation::reset);
        (self.planned, self.dropped, self.backlog_peak, self.in_flight, self.orphans) =
            (0, 0, 0, 0, 0);
        (self.reconnected, self.resent, self.repeats) = (0, 0, 0);
        self.unready.reset();
        self.dropped_after.reset();
        self.dropped_tainted = 0;
        self.due = Counts::default();
        self.settled.clear();
        self.pace.reset();
        self.presence.reset();
        self.tallies.fill(0);
        self.lag.reset();
        self.lateness.reset();
        self.health.reset();
        self.samples.clear();
    }

    /// Records an exchange that ended, but not that it was planned: the schedule knows what became due, and counts it
    /// in [`planned`](Self::planned). An exchange that was never sent has no lag and no lateness.
    #[inline]
    pub fn record(
        &mut self,
        operation: u16,
        outcome: Outcome,
        stamps: &Stamps,
        items: u64,
        own: Own,
    ) {
        let Some(measured) = self.operations.get_mut(usize::from(operation)) else {
            debug_assert!(false, "operation {operation} is not in the catalogue");
            return;
        };
        measured.record(outcome, stamps, items, own);
        if left(outcome) {
            self.lag.record(stamps.lag());
            self.lateness.record(stamps.lateness());
        }
    }

    /// Records an exchange that ended before its request was sent: it has no service time, no lag and no lateness.
    pub fn record_unsent(
        &mut self,
        operation: u16,
        outcome: Outcome,
        response: Duration,
        items: u64,
        own: Own,
    ) {
        let Some(measured) = self.operations.get_mut(usize::from(operation)) else {
            debug_assert!(false, "operation {operation} is not in the catalogue");
            return;
        };
        measured.record_unsent(outcome, response, items, own);
    }

    /// Records an exchange that became due in this step.
    #[inline]
    pub fn plan(&mut self) {
        self.planned += 1;
        self.due.planned += 1;
    }

    /// Records an exchange that is given up after it waited this long.
    pub fn drop_after(&mut self, waited: Duration, tainted: bool) {
        self.dropped += 1;
        self.dropped_tainted += u64::from(tainted);
        self.dropped_after.record(waited);
    }

    /// The counts for the outcomes of exchanges that became due in the step of this index.
    #[inline]
    pub fn due_in(&mut self, index: u64) -> &mut Counts {
        if index == self.index {
            return &mut self.due;
        }
        let known = self.settled.iter().rposition(|settled| settled.index == index);
        let at = known.unwrap_or_else(|| {
            self.settled.push(Settled { index, counts: Counts::default() });
            self.settled.len() - 1
        });
        &mut self.settled[at].counts
    }

    /// Records how long a part took.
    #[inline]
    pub fn part(&mut self, part: Part, took: Duration) {
        debug_assert!(usize::from(part.0) < self.parts.len(), "{part:?} is not in the catalogue");
        if let Some(histogram) = self.parts.get_mut(usize::from(part.0)) {
            histogram.record(took);
        }
    }

    /// Records that a span ended, and how long it took.
    pub fn span(&mut self, number: u16, outcome: Outcome, took: Duration) {
        let number = usize::from(number);
        self.spans.resize_with(self.spans.len().max(number + 1), Operation::new);
        self.spans[number].record_unsent(outcome, took, 0, Own::default());
    }

    /// Records that a span, which was recorded and passed, ended after the load did. Its number follows those of the
    /// operations, and its exchanges were answered under their own.
    pub fn late_span(&mut self, number: u16) {
        let operation = self.operations.len() + usize::from(number);
        if let Ok(operation) = u16::try_from(operation) {
            self.pace.late(Late { operation, answered: 0, ok: 1, items: 0 });
        }
    }

    /// All that is measured, by its number in the catalogue: the operations, followed by the spans. What spans consist
    /// of is in the operations already, so nothing may be added up over both.
    pub fn measured(&self) -> impl Iterator<Item = (usize, &Operation)> {
        self.operations.iter().chain(&self.spans).enumerate()
    }

    /// Adds to tally `number`.
    pub fn tally(&mut self, number: usize, count: u64) {
        self.tallies.resize(self.tallies.len().max(number + 1), 0);
        self.tallies[number] += count;
    }

    /// How long the interval lasted.
    pub fn lasted(&self) -> Duration {
        self.to.saturating_sub(self.from)
    }

    /// The counts of all operations, with what was planned and dropped. Conserved over a whole
    /// run.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.operations.iter().for_each(|operation| counts.merge(&operation.counts));
        counts.planned = self.planned;
        counts.dropped = self.dropped;
        counts
    }

    /// Adds what another worker measured in the same step. Peaks of backlogs are added, which gives the most there can
    /// have been at once.
    pub fn merge(&mut self, other: &Self) {
        debug_assert_eq!(self.index, other.index, "only the same step can be merged");
        self.add(other);
        self.due.merge(&other.due);
        for settled in &other.settled {
            self.due_in(settled.index).merge(&settled.counts);
        }
        self.settled.sort_unstable_by_key(|settled| settled.index);
        self.presence.merge(&other.presence);
        self.samples.extend(other.samples.iter().cloned());
        self.samples.sort_by_key(|sample| (sample.at, sample.operation));
        self.backlog_peak += other.backlog_peak;
        self.in_flight += other.in_flight;
    }

    /// Adds what was measured in a following step. What belongs to single steps is left out of the sum, which would
    /// otherwise grow with their number: [`settled`](Self::settled) becomes part of the counts by due,
    /// [`presence`](Self::presence) is kept by [`Absences`](crate::Absences), and [`samples`](Self::samples) by
    /// [`Samples`](crate::Samples).
    pub fn append(&mut self, other: &Self) {
        self.leave_out_steps();
        self.due.merge(&other.due);
        other.settled.iter().for_each(|settled| self.due.merge(&settled.counts));
        self.in_flight = if other.to >= self.to { other.in_flight } else { self.in_flight };
        self.backlog_peak = self.backlog_peak.max(other.backlog_peak);
        self.index = self.index.min(other.index);
        self.add(other);
    }

    /// The sum that begins with this step, in the form that [`append`](Self::append) makes from several.
    #[must_use]
    pub fn to_sum(&self) -> Self {
        let mut sum = self.clone();
        sum.leave_out_steps();
        sum
    }

    fn leave_out_steps(&mut self) {
        for settled in std::mem::take(&mut self.settled) {
            self.due.merge(&settled.counts);
        }
        self.presence = Presence::default();
        self.samples = Vec::new();
    }

    fn add(&mut self, other: &Self) {
        self.from = self.from.min(other.from);
        self.to = self.to.max(other.to);
        self.operations
            .resize_with(self.operations.len().max(other.operations.len()), Operation::new);
        for (mine, theirs) in self.operations.iter_mut().zip(&other.operations) {
            mine.merge(theirs);
        }
        self.parts.resize_with(self.parts.len().max(other.parts.len()), Histogram::new);
        for (mine, theirs) in self.parts.iter_mut().zip(&other.parts) {
            mine.merge(theirs);
        }
        self.spans.resize_with(self.spans.len().max(other.spans.len()), Operation::new);
        self.spans.iter_mut().zip(&other.spans).for_each(|(mine, theirs)| mine.merge(theirs));
        self.pace.merge(&other.pace);
        self.planned += other.planned;
        self.dropped += other.dropped;
        self.dropped_after.merge(&other.dropped_after);
        self.dropped_tainted += other.dropped_tainted;
        self.reconnected += other.reconnected;
        self.resent += other.resent;
        self.repeats += other.repeats;
        self.unready.merge(&other.unready);
        self.lag.merge(&other.lag);
        self.lateness.merge(&other.lateness);
        self.orphans += other.orphans;
        for (number, count) in other.tallies.iter().enumerate() {
            self.tally(number, *count);
        }
        self.health.merge(&other.health);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WorkerLoad;
    use brunt_exchange::{Class, Moment};
    use proptest::prelude::*;

    fn stamps(due: u64, free: u64, sent: u64, ended: u64) -> Stamps {
        let [due, free, sent, ended] = [due, free, sent, ended].map(Moment::from_nanos);
        Stamps { due, free, sent, ended }
    }

    #[test]
    fn response_service_and_lag_are_recorded() {
        let mut interval = Interval::new(1, 1);
        interval.record(0, Outcome::Ok(0), &stamps(100, 150, 170, 400), 3, Own::default());
        interval.part(Part(0), Duration::from_nanos(77));
        let nanos = |histogram: &Histogram| histogram.sum_nanos();
        assert_eq!(nanos(&interval.operations[0].response.ok), 300);
        assert_eq!(nanos(&interval.operations[0].service), 230);
        assert_eq!(nanos(&interval.lag), 70);
        assert_eq!(nanos(&interval.lateness), 20);
        assert_eq!(nanos(&interval.parts[0]), 77);
        assert_eq!(interval.counts().items, 3);
    }

    #[test]
    fn unsent_exchange_has_no_service_time() {
        let mut interval = Interval::new(1, 0);
        interval.record(
            0,
            Outcome::Failed(Class::Connect, 111),
            &stamps(0, 0, 500, 500),
            0,
            Own::default(),
        );
        interval.record(0, Outcome::CutOff, &stamps(0, 0, 10, 500), 0, Own::default());
        let bind = &interval.operations[0];
        assert_eq!((bind.response.failed.count(), bind.response.cut_off.count()), (1, 1));
        assert_eq!((bind.service.count(), bind.service_cut_off.count()), (0, 1));
        assert_eq!((bind.counts.failed, bind.counts.cut_off), (1, 1));
        assert_eq!(interval.lag.count(), 1);
    }

    #[test]
    fn cancelled_exchange_has_only_a_response_time() {
        let mut interval = Interval::new(1, 0);
        interval.record_unsent(0, Outcome::TimedOut, Duration::from_millis(5), 0, Own::default());
        interval.record_unsent(0, Outcome::CutOff, Duration::from_millis(5), 0, Own::default());
        let bind = &interval.operations[0];
        assert_eq!((bind.counts.timed_out, bind.counts.cut_off), (1, 1));
        assert_eq!((bind.response.censored().count(), bind.response.ended().count()), (2, 1));
        assert_eq!((bind.service.count(), interval.lag.count()), (0, 0));
    }

    #[test]
    fn levels_merge_differently_in_time_and_across_workers() {
        let mut first = Interval::new(0, 0);
        (first.backlog_peak, first.in_flight, first.to) = (5, 7, Duration::from_secs(1));
        let mut beside = first.clone();
        beside.merge(&first);
        assert_eq!((beside.backlog_peak, beside.in_flight), (10, 14));
        let mut later = Interval::new(0, 0);
        (later.index, later.backlog_peak, later.in_flight) = (1, 3, 2);
        (later.from, later.to) = (Duration::from_secs(1), Duration::from_secs(2));
        later.due_in(0).ok = 4;
        let text = "no".to_owned();
        later.samples.push(Sample {
            operation: 0,
            outcome: Outcome::TimedOut,
            at: later.from,
            text,
            unreached: None,
            sent: None,
            answer: None,
        });
        let alone = later.to_sum();
        first.append(&later);
        for sum in [&first, &alone] {
            assert_eq!((sum.due.ok, sum.settled.len(), sum.samples.len()), (4, 0, 0));
        }
        assert_eq!((first.backlog_peak, first.in_flight), (5, 2));
        assert_eq!(first.lasted(), Duration::from_secs(2));
    }

    #[test]
    fn reset_interval_equals_a_new_one() {
        let mut used = Interval::new(2, 1);
        used.record(1, Outcome::TimedOut, &stamps(0, 0, 1, 9), 1, Own::default());
        used.health.record(WorkerLoad {
            node: 0,
            worker: 0,
            cpu: Duration::from_secs(1),
            wall: Duration::from_secs(1),
            waited: Duration::ZERO,
            runs: 0,
            unseen: false,
        });
        used.planned = 4;
        used.reset(9, Phase::WarmUp, Duration::from_secs(9));
        let mut fresh = Interval::new(2, 1);
        fresh.reset(9, Phase::WarmUp, Duration::from_secs(9));
        assert_eq!(used, fresh);
    }

    prop_compose! {
        fn interval()(
            exchanges in prop::collection::vec((0u16..2, 0u32..4, 0u64..1_000_000, 0u64..9), 0..20),
            worker in 0u16..3,
            levels in (0u64..9, 0u64..9, 0u64..9, 0u64..9, 0u64..9),
            from in 0u64..3,
        ) -> Interval {
            let mut made = Interval::new(2, 1);
            made.reset(4, Phase::Steady, Duration::from_secs(from));
            made.to = Duration::from_secs(from + 1);
            for (operation, code, took, items) in exchanges {
                let outcome = match code {
                    0 => Outcome::CutOff,
                    1 => Outcome::Failed(Class::Result, 49),
                    code => Outcome::Ok(code),
                };
                made.record(operation, outcome, &stamps(0, 5, 9, 9 + took), items, Own::default());
                made.part(Part(0), Duration::from_nanos(took));
                let text = format!("{operation} {took} {items}");
                let at = Duration::from_nanos(took);
                let (unreached, sent, answer) = (None, None, None);
                made.samples.push(Sample { operation, outcome, at, text, unreached, sent, answer });
            }
            made.samples.sort_by_key(|sample| (sample.at, sample.operation));
            (made.planned, made.dropped, made.backlog_peak, made.in_flight, made.orphans) = levels;
            made.health.record(WorkerLoad {
                node: 0,
                worker,
                cpu: Duration::from_millis(levels.0),
                wall: Duration::from_secs(1),
                waited: Duration::ZERO,
                runs: 0,
                unseen: false,
            });
            made
        }
    }

    fn merged(one: &Interval, two: &Interval) -> Interval {
        let mut all = one.clone();
        all.merge(two);
        all.samples.sort_by(|a, b| (a.at, &a.text).cmp(&(b.at, &b.text)));
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn merge_order_does_not_matter(a in interval(), b in interval(), c in interval()) {
            prop_assert_eq!(merged(&a, &b), merged(&b, &a));
            prop_assert_eq!(merged(&merged(&a, &b), &c), merged(&a, &merged(&b, &c)));
        }
    }
}
