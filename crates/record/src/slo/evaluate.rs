//! Evaluates an objective against a record.
//!
//! Percentiles are of all that was due. An exchange that failed, timed out or was dropped never got its answer and
//! counts as infinitely late. An exchange in flight when the run ended took at least as long as it had waited. So a
//! figure is an interval ([`Reach`]), and an objective is met or missed only if every value in it agrees. The objective
//! is evaluated a second time for the figure without the generator's own part; if the outcome differs, the objective is
//! undecided. If the generator left out a part of the load, its own part is all that exchanges waited before they were
//! sent.

use super::{Basis, Comparison, Figure, Slo, SloError, SloOutcome, SloResult, Statistic, Unit};
use brunt_exchange::Class;

use crate::{
    Counts, Histogram, HistogramError, IterationRates, Mode, OperationRecord, RateDoubt, Reach,
    Record, Status, Waits,
};

/// A percentile is known to be small only if at least this many exchanges are expected beyond it. Of ten exchanges that
/// were all in time, one in a hundred may still be slow; of fifty, nothing follows for one in a million.
const BEYOND_MIN: f64 = 0.1;
/// What rounding may take from it.
const ROUNDING: f64 = 1e-9;

/// Whether the generator's own part is in a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    With,
    Without,
}

impl Record {
    /// Evaluates the objectives of these texts against this record, each of them once, in place of the results that the
    /// record has.
    pub fn judge<'a>(
        &mut self,
        objectives: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), SloError> {
        let mut requested: Vec<Slo> = Vec::new();
        for text in objectives {
            if !requested.iter().any(|known| known.text() == text) {
                requested.push(text.parse()?);
            }
        }
        self.slo = requested.iter().map(|slo| slo.evaluate(self)).collect::<Result<_, _>>()?;
        self.settle_outcomes();
        Ok(())
    }
}

impl Slo {
    /// The result of the objective in a run.
    pub fn evaluate(&self, record: &Record) -> Result<SloResult, SloError> {
        let measured = record.operations.iter().chain(&record.spans);
        self.check(measured.map(|operation| operation.name.as_str()))?;
        let with = self.measured(record, Part::With);
        let without = self.measured(record, Part::Without);
        let measured = with.map_or(SloOutcome::Missed, |reach| self.outcome(reach));
        let cleared = without.map_or(SloOutcome::Missed, |reach| self.outcome(reach));
        let unmade = measured == SloOutcome::Missed
            && self.is_rate()
            && record.verdict.status == Status::GeneratorLimited;
        let few = self.too_few(record).filter(|_| measured == SloOutcome::Met);
        let undecided = cleared != measured || unmade || self.is_unknown(record) || few.is_some();
        let value = with.map(|reach| reach.least).filter(|value| value.is_finite());
        Ok(SloResult {
            expr: self.text.clone(),
            value: value.map(|value| self.unit.scale(value)),
            at_least: value.is_some() && with.is_some_and(|reach| !reach.is_exact()),
            unit: self.unit.name().to_owned(),
            outcome: if undecided { SloOutcome::Undecided } else { measured },
            why: if cleared != measured {
                self.own_part(without)
            } else if unmade {
                Some("the generator did not make the load that was asked for".to_owned())
            } else if self.is_unknown(record) {
                record.rates.doubt.map(|doubt| doubt.words().to_owned())
            } else if few.is_some() {
                few
            } else {
                self.unanswered(record, with)
            },
        })
    }

    pub(super) fn outcome(&self, reach: Reach) -> SloOutcome {
        match (self.holds(reach.least), self.holds(reach.most)) {
            (true, true) => SloOutcome::Met,
            (false, false) if self.comparison != Comparison::Equal || reach.is_exact() => {
                SloOutcome::Missed
            }
            _ => SloOutcome::Undecided,
        }
    }

    fn holds(&self, measured: f64) -> bool {
        let value = self.unit.scale(measured);
        match self.comparison {
            Comparison::Less => value < self.value,
            Comparison::LessOrEqual => value <= self.value,
            Comparison::Greater => value > self.value,
            Comparison::GreaterOrEqual => value >= self.value,
            Comparison::Equal => (value - self.value).abs() <= f64::EPSILON * self.value.abs(),
        }
    }

    /// Whether the figure must exclude what the generator did by leaving out a part of an open load.
    fn is_unmade(record: &Record, part: Part) -> bool {
        part == Part::Without
            && record.verdict.status == Status::GeneratorLimited
            && record.plan.mode == Mode::Open
            && record.counts.dropped > 0
    }

    fn is_rate(&self) -> bool {
        matches!(self.figure, Figure::Achieved | Figure::Goodput | Figure::Offered)
    }

    /// The figure, or `None` if it was not measured. Times are in nanoseconds.
    fn measured(&self, record: &Record, part: Part) -> Option<Reach> {
        let counts = self.counts(record, part);
        let share = |count: u64| match self.unit {
            Unit::Percent => (counts.due() > 0).then(|| 100.0 * count as f64 / counts.due() as f64),
            _ => Some(count as f64),
        };
        let rate =
            |of_run: Option<f64>, of: fn(&OperationRecord) -> Option<f64>| match &self.operation {
                None => of_run,
                Some(_) => self.operations(record).next().and_then(of),
            };
        let plain = match self.figure {
            Figure::Time(basis, statistic) => return self.time(record, basis, statistic, part),
            Figure::Errors => share(counts.missed()),
            Figure::Timeouts => share(counts.timed_out),
            Figure::Locked => share(self.locked(record)),
            Figure::Ok => share(counts.ok),
            Figure::Dropped => share(counts.dropped),
            Figure::Count => Some((counts.ok + counts.failed + counts.timed_out) as f64),
            Figure::Achieved => self
                .of_iterations(record, |it| it.achieved)
                .or_else(|| self.against(record, rate(record.rates.achieved, |of| of.achieved))),
            Figure::Goodput => self
                .of_iterations(record, |it| it.goodput)
                .or_else(|| self.against(record, rate(record.rates.goodput, |of| of.goodput))),
            Figure::Offered => record.rates.offered,
        };
        plain.filter(|value| value.is_finite()).map(Reach::exactly)
    }

    /// A rate, or its share of the offered rate, which counts what became due. The offered rate is exactly what was
    /// requested, to the exchange. A target rate matches this only on average, for random arrivals and for a node's
    /// share of few exchanges.
    fn against(&self, record: &Record, rate: Option<f64>) -> Option<f64> {
        match self.unit {
            Unit::Percent => {
                let requested = record.rates.offered.or(record.rates.target)?;
                Some(100.0 * rate? / requested)
            }
            _ => rate,
        }
    }

    /// A share of what was offered, where an arrival begins an iteration of several exchanges.
    fn of_iterations(
        &self,
        record: &Record,
        of: fn(&IterationRates) -> Option<f64>,
    ) -> Option<f64> {
        let whole = self.unit == Unit::Percent && self.operation.is_none();
        let iterations = record.rates.iterations.as_ref().filter(|_| whole)?;
        Some(100.0 * of(iterations)? / iterations.offered?)
    }

    /// Whether it is about a rate that is not known, because requests took longer than half of the run.
    fn is_unknown(&self, record: &Record) -> bool {
        let rate = matches!(self.figure, Figure::Achieved | Figure::Goodput);
        rate && record.rates.doubt.is_some_and(|doubt| doubt != RateDoubt::NothingAnswered)
    }

    /// Why a percentile of so few exchanges is not known, although none of them was slow.
    fn too_few(&self, record: &Record) -> Option<String> {
        let Figure::Time(basis, Statistic::Percentile(percentile)) = self.figure else {
            return None;
        };
        let count = self.waits(record, basis, Part::With).ok()?.count();
        let beyond = 1.0 - percentile / 100.0;
        (count > 0 && beyond > 0.0 && beyond * (count as f64) < BEYOND_MIN - ROUNDING).then(|| {
            let most = (BEYOND_MIN / beyond).round();
            let many = record.plan.noun.after(count);
            format!("{count} {many} say nothing about p{percentile}: it takes at least {most}")
        })
    }

    fn time(
        &self,
        record: &Record,
        basis: Basis,
        statistic: Statistic,
        part: Part,
    ) -> Option<Reach> {
        let waits = self.waits(record, basis, part).ok()?;
        if matches!(basis, Basis::Response | Basis::Ok | Basis::Service)
            && self.counts(record, Part::With).ok == 0
        {
            return None;
        }
        statistic.of(&waits)
    }

    /// The waits from which a figure of time is made.
    fn waits(&self, record: &Record, basis: Basis, part: Part) -> Result<Waits, HistogramError> {
        match basis {
            Basis::Lag => {
                return Ok(Waits {
                    known: record.lag.histogram()?,
                    censored: Histogram::new(),
                    endless: record.counts.dropped,
                });
            }
            Basis::Lateness => {
                return Ok(Waits { known: record.lateness.histogram()?, ..Waits::default() });
            }
            Basis::Response | Basis::Ok | Basis::Service => {}
        }
        let mut all = Waits::default();
        for operation in self.operations(record) {
            let of = match basis {
                Basis::Service => operation.service.waits()?,
                _ if Self::is_unmade(record, part) => served(operation)?,
                Basis::Ok => Waits { known: successes(operation, part)?, ..Waits::default() },
                _ => due(operation, part)?,
            };
            all.known.merge(&of.known);
            all.censored.merge(&of.censored);
            all.endless += of.endless;
        }
        if basis == Basis::Response {
            all.endless += self.counts(record, part).dropped;
            if !self.is_whole(record) && !Self::is_unmade(record, part) {
                // Dropped exchanges belong to no operation: they may or may not have been of this one.
                all.censored.record_zero(record.counts.dropped);
            }
        }
        Ok(all)
    }

    /// Logins that were refused because of the state of their accounts.
    fn locked(&self, record: &Record) -> u64 {
        let codes = self.operations(record).flat_map(|operation| &operation.codes);
        codes.filter(|code| code.class == Class::Locked.word()).map(|code| code.count).sum()
    }

    fn operations<'a>(&'a self, record: &'a Record) -> impl Iterator<Item = &'a OperationRecord> {
        let named = |operation: &&OperationRecord| {
            self.operation.as_ref().is_none_or(|name| *name == operation.name)
        };
        // What spans consist of is in the operations already.
        let spans = record.spans.iter().filter(|_| self.operation.is_some());
        record.operations.iter().chain(spans).filter(named)
    }

    /// Whether the objective applies to everything that was due.
    fn is_whole(&self, record: &Record) -> bool {
        match (&self.operation, &record.operations[..]) {
            (None, _) => true,
            (Some(name), [only]) => *name == only.name,
            _ => false,
        }
    }

    /// The counts from which a figure is made. Without the generator's own part, exchanges that did not succeed while
    /// the generator stood still are left out.
    fn counts(&self, record: &Record, part: Part) -> Counts {
        let mut counts = Counts::default();
        self.operations(record).for_each(|operation| counts.merge(&operation.counts));
        let whole = self.is_whole(record);
        if whole {
            (counts.planned, counts.dropped) = (record.counts.planned, record.counts.dropped);
        }
        if part == Part::With {
            return counts;
        }
        let mut tainted = Counts::default();
        self.operations(record)
            .filter_map(|operation| operation.tainted.as_ref())
            .for_each(|of| tainted.merge(of));
        counts.failed -= tainted.failed.min(counts.failed);
        counts.timed_out -= tainted.timed_out.min(counts.timed_out);
        counts.cut_off -= tainted.cut_off.min(counts.cut_off);
        let dropped = match whole {
            true if Self::is_unmade(record, part) => counts.dropped,
            true => record.dropped_tainted.min(counts.dropped),
            false => 0,
        };
        counts.dropped -= dropped;
        let left_out = tainted.failed + tainted.timed_out + tainted.cut_off + dropped;
        counts.planned -= left_out.min(counts.planned);
        counts
    }

    fn own_part(&self, without: Option<Reach>) -> Option<String> {
        let value =
            self.unit.scale(without.map(|reach| reach.least).filter(|value| value.is_finite())?);
        Some(format!("without the delay added by brunt it is {value:.3}{}", self.unit.name()))
    }

    /// Which exchanges had no answer, where that determines the figure.
    fn unanswered(&self, record: &Record, with: Option<Reach>) -> Option<String> {
        let Figure::Time(basis, _) = self.figure else { return None };
        if !matches!(basis, Basis::Response | Basis::Service | Basis::Ok) {
            return None;
        }
        let counts = self.counts(record, Part::With);
        if counts.ok == 0 {
            return Some(format!("no {} succeeded", record.plan.noun.one));
        }
        let endless = with.is_some_and(|reach| !reach.least.is_finite() || !reach.is_exact());
        endless.then(|| {
            format!(
                "{} of {} failed or had no answer: infinitely late (see ok.pN)",
                counts.missed(),
                counts.due()
            )
        })
    }
}

fn successes(operation: &OperationRecord, part: Part) -> Result<Histogram, HistogramError> {
    let cleared = operation.ok_without_own.as_ref().filter(|_| part == Part::Without);
    cleared.or(operation.ok.as_ref()).unwrap_or(&operation.response).histogram()
}

/// The service times of all exchanges of one operation that were sent; failures have no end.
fn served(operation: &OperationRecord) -> Result<Waits, HistogramError> {
    let mut waits = operation.service.waits()?;
    waits.endless += operation.counts.failed;
    Ok(waits)
}

/// All that was due of one operation: successes, and the others without an end, except those in flight at the end.
fn due(operation: &OperationRecord, part: Part) -> Result<Waits, HistogramError> {
    let mut counts = operation.counts;
    if let Some(tainted) = operation.tainted.filter(|_| part == Part::Without) {
        counts.failed -= tainted.failed.min(counts.failed);
        counts.timed_out -= tainted.timed_out.min(counts.timed_out);
        counts.cut_off -= tainted.cut_off.min(counts.cut_off);
    }
    let mut waits = Waits {
        known: successes(operation, part)?,
        censored: Histogram::new(),
        endless: counts.failed,
    };
    match &operation.response.censored {
        // Exchanges that exceeded their time-out were given up. If others were in flight, the two cannot be
        // distinguished.
        Some(censored) if counts.cut_off > 0 => waits.censored = censored.histogram()?,
        _ => waits.endless += counts.timed_out,
    }
    Ok(waits)
}
