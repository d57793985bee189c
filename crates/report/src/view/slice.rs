//! [`Slice`]: one step of a run, or several neighbours merged, from which a row of a view is made.
//!
//! A row is made the same way whether the step comes from a record, from the memory of a run in progress, or is the
//! interval that has just ended.

use brunt_record::{
    Counts, Histogram, HistogramError, Interval, Operation, Phase, Record, Step, StepOperation,
    StepOperationRecord, StepRecord,
};

/// Steps that overlap by less than this follow each other.
const BESIDE_S: f64 = 1e-6;

/// A stretch of a run's time, by end: what ended in it.
#[derive(Clone, Debug, Default)]
pub struct Slice {
    pub(super) phase: Phase,
    pub(super) from_s: f64,
    pub(super) to_s: f64,
    /// By due: what became due in it.
    pub(super) due: Counts,
    pub(super) ended: Counts,
    pub(super) backlog_peak: u64,
    pub(super) in_flight: u64,
    pub(super) busiest: Option<f64>,
    pub(super) operations: Vec<Ended>,
    /// The spans, whose exchanges are in the operations.
    pub(super) spans: Vec<Ended>,
    pub(super) lag: Histogram,
    pub(super) lateness: Histogram,
}

/// The results of the exchanges of one operation that ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Ended {
    pub(super) counts: Counts,
    pub(super) response: Histogram,
    pub(super) service: Histogram,
}

impl Slice {
    /// The steps of a record as about `most` slices at most. Steps that overlap in time, such as those with late ends
    /// of an earlier phase, are merged.
    pub(super) fn of_record(record: &Record, most: usize) -> Result<Vec<Self>, HistogramError> {
        let mut merging = Merging::new(record.series.len(), most);
        for step in &record.series {
            merging.push(Self::of_step_record(step)?);
        }
        Ok(merging.slices)
    }

    /// A step from a record.
    pub fn of_step_record(step: &StepRecord) -> Result<Self, HistogramError> {
        Ok(Self {
            phase: step.phase,
            from_s: step.from_s,
            to_s: step.to_s,
            due: step.due,
            ended: step.ended,
            backlog_peak: step.backlog_peak,
            in_flight: step.in_flight,
            busiest: step.busiest,
            operations: ended_of_record(&step.operations)?,
            spans: ended_of_record(&step.spans)?,
            lag: step.lag.histogram()?,
            lateness: step.lateness.histogram()?,
        })
    }

    /// A step of a run in progress.
    pub fn of_step(step: &Step) -> Self {
        let ended_of = |operation: &StepOperation| Ended {
            counts: operation.counts,
            response: joined(operation.response(), &operation.censored()),
            service: joined(operation.service(), &operation.service_censored()),
        };
        let operations: Vec<Ended> = step.operations.iter().map(ended_of).collect();
        Self {
            phase: step.phase,
            from_s: step.from.as_secs_f64(),
            to_s: step.to.as_secs_f64(),
            due: step.due,
            ended: ended(&operations, step.dropped),
            backlog_peak: step.backlog_peak,
            in_flight: step.in_flight,
            busiest: step.busiest,
            operations,
            spans: step.spans.iter().map(ended_of).collect(),
            lag: step.lag(),
            lateness: step.lateness(),
        }
    }

    /// The interval that has just ended.
    pub fn of_interval(interval: &Interval) -> Self {
        let ended_of = |operation: &Operation| Ended {
            counts: operation.counts,
            response: operation.response.due(),
            service: joined(operation.service.clone(), &operation.service_censored()),
        };
        let operations: Vec<Ended> = interval.operations.iter().map(ended_of).collect();
        Self {
            phase: interval.phase,
            from_s: interval.from.as_secs_f64(),
            to_s: interval.to.as_secs_f64(),
            due: interval.due,
            ended: ended(&operations, interval.dropped),
            backlog_peak: interval.backlog_peak,
            in_flight: interval.in_flight,
            busiest: interval.health.busiest(),
            operations,
            spans: interval.spans.iter().map(ended_of).collect(),
            lag: interval.lag.clone(),
            lateness: interval.lateness.clone(),
        }
    }

    /// Adds the data of another, which overlaps this one or follows it.
    pub fn append(&mut self, other: &Self) {
        self.phase = other.phase;
        self.to_s = self.to_s.max(other.to_s);
        self.due.merge(&other.due);
        self.ended.merge(&other.ended);
        self.backlog_peak = self.backlog_peak.max(other.backlog_peak);
        self.in_flight = other.in_flight;
        self.busiest = self.busiest.into_iter().chain(other.busiest).reduce(f64::max);
        merge(&mut self.operations, &other.operations);
        merge(&mut self.spans, &other.spans);
        self.lag.merge(&other.lag);
        self.lateness.merge(&other.lateness);
    }

    /// How long it lasted.
    pub(super) fn seconds(&self) -> f64 {
        self.to_s - self.from_s
    }
}

fn ended_of_record(measured: &[StepOperationRecord]) -> Result<Vec<Ended>, HistogramError> {
    let ended = measured.iter().map(|operation| {
        let (response, service) = (operation.response.histogram()?, operation.service.histogram()?);
        Ok(Ended { counts: operation.counts, response, service })
    });
    ended.collect()
}

fn merge(ended: &mut Vec<Ended>, other: &[Ended]) {
    ended.resize_with(ended.len().max(other.len()), Ended::default);
    for (mine, theirs) in ended.iter_mut().zip(other) {
        mine.counts.merge(&theirs.counts);
        mine.response.merge(&theirs.response);
        mine.service.merge(&theirs.service);
    }
}

/// About `most` slices at most.
pub(super) fn merged(slices: Vec<Slice>, most: usize) -> Vec<Slice> {
    let mut merging = Merging::new(slices.len(), most);
    for slice in slices {
        merging.push(slice);
    }
    merging.slices
}

/// Merges neighbours of one phase, a fixed number into each slice.
struct Merging {
    slices: Vec<Slice>,
    each: usize,
    /// How many the last slice contains.
    in_last: usize,
}

impl Merging {
    fn new(count: usize, most: usize) -> Self {
        Self { slices: Vec::new(), each: count.div_ceil(most.max(1)).max(1), in_last: 0 }
    }

    fn push(&mut self, next: Slice) {
        match self.slices.last_mut() {
            Some(last) if next.from_s < last.to_s - BESIDE_S => last.append(&next),
            Some(last) if next.phase == last.phase && self.in_last < self.each => {
                last.append(&next);
                self.in_last += 1;
            }
            _ => {
                self.slices.push(next);
                self.in_last = 1;
            }
        }
    }
}

fn joined(mut known: Histogram, censored: &Histogram) -> Histogram {
    known.merge(censored);
    known
}

fn ended(operations: &[Ended], dropped: u64) -> Counts {
    let mut all = Counts { dropped, ..Counts::default() };
    for operation in operations {
        all.merge(&operation.counts);
    }
    Counts { planned: 0, ..all }
}
