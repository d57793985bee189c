//! The data of a record that is compared: [`Measured`], the whole run and each of its operations.
//!
//! The figures are exactly those of the record. Its steps ([`varied`]) only show how they vary.

use super::bootstrap;
use super::figure::Figure;
use super::judgement::Estimate;
use super::steps::{Step, thinned};
use brunt_record::{Counts, HistogramError, Latency, OperationRecord, Phase, Record, StepRecord};
use serde::{Deserialize, Serialize};

/// A percentile with fewer exchanges beyond it depends on chance.
pub(super) const BEYOND_MIN: f64 = 10.0;
/// The reading of a process that is watched.
const PROCESSOR: &str = "processor seconds";

/// Figures of a run, or of one of its operations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Measured {
    /// The operation; none for the whole run.
    pub(super) operation: Option<String>,
    /// The figures that are known.
    pub(super) points: Vec<Point>,
}

/// One figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Point {
    pub(super) figure: Figure,
    /// Its value, in the unit of documents.
    pub(super) value: f64,
    /// Whether that is only the least it can be.
    pub(super) at_least: bool,
}

impl Measured {
    /// The whole run, then its operations.
    pub(super) fn new(record: &Record) -> Result<Vec<Self>, HistogramError> {
        let several = record.operations.len() > 1;
        let mut all = vec![Self { operation: None, points: whole(record) }];
        for operation in &record.operations {
            all.push(Self {
                operation: Some(operation.name.clone()),
                points: points(operation, several)?,
            });
        }
        Ok(all)
    }

    /// The figures as they are compared, in the order of [`points`](Self::points), with how they varied in these steps.
    pub(super) fn estimates(&self, steps: &[Step], seed: u64) -> Vec<Estimate> {
        let figures: Vec<Figure> = self.points.iter().map(|point| point.figure).collect();
        let spreads = bootstrap::bootstrap(steps, &figures, seed);
        let least_rate = least_rate(steps);
        let estimates = self.points.iter().zip(spreads).map(|(point, spread)| {
            let value = match point.figure {
                Figure::Errors => point.value,
                Figure::Achieved | Figure::Goodput => point.value.max(least_rate).ln(),
                _ => point.value.ln(),
            };
            Estimate { value, spread }
        });
        estimates.collect()
    }

    #[cfg(test)]
    pub(super) fn made(operation: Option<&str>, steps: &[Step]) -> Self {
        let mut whole = Step::default();
        for step in steps {
            whole.merge(step);
        }
        let times = |of: &brunt_record::Histogram, quantile: Option<f64>| match quantile {
            None => Some(of.sum_nanos() as f64 / of.count() as f64 / 1e3),
            Some(quantile) => percentile(&Latency::new(of, &[]), quantile).unwrap().map(|at| at.0),
        };
        let value = |figure: Figure| match (figure, figure.quantile()) {
            (_, Some((quantile, true))) => times(&whole.service, Some(quantile)),
            (_, Some((quantile, false))) => times(&whole.response, Some(quantile)),
            (Figure::Mean, _) => times(&whole.response, None),
            (Figure::ServiceMean, _) => times(&whole.service, None),
            (Figure::Achieved, _) => Some(whole.answered / whole.seconds),
            (Figure::Goodput, _) => Some(whole.ok / whole.seconds),
            (Figure::Errors, _) => Some(whole.missed / (whole.ok + whole.missed)),
            _ => None,
        };
        let point = |figure| Some(Point { figure, value: value(figure)?, at_least: false });
        let points = Figure::ALL.into_iter().filter_map(point).collect();
        Self { operation: operation.map(str::to_owned), points }
    }
}

/// How the whole run varied, then how its operations did.
pub(super) fn varied(record: &Record) -> Result<Vec<Vec<Step>>, HistogramError> {
    let mut all = vec![over(record, |step| Ok(whole_step(record, step)))?];
    for number in 0..record.operations.len() {
        all.push(over(record, |step| operation_step(step, number))?);
    }
    Ok(all)
}

/// Half an exchange in the whole time represents none, which has no logarithm.
fn least_rate(steps: &[Step]) -> f64 {
    let seconds: f64 = steps.iter().map(|step| step.seconds).sum();
    0.5 / seconds.max(1.0)
}

/// A figure that is exact, not a bound.
fn known(figure: Figure, value: Option<f64>) -> Option<Point> {
    let value = value.filter(|value| value.is_finite())?;
    Some(Point { figure, value, at_least: false })
}

fn whole(record: &Record) -> Vec<Point> {
    let share = record.counts.missed() as f64 / record.counts.due() as f64;
    let per_exchange = |cores: Option<f64>| {
        let achieved = record.rates.achieved.filter(|achieved| *achieved > 0.0)?;
        cores.filter(|cores| *cores > 0.0).map(|cores| cores / achieved * 1e6)
    };
    let known = [
        known(Figure::Achieved, record.rates.achieved),
        known(Figure::Goodput, record.rates.goodput),
        known(Figure::Errors, Some(share)),
        known(Figure::Cpu, per_exchange(generator(record))),
        known(Figure::TargetCpu, per_exchange(target(record))),
    ];
    known.into_iter().flatten().collect()
}

/// How many cores the generator used; none where that includes the work of the target.
fn generator(record: &Record) -> Option<f64> {
    if record.generator.in_process {
        return None;
    }
    record.generator.workers.iter().map(|worker| worker.cpu_share).sum()
}

/// How many cores the watched processes used (`--monitor pid:`).
fn target(record: &Record) -> Option<f64> {
    let watched = record.monitors.iter().filter(|monitor| monitor.source.starts_with("pid:"));
    let readings = watched.flat_map(|monitor| &monitor.readings);
    let rates = readings.filter(|reading| reading.name == PROCESSOR).map(|reading| reading.rate);
    rates
        .collect::<Option<Vec<f64>>>()
        .filter(|rates| !rates.is_empty())
        .map(|rates| rates.iter().sum())
}

fn points(operation: &OperationRecord, several: bool) -> Result<Vec<Point>, HistogramError> {
    let counts = &operation.counts;
    let mut points = Vec::new();
    // For a single operation the whole run has the same figures.
    if several {
        let share = counts.missed() as f64 / counts.due() as f64;
        points.extend(known(Figure::Achieved, operation.achieved));
        points.extend(known(Figure::Goodput, operation.goodput));
        points.extend(known(Figure::Errors, Some(share)));
    }
    let means = [(Figure::Mean, &operation.response), (Figure::ServiceMean, &operation.service)];
    for figure in Figure::ALL {
        if let Some((_, times)) = means.iter().find(|(mean, _)| *mean == figure) {
            let at_least = times.censored.is_some();
            points.extend(known(figure, times.mean_us).map(|point| Point { at_least, ..point }));
        }
        let Some((quantile, service)) = figure.quantile() else { continue };
        let times = if service { &operation.service } else { &operation.response };
        if let Some((value, at_least)) = percentile(times, quantile)? {
            points.push(Point { figure, value, at_least });
        }
    }
    Ok(points)
}

/// A percentile in microseconds and whether that is only a bound, if enough exchanges lie beyond it.
fn percentile(times: &Latency, quantile: f64) -> Result<Option<(f64, bool)>, HistogramError> {
    if times.count as f64 * (1.0 - quantile) < BEYOND_MIN {
        return Ok(None);
    }
    let at_least = times.waits()?.quantile(quantile).is_some_and(|reach| !reach.is_exact());
    let value = times.histogram()?.quantile(quantile);
    Ok(value.map(|value| (value.as_nanos() as f64 / 1e3, at_least)))
}

/// The steps of the window. Exchanges that end after it belong to its last step.
fn over(
    record: &Record,
    made: impl Fn(&StepRecord) -> Result<Step, HistogramError>,
) -> Result<Vec<Step>, HistogramError> {
    let (from, to) = (record.rates.from_s, record.rates.from_s + record.rates.seconds);
    let mut steps: Vec<Step> = Vec::new();
    for step in record.series.iter().filter(|step| step.phase == Phase::Steady) {
        let seconds = (step.to_s.min(to) - step.from_s.max(from)).max(0.0);
        let share = seconds / (step.to_s - step.from_s).max(f64::MIN_POSITIVE);
        let made = made(step)?;
        let made = Step { seconds, cpu: made.cpu * share, ..made };
        let whole = steps.last().is_none_or(|last| seconds >= last.seconds / 2.0);
        match steps.last_mut() {
            Some(last) if !whole => last.merge(&made),
            _ => steps.push(made),
        }
    }
    Ok(thinned(steps))
}

fn whole_step(record: &Record, step: &StepRecord) -> Step {
    // With several workers, only the busiest is known by step.
    let busiest = step.busiest.filter(|_| record.generator.workers.len() == 1);
    let cpu = busiest.unwrap_or_default() * (step.to_s - step.from_s);
    Step { cpu, ..counted(&step.due) }
}

fn operation_step(step: &StepRecord, number: usize) -> Result<Step, HistogramError> {
    let Some(operation) = step.operations.get(number) else { return Ok(Step::default()) };
    Ok(Step {
        response: operation.response.histogram()?,
        service: operation.service.histogram()?,
        ..counted(&operation.counts)
    })
}

fn counted(counts: &Counts) -> Step {
    Step {
        answered: (counts.ok + counts.failed) as f64,
        ok: counts.ok as f64,
        missed: counts.missed() as f64,
        ..Step::default()
    }
}
