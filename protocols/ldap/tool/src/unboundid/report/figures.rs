//! The figures of a row, as UnboundID's tools define them.
//!
//! A rate is of operations that were sent and ended, with whatever result; what was never sent, such as an operation
//! without a connection, is an error only. A duration is from sending to the answer.

use brunt_record::{Interval, Operation};

use super::super::result::code_of;

/// The sums of an interval, or of the whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sums {
    seconds: f64,
    /// Of each operation: how many ended, and how long they took together, in nanoseconds.
    ended: Vec<(u64, u128)>,
    entries: u64,
    errors: u64,
}

impl Sums {
    /// The sums of an interval.
    pub(super) fn from_interval(interval: &Interval) -> Self {
        let ended = |operation: &Operation| {
            let times = operation.service_ended();
            (times.count(), times.sum_nanos())
        };
        let failed = |operation: &Operation| -> u64 {
            let failed = operation.codes.sorted().into_iter();
            failed.filter(|(it, _)| code_of(*it).is_some()).map(|(_, count)| count).sum()
        };
        Self {
            seconds: interval.lasted().as_secs_f64(),
            ended: interval.operations.iter().map(ended).collect(),
            entries: interval.counts().items,
            errors: interval.operations.iter().map(failed).sum(),
        }
    }

    /// Adds those of a later interval.
    pub(super) fn add(&mut self, other: &Self) {
        self.seconds += other.seconds;
        self.entries += other.entries;
        self.errors += other.errors;
        self.ended.resize(self.ended.len().max(other.ended.len()), (0, 0));
        for (own, more) in self.ended.iter_mut().zip(&other.ended) {
            *own = (own.0 + more.0, own.1 + more.1);
        }
    }

    /// Whether an operation failed.
    pub(super) fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// The rate and the mean duration of each operation.
    pub(super) fn rates(&self) -> Vec<f64> {
        let figures = |&(count, nanos): &(u64, u128)| {
            [self.per_second(count), ratio(nanos as f64 / 1e6, count as f64)]
        };
        self.ended.iter().flat_map(figures).collect()
    }

    /// Entries for each search, failed ones included.
    pub(super) fn entries_per_search(&self) -> f64 {
        ratio(self.entries as f64, self.ended.first().map_or(0.0, |(count, _)| *count as f64))
    }

    /// Failures per second.
    pub(super) fn error_rate(&self) -> f64 {
        self.per_second(self.errors)
    }

    fn per_second(&self, count: u64) -> f64 {
        ratio(count as f64, self.seconds)
    }
}

/// What has no value is shown as zero.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use brunt_exchange::{Class, Moment, Outcome, Stamps};
    use brunt_record::{Own, Phase};

    use super::*;

    /// Two seconds with these outcomes, each of which was due a millisecond before it was sent.
    fn interval(outcomes: &[(u16, Outcome, u64)]) -> Interval {
        let mut interval = Interval::new(2, 0);
        interval.reset(0, Phase::Steady, Duration::ZERO);
        interval.to = Duration::from_secs(2);
        for &(operation, outcome, micros) in outcomes {
            let [due, sent, ended] =
                [0, 1_000_000, 1_000_000 + micros * 1_000].map(Moment::from_nanos);
            let stamps = Stamps { due, free: due, sent, ended };
            interval.record(operation, outcome, &stamps, 1, Own::default());
        }
        interval
    }

    #[test]
    fn rates_include_failed_but_not_unsent_operations() {
        let refused = Outcome::Failed(Class::Result, 32);
        let unreachable = Outcome::Failed(Class::Connect, 111);
        let sums = Sums::from_interval(&interval(&[
            (0, Outcome::Ok(0), 500),
            (0, refused, 1_500),
            (0, unreachable, 9_000),
            (1, Outcome::Ok(0), 250),
            (1, Outcome::CutOff, 9_000),
        ]));
        assert_eq!(sums.rates(), [1.0, 1.0, 0.5, 0.25]);
        assert_eq!(vec![sums.error_rate()], vec![1.0]);
        assert!(sums.has_errors());
    }

    #[test]
    fn whole_run_is_the_sum_of_its_intervals() {
        let mut whole = Sums::from_interval(&interval(&[(0, Outcome::Ok(0), 1_000); 4]));
        whole.add(&Sums::from_interval(&interval(&[(0, Outcome::Ok(0), 4_000)])));
        assert_eq!(whole.rates()[..2], [1.25, 1.6]);
        assert_eq!(vec![whole.entries_per_search()], vec![1.0]);
    }

    #[test]
    fn empty_interval_is_all_zeros() {
        let sums = Sums::from_interval(&interval(&[]));
        assert_eq!((sums.rates(), sums.entries_per_search()), (vec![0.0; 4], 0.0));
        assert!(!sums.has_errors());
    }
}
