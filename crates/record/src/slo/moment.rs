//! The figure of an objective in one interval, while the run is in progress.
//!
//! The rules are the same as for a record, except that nothing is known of exchanges still in flight: shares and times
//! are of exchanges that ended in the interval, and rates of its time. Where no exchange ended there is no figure. The
//! generator's own part is not removed: a condition that protects a target must see a stall whatever caused it.

use super::{Basis, Comparison, Figure, Slo, SloOutcome, Statistic, Unit};
use crate::{Counts, Histogram, Interval, Operation, Reach, Waits};
use brunt_exchange::{Class, Outcome};

/// Logins that were refused because of the state of their accounts, and all that ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lockouts {
    pub(crate) locked: u64,
    pub(crate) ended: u64,
}

impl Slo {
    /// Whether it is about locked accounts.
    pub(crate) fn is_of_locked(&self) -> bool {
        self.figure == Figure::Locked
    }

    /// The highest number of locked accounts for which it is not yet true, if it is about their number.
    pub(crate) fn locked_tolerated(&self) -> Option<u64> {
        let number = self.value.max(0.0) as u64;
        match (self.figure, self.unit, self.comparison) {
            (Figure::Locked, Unit::Count, Comparison::Greater) => Some(number),
            (Figure::Locked, Unit::Count, Comparison::GreaterOrEqual) => number.checked_sub(1),
            _ => None,
        }
    }

    /// Whether it depends on how much load there is: a rate, or a count of exchanges.
    pub fn is_of_load(&self) -> bool {
        matches!(self.figure, Figure::Count | Figure::Achieved | Figure::Goodput | Figure::Offered)
    }

    /// Whether it limits how many exchanges may fail.
    pub fn is_of_errors(&self) -> bool {
        self.operation.is_none() && matches!(self.figure, Figure::Errors | Figure::Ok)
    }

    /// The accounts that were found locked in an interval, over the operations it applies to.
    pub(crate) fn lockouts(&self, interval: &Interval, names: &[String]) -> Lockouts {
        let mut found = Lockouts::default();
        for operation in self.of_interval(interval, names) {
            let codes = operation.codes.sorted().into_iter();
            let locked = |outcome| matches!(outcome, Outcome::Failed(Class::Locked, _));
            found.locked +=
                codes.filter(|(outcome, _)| locked(*outcome)).map(|it| it.1).sum::<u64>();
            found.ended += ended(&operation.counts);
        }
        if self.is_of_all(interval, names) {
            found.ended += interval.dropped;
        }
        found
    }

    /// Whether it applies to all operations of an interval, and so to dropped exchanges, which belong to none.
    fn is_of_all(&self, interval: &Interval, names: &[String]) -> bool {
        match (&self.operation, interval.operations.len()) {
            (None, _) => true,
            (Some(name), 1) => names.first() == Some(name),
            _ => false,
        }
    }

    /// The figure for these lockouts.
    pub(crate) fn of_lockouts(&self, found: Lockouts) -> Option<Reach> {
        self.share(found.locked, found.ended)
    }

    /// Whether it certainly holds for this figure.
    pub(crate) fn holds_of(&self, figure: Reach) -> bool {
        self.outcome(figure) == SloOutcome::Met
    }

    /// The figure in words: `83.3%`, `infinite`.
    pub(crate) fn shown(&self, figure: Reach) -> String {
        let value = self.unit.scale(figure.least);
        if !value.is_finite() {
            return "without end (no answer, or a failure)".to_owned();
        }
        match self.unit {
            Unit::Count => format!("{value:.0}"),
            _ => format!("{value:.1}{}", self.unit.name()),
        }
    }

    /// The figure in one interval, in the unit of a record: nanoseconds for times. None where no exchange ended.
    /// `names` are those of the operations, followed by those of the spans.
    pub(crate) fn measured_in(&self, interval: &Interval, names: &[String]) -> Option<Reach> {
        let mut counts = Counts::default();
        self.of_interval(interval, names).for_each(|of| counts.merge(&of.counts));
        let whole = self.is_of_all(interval, names);
        if whole {
            counts.dropped = interval.dropped;
        }
        let all = ended(&counts);
        let lasted = interval.lasted().as_secs_f64();
        let planned = if whole { interval.planned } else { 0 };
        let rate = |count: u64| match self.unit {
            // What became due is known only for the whole load; for one operation, what ended is known.
            Unit::Percent => percent(count, if whole { planned } else { all }),
            _ => (lasted > 0.0).then(|| count as f64 / lasted),
        };
        let plain = match self.figure {
            Figure::Time(basis, statistic) => {
                return self.time_in(interval, names, basis, statistic, &counts);
            }
            Figure::Errors => return self.share(all - counts.ok, all),
            Figure::Timeouts => return self.share(counts.timed_out, all),
            Figure::Ok => return self.share(counts.ok, all),
            Figure::Dropped => return self.share(counts.dropped, all),
            Figure::Locked => return self.of_lockouts(self.lockouts(interval, names)),
            Figure::Count => Some(counts.completed() as f64),
            Figure::Achieved => {
                let all = self.of_interval(interval, names);
                rate(all.map(|operation| operation.codes.answered()).sum())
            }
            Figure::Goodput => rate(counts.ok),
            Figure::Offered => (lasted > 0.0).then(|| interval.planned as f64 / lasted),
        };
        plain.map(Reach::exactly)
    }

    fn share(&self, count: u64, of: u64) -> Option<Reach> {
        match self.unit {
            Unit::Percent => percent(count, of).map(Reach::exactly),
            _ => Some(Reach::exactly(count as f64)),
        }
    }

    fn time_in(
        &self,
        interval: &Interval,
        names: &[String],
        basis: Basis,
        statistic: Statistic,
        counts: &Counts,
    ) -> Option<Reach> {
        let waits = match basis {
            Basis::Lag => Waits {
                known: interval.lag.clone(),
                censored: Histogram::new(),
                endless: interval.dropped,
            },
            Basis::Lateness => Waits { known: interval.lateness.clone(), ..Waits::default() },
            Basis::Response | Basis::Ok | Basis::Service => {
                let mut all = Waits::default();
                for operation in self.of_interval(interval, names) {
                    add(&mut all, operation, basis);
                }
                let dropped = if basis == Basis::Response { counts.dropped } else { 0 };
                Waits { endless: all.endless + dropped, ..all }
            }
        };
        if waits.count() == 0 { None } else { statistic.of(&waits) }
    }

    fn of_interval<'a>(
        &'a self,
        interval: &'a Interval,
        names: &'a [String],
    ) -> impl Iterator<Item = &'a Operation> {
        let operations = interval.operations.len();
        let applies = move |at: usize| match &self.operation {
            // What spans consist of is in the operations already.
            None => at < operations,
            Some(name) => names.get(at) == Some(name),
        };
        let measured = interval.measured();
        measured.filter(move |(at, _)| applies(*at)).map(|(_, operation)| operation)
    }
}

/// Adds the waits of the exchanges of an operation that ended in the interval.
fn add(all: &mut Waits, operation: &Operation, basis: Basis) {
    match basis {
        Basis::Service => {
            all.known.merge(&operation.service);
            all.censored.merge(&operation.service_censored());
        }
        Basis::Ok => all.known.merge(&operation.response.ok),
        _ => {
            all.known.merge(&operation.response.ok);
            all.endless += operation.counts.failed + operation.counts.timed_out;
            all.censored.merge(&operation.response.cut_off);
        }
    }
}

/// All exchanges that ended, dropped ones included.
const fn ended(counts: &Counts) -> u64 {
    counts.ok + counts.failed + counts.timed_out + counts.cut_off + counts.dropped
}

fn percent(count: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| 100.0 * count as f64 / of as f64)
}
