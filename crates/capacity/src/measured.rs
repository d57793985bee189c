//! The figures of a step: [`Measured`].

use crate::own_part::OwnEffect;
use brunt_record::{Mode, Record, Slo, Status};
use std::collections::BTreeMap;

/// The figures of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// The rate at which exchanges became due, a second.
    pub offered: Option<f64>,
    /// The rate at which they were answered, a second.
    pub achieved: Option<f64>,
    /// Response times.
    pub response: Times,
    /// Service times.
    pub service: Times,
    /// The share of exchanges that failed, timed out or were dropped.
    pub errors: f64,
    /// The median lag, in seconds: half of the exchanges were sent later than this after they were due.
    pub lag_p50_s: f64,
    /// The median of the lag that the generator itself caused, in seconds.
    pub lateness_p50_s: f64,
    /// Why the generator, and not the target, made these figures.
    pub limited: Option<String>,
    /// What the generator did to response times, if the load was made.
    pub own: Option<OwnEffect>,
    /// How many cores the target used, if that can be observed.
    pub server_cpu: Option<f64>,
    /// How many operations or messages the target itself counted a second, if that can be observed.
    pub server_counted: Option<f64>,
    /// The figures that goals are relative to, in seconds.
    pub relative_to: BTreeMap<String, f64>,
}

/// A few figures of a distribution, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// The number of values.
    pub count: u64,
    /// The mean.
    pub mean_s: f64,
    /// The standard deviation.
    pub deviation_s: f64,
    /// The median.
    pub p50_s: f64,
    /// The 99th percentile.
    pub p99_s: f64,
    /// The 99.9th percentile.
    pub p999_s: f64,
}

impl Measured {
    /// The figures of a record. `relative_to` are the figures that goals are relative to.
    ///
    /// # Errors
    /// If a histogram of the record cannot be read.
    pub fn new(
        record: &Record,
        relative_to: &[String],
    ) -> Result<Self, brunt_record::HistogramError> {
        let mut response = brunt_record::Histogram::new();
        let mut service = brunt_record::Histogram::new();
        for operation in &record.operations {
            response.merge(&operation.response.histogram()?);
            service.merge(&operation.service.histogram()?);
        }
        let due = record.counts.due();
        let of_own_part = record.verdict.is_of_own_part_alone();
        let blamed = !of_own_part && record.verdict.status == Status::GeneratorLimited;
        let limited = blamed.then(|| {
            record.verdict.reasons.first().map_or_else(String::new, |reason| reason.text.clone())
        });
        let relative = relative_to.iter().filter_map(|figure| {
            let probe: Slo = format!("{figure}<1s").parse().ok()?;
            let result = probe.evaluate(record).ok()?;
            Some((figure.clone(), result.value?))
        });
        Ok(Self {
            offered: record.rates.offered,
            achieved: record.rates.achieved.or_else(|| few(record, response.count())),
            response: Times::new(&response),
            service: Times::new(&service),
            errors: if due > 0 { record.counts.missed() as f64 / due as f64 } else { 0.0 },
            lag_p50_s: median(&record.lag)?,
            lateness_p50_s: median(&record.lateness)?,
            limited,
            own: OwnEffect::new(record)?,
            server_cpu: None,
            server_counted: None,
            relative_to: relative.collect(),
        })
    }
}

/// The rate of a closed load that was answered too seldom for the rate of its record: one session that pauses between
/// its exchanges. The search needs one, if only to distinguish it from a target that does not answer.
fn few(record: &Record, answered: u64) -> Option<f64> {
    let seconds = record.rates.seconds;
    let is_few = record.plan.mode == Mode::Closed && answered > 0 && seconds > 0.0;
    is_few.then(|| answered as f64 / seconds)
}

fn median(latency: &brunt_record::Latency) -> Result<f64, brunt_record::HistogramError> {
    Ok(latency.histogram()?.quantile(0.5).unwrap_or_default().as_secs_f64())
}

impl Measured {
    /// The achieved rate as a share of the offered one.
    pub(crate) fn made(&self) -> Option<f64> {
        let offered = self.offered.filter(|offered| *offered > 0.0)?;
        Some(self.achieved? / offered)
    }
}

impl Times {
    /// The figures of a histogram.
    pub fn new(histogram: &brunt_record::Histogram) -> Self {
        let at = |quantile| histogram.quantile(quantile).unwrap_or_default().as_secs_f64();
        Self {
            count: histogram.count(),
            mean_s: histogram.mean().unwrap_or_default().as_secs_f64(),
            deviation_s: histogram.deviation().unwrap_or_default().as_secs_f64(),
            p50_s: at(0.5),
            p99_s: at(0.99),
            p999_s: at(0.999),
        }
    }
}
