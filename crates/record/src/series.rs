//! The run over time, in bounded memory: [`Series`].
//!
//! A short run keeps every interval. When there are too many, neighbours are merged pairwise and each later step is
//! twice as long. So a week has as many steps as an hour, and, since merging adds integers, only resolution is lost.

use crate::packed::Packed;
use crate::{Codes, Counts, Histogram, Interval, Operation, Phase, Settled};
use std::time::Duration;

/// One operation in one step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepOperation {
    /// How many exchanges met which end in the step, whenever they had fallen due.
    pub counts: Counts,
    /// The same by code.
    pub codes: Codes,
    response: Packed,
    censored: Packed,
    service: Packed,
    service_censored: Packed,
}

impl StepOperation {
    fn new(operation: &Operation) -> Self {
        Self {
            counts: operation.counts,
            codes: operation.codes.clone(),
            response: Packed::new(&operation.response.answered()),
            censored: Packed::new(&operation.response.censored()),
            service: Packed::new(&operation.service),
            service_censored: Packed::new(&operation.service_censored()),
        }
    }

    fn merge(&mut self, other: &Self) {
        self.counts.merge(&other.counts);
        self.codes.merge(&other.codes);
        self.response.merge(&other.response);
        self.censored.merge(&other.censored);
        self.service.merge(&other.service);
        self.service_censored.merge(&other.service_censored);
    }

    fn size(&self) -> usize {
        self.response.size()
            + self.censored.size()
            + self.service.size()
            + self.service_censored.size()
            + self.codes.sorted().len() * 16
    }

    /// Ended − due, of exchanges that were answered or failed in the step.
    pub fn response(&self) -> Histogram {
        self.response.histogram()
    }

    /// The least response times of exchanges that were given up in the step without an answer.
    pub fn censored(&self) -> Histogram {
        self.censored.histogram()
    }

    /// Ended − sent.
    pub fn service(&self) -> Histogram {
        self.service.histogram()
    }

    /// The least service times of exchanges that were given up without an answer.
    pub fn service_censored(&self) -> Histogram {
        self.service_censored.histogram()
    }
}

/// One step of a series: an interval, or several merged.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The phase all of it belongs to.
    pub phase: Phase,
    /// When it began, since the origin of the run.
    pub from: Duration,
    /// When it ended.
    pub to: Duration,
    /// The index of its first interval in the run.
    pub index: u64,
    /// How many intervals were merged into it.
    pub intervals: u64,
    /// By end: the operations, by number, with what ended in the step.
    pub operations: Vec<StepOperation>,
    /// By end: the spans, by number, as far as any ended.
    pub spans: Vec<StepOperation>,
    /// By end: exchanges given up in the step, whenever they had fallen due.
    pub dropped: u64,
    /// By due: what became due in the step, and how it ended, whenever that was.
    pub due: Counts,
    /// The most exchanges that waited for a session.
    pub backlog_peak: u64,
    /// Exchanges in flight at its end.
    pub in_flight: u64,
    /// Replies that answered no exchange in flight.
    pub orphans: u64,
    /// What the driver counted beside exchanges.
    pub tallies: Vec<u64>,
    /// The share of its core the busiest worker used in the busiest of the intervals.
    pub busiest: Option<f64>,
    lag: Packed,
    lateness: Packed,
}

impl Step {
    fn new(interval: &Interval) -> Self {
        Self {
            phase: interval.phase,
            from: interval.from,
            to: interval.to,
            index: interval.index,
            intervals: 1,
            operations: interval.operations.iter().map(StepOperation::new).collect(),
            spans: interval.spans.iter().map(StepOperation::new).collect(),
            dropped: interval.dropped,
            due: interval.due,
            backlog_peak: interval.backlog_peak,
            in_flight: interval.in_flight,
            orphans: interval.orphans,
            tallies: interval.tallies.clone(),
            busiest: interval.health.busiest(),
            lag: Packed::new(&interval.lag),
            lateness: Packed::new(&interval.lateness),
        }
    }

    /// Sent − due.
    pub fn lag(&self) -> Histogram {
        self.lag.histogram()
    }

    /// Sent − the later of due and free.
    pub fn lateness(&self) -> Histogram {
        self.lateness.histogram()
    }

    /// How long the step lasted.
    pub fn lasted(&self) -> Duration {
        self.to.saturating_sub(self.from)
    }

    /// Exchanges that ended by themselves.
    pub fn completed(&self) -> u64 {
        self.operations.iter().map(|operation| operation.counts.completed()).sum()
    }

    fn append(&mut self, other: &Self) {
        debug_assert_eq!(
            self.operations.len(),
            other.operations.len(),
            "a run does not change its catalogue"
        );
        for (mine, theirs) in self.operations.iter_mut().zip(&other.operations) {
            mine.merge(theirs);
        }
        let known = self.spans.len().min(other.spans.len());
        self.spans.iter_mut().zip(&other.spans).for_each(|(mine, theirs)| mine.merge(theirs));
        self.spans.extend(other.spans[known..].iter().cloned());
        self.to = self.to.max(other.to);
        self.intervals += other.intervals;
        self.dropped += other.dropped;
        self.due.merge(&other.due);
        self.backlog_peak = self.backlog_peak.max(other.backlog_peak);
        self.in_flight = other.in_flight;
        self.orphans += other.orphans;
        self.tallies.resize(self.tallies.len().max(other.tallies.len()), 0);
        for (mine, theirs) in self.tallies.iter_mut().zip(&other.tallies) {
            *mine += theirs;
        }
        self.busiest = self.busiest.into_iter().chain(other.busiest).reduce(f64::max);
        self.lag.merge(&other.lag);
        self.lateness.merge(&other.lateness);
    }

    /// How much memory it takes without its histograms and codes.
    fn frame(&self) -> usize {
        let measured = self.operations.len() + self.spans.len();
        let operations = measured * size_of::<StepOperation>();
        operations + self.tallies.len() * size_of::<u64>()
    }

    fn size(&self) -> usize {
        let measured = self.operations.iter().chain(&self.spans).map(StepOperation::size);
        measured.sum::<usize>() + self.lag.size() + self.lateness.size()
    }
}

/// The steps of a run.
#[derive(Clone, Debug)]
pub struct Series {
    steps: Vec<Step>,
    steps_max: usize,
    bytes: usize,
    each: u64,
    unplaced: Counts,
}

impl Default for Series {
    fn default() -> Self {
        Self::new()
    }
}

impl Series {
    /// The most steps kept.
    pub const STEPS_MAX: usize = 2_048;
    /// The most memory the histograms of the steps may take together.
    pub const BYTES_MAX: usize = 8 << 20;
    /// The most memory the steps may take without their histograms: a run with thousands of operations keeps fewer
    /// steps.
    pub const FRAMES_MAX: usize = 24 << 20;

    /// An empty series.
    pub fn new() -> Self {
        Self::with_steps_max(Self::STEPS_MAX)
    }

    /// An empty series of at most `steps_max` steps.
    pub fn with_steps_max(steps_max: usize) -> Self {
        Self {
            steps: Vec::new(),
            steps_max: steps_max.max(Phase::ALL.len()),
            bytes: 0,
            each: 1,
            unplaced: Counts::default(),
        }
    }

    /// Adds the next interval of the run.
    pub fn push(&mut self, interval: &Interval) {
        for settled in &interval.settled {
            self.settle(interval.phase, settled);
        }
        let step = Step::new(interval);
        match self.steps.last_mut() {
            // Exchanges of an earlier phase that ended late lie between the steps of the current phase.
            Some(last) if last.phase == step.phase && last.intervals < self.each => {
                self.bytes -= last.size();
                last.append(&step);
                self.bytes += last.size();
            }
            _ => {
                self.bytes += step.size();
                self.steps.push(step);
            }
        }
        if self.steps.len() > self.steps_fit()
            || (self.bytes > Self::BYTES_MAX && self.steps.len() > 1)
        {
            self.halve();
        }
    }

    /// How many steps fit into memory, by the size of one.
    fn steps_fit(&self) -> usize {
        let frame = self.steps.last().map_or(1, Step::frame).max(1);
        (Self::FRAMES_MAX / frame).max(2 * Phase::ALL.len()).min(self.steps_max)
    }

    /// The steps, in order of time.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Adds the outcomes of exchanges to the step in which they became due.
    fn settle(&mut self, phase: Phase, settled: &Settled) {
        let of = |step: &&mut Step| step.phase == phase && step.index <= settled.index;
        match self.steps.iter_mut().rev().find(of) {
            Some(step) => step.due.merge(&settled.counts),
            // The step was never added: only its ends are known.
            None => self.unplaced.merge(&settled.counts),
        }
    }

    /// The outcomes of exchanges whose step is not in the series.
    pub fn unplaced(&self) -> Counts {
        self.unplaced
    }

    fn halve(&mut self) {
        self.each *= 2;
        let mut merged: Vec<Step> = Vec::with_capacity(self.steps.len() / 2 + Phase::ALL.len());
        for step in self.steps.drain(..) {
            match merged.last_mut() {
                Some(last)
                    if last.phase == step.phase && last.intervals + step.intervals <= self.each =>
                {
                    last.append(&step);
                }
                _ => merged.push(step),
            }
        }
        self.bytes = merged.iter().map(Step::size).sum();
        self.steps = merged;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Own;
    use brunt_exchange::{Moment, Outcome, Stamps};

    fn interval(index: u64, phase: Phase) -> Interval {
        let mut interval = Interval::new(1, 0);
        interval.reset(index, phase, Duration::from_secs(index));
        interval.to = Duration::from_secs(index + 1);
        (0..index).for_each(|_| interval.plan());
        interval.backlog_peak = index;
        let stamps = Stamps {
            due: Moment::ZERO,
            free: Moment::ZERO,
            sent: Moment::ZERO,
            ended: Moment::from_nanos(1_000 * (index + 1)),
        };
        interval.record(0, Outcome::Ok(0), &stamps, 1, Own::default());
        interval
    }

    #[test]
    fn series_of_many_operations_has_fewer_steps() {
        let (mut series, operations) = (Series::new(), 5_000);
        for index in 0..100 {
            let mut interval = Interval::new(operations, 0);
            interval.reset(index, Phase::Steady, Duration::from_secs(index));
            interval.to = Duration::from_secs(index + 1);
            interval.plan();
            series.push(&interval);
        }
        let steps = series.steps();
        let bytes = steps.len() * operations * size_of::<StepOperation>();
        assert!(bytes <= Series::FRAMES_MAX && steps.len() >= 5, "{} steps", steps.len());
        assert_eq!(steps.iter().map(|step| step.due.planned).sum::<u64>(), 100);
    }

    #[test]
    fn series_of_a_long_run_is_halved_without_loss() {
        let mut series = Series::with_steps_max(16);
        let mut whole = Histogram::new();
        for index in 0..1_000 {
            let interval = interval(index, if index < 5 { Phase::WarmUp } else { Phase::Steady });
            whole.merge(&interval.operations[0].response.due());
            series.push(&interval);
        }
        let steps = series.steps();
        assert!(steps.len() <= 16 && steps.len() > 8, "{}", steps.len());
        assert_eq!(steps.iter().map(|step| step.intervals).sum::<u64>(), 1_000);
        assert_eq!(steps.iter().map(|step| step.due.planned).sum::<u64>(), 999 * 1_000 / 2);
        assert!(steps.windows(2).all(|pair| pair[0].to == pair[1].from));
        assert_eq!(steps[0].phase, Phase::WarmUp);
        assert_eq!(steps[0].to, Duration::from_secs(5));
        let mut merged = Histogram::new();
        for step in steps {
            merged.merge(&step.operations[0].response());
        }
        assert_eq!(merged, whole);
        assert_eq!(steps.last().unwrap().backlog_peak, 999);
    }

    #[test]
    fn series_counts_exchanges_where_they_fell_due() {
        let mut series = Series::with_steps_max(8);
        for index in 0..100 {
            let mut interval = interval(index, Phase::Steady);
            // Everything that became due in the step before ends in this one.
            if let Some(before) = index.checked_sub(1) {
                let ok = Counts { sent: before, ok: before, ..Counts::default() };
                interval.due_in(before).merge(&ok);
            }
            series.push(&interval);
        }
        assert!(series.steps().len() <= 8);
        let (last, others) = series.steps().split_last().unwrap();
        assert!(others.iter().all(|step| step.due.planned == step.due.ok));
        assert_eq!(last.due.planned, last.due.ok + 99);
    }

    #[test]
    fn series_of_a_short_run_keeps_every_interval() {
        let mut series = Series::new();
        (0..100).for_each(|index| series.push(&interval(index, Phase::Steady)));
        assert_eq!(series.steps().len(), 100);
    }

    #[test]
    fn series_is_bounded_by_bytes() {
        let mut series = Series::new();
        let mut wide = Interval::new(1, 0);
        let mut nanos = 1_000_u64;
        while nanos < 50_000_000_000 {
            wide.lag.record(Duration::from_nanos(nanos));
            nanos += nanos / 500 + 16;
        }
        for index in 0..700 {
            wide.index = index;
            wide.from = Duration::from_secs(index);
            wide.to = Duration::from_secs(index + 1);
            series.push(&wide);
        }
        assert!(series.bytes <= Series::BYTES_MAX);
        assert!(series.steps().len() > 100, "{}", series.steps().len());
    }
}
