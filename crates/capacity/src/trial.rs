//! What a search needs of the world: somebody who makes load, a [`Trial`].
//!
//! The search says what to try, an [`Order`]; the trial makes an engine run of it, hands over each second, and ends
//! the run when it is told to. So a search runs against a real target and against a simulated one in virtual time
//! alike. It must not know how load is made.

use crate::found::Step;
use crate::objective::Objectives;
use crate::own_part::OwnEffect;
use crate::second::Second;
use brunt_record::{Record, Slo, Status};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// Makes load as it is ordered to.
pub trait Trial {
    /// Carries out one step as an engine run of its own, never with the exchanges of an earlier one.
    ///
    /// It stays idle for [`Order::idle`], warms up for [`Order::warm_up`], and then gives each second of the steady
    /// phase to `judge` as it is complete. On `Break` it ends the run; at the latest after [`Order::seconds`].
    fn step(&mut self, order: &Order, judge: &mut dyn FnMut(&Second) -> ControlFlow<()>)
    -> Outcome;

    /// Is told what became of each step, for whoever looks on.
    fn judged(&mut self, _step: &Step, _progress: &Progress) {}
}

/// What a step is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Closed loop, one session: the unstressed run.
    Baseline,
    /// Until the target is as fast as it gets.
    Settle,
    /// The same rate at the start and at the end, to tell whether the target drifted.
    Sentinel,
    /// Doubling until it is too much.
    Ramp,
    /// Where the limit is most likely.
    Search,
    /// Long enough for a claim.
    Confirm,
    /// Above the claim, to show that it is too much.
    Above,
    /// After what was too much, until the target is itself again.
    Calm,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Baseline,
        Self::Settle,
        Self::Sentinel,
        Self::Ramp,
        Self::Search,
        Self::Confirm,
        Self::Above,
        Self::Calm,
    ];

    /// The word that a collection uses.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Settle => "settle",
            Self::Sentinel => "sentinel",
            Self::Ramp => "ramp",
            Self::Search => "search",
            Self::Confirm => "confirm",
            Self::Above => "above",
            Self::Calm => "calm",
        }
    }

    /// The kind with this word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Whether a step of this kind is evidence about its rate.
    pub const fn is_evidence(self) -> bool {
        matches!(self, Self::Sentinel | Self::Ramp | Self::Search | Self::Confirm | Self::Above)
    }
}

/// What to try next.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// The number of the step, from 1.
    pub number: u32,
    /// What it is for.
    pub kind: Kind,
    /// Exchanges a second, Poisson arrivals; `None` for one session in a closed loop.
    pub rate: Option<f64>,
    /// How long to send nothing first.
    pub idle: Duration,
    /// How long to warm up.
    pub warm_up: Duration,
    /// The longest the steady phase may be.
    pub seconds: u32,
    /// After how many seconds it is judged; the last is `seconds`. Empty if it is judged each second.
    pub looks: Vec<u32>,
    /// Whether to use every core, because a step before was limited by the generator.
    pub all_cores: bool,
    /// What each second is to be counted by.
    pub objectives: Arc<Objectives>,
    /// Why this is tried, for whoever looks on.
    pub why: String,
}

/// What became of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// How long it took in whole, in seconds: idle, warm-up and drain with it.
    pub took_s: f64,
    /// What was measured in the steady phase.
    pub measured: Measured,
    /// The record of the run, where there is one.
    pub record: Option<Box<Record>>,
    /// How it ended.
    pub ending: Ending,
}

/// How a step ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// As it was ordered, or as the judge said.
    #[default]
    Done,
    /// A signal: the search ends here.
    Interrupted,
    /// No session could be opened.
    Unreachable(String),
    /// A protection: the search must end here, and why. Accounts lock, or a write was refused.
    Protected(String),
}

/// The figures of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// What fell due, a second.
    pub offered: Option<f64>,
    /// What was answered of it, a second.
    pub achieved: Option<f64>,
    /// Response times.
    pub response: Times,
    /// Service times.
    pub service: Times,
    /// The share of exchanges that failed, timed out or were dropped.
    pub errors: f64,
    /// Half of the exchanges left later than this after they were due, in seconds.
    pub lag_p50_s: f64,
    /// Half of them left later than this by the generator's own fault, in seconds.
    pub lateness_p50_s: f64,
    /// Why the generator, and not the target, made these figures.
    pub limited: Option<String>,
    /// What the generator did to response times, where the load was made and only they are in doubt.
    pub own: Option<OwnEffect>,
    /// How many cores the target was busy with, where that can be seen.
    pub server_cpu: Option<f64>,
    /// How many operations or messages the target counted itself a second, where that can be seen.
    pub server_counted: Option<f64>,
    /// The figures that goals are relative to, in seconds.
    pub relative_to: BTreeMap<String, f64>,
}

/// A few figures of a distribution, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// How many there are.
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
    pub fn of(
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
        let own = OwnEffect::of(record)?;
        let blamed = own.is_none() && record.verdict.status == Status::GeneratorLimited;
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
            achieved: record.rates.achieved,
            response: Times::of(&response),
            service: Times::of(&service),
            errors: if due > 0 { record.counts.missed() as f64 / due as f64 } else { 0.0 },
            lag_p50_s: median(&record.lag)?,
            lateness_p50_s: median(&record.lateness)?,
            limited,
            own,
            server_cpu: None,
            server_counted: None,
            relative_to: relative.collect(),
        })
    }
}

fn median(latency: &brunt_record::Latency) -> Result<f64, brunt_record::HistogramError> {
    Ok(latency.histogram()?.quantile(0.5).unwrap_or_default().as_secs_f64())
}

impl Times {
    /// The figures of a histogram.
    pub fn of(histogram: &brunt_record::Histogram) -> Self {
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

/// How far a search has come, for whoever looks on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Seconds since the search began.
    pub elapsed_s: f64,
    /// Seconds it may take at most.
    pub budget_s: f64,
    /// The highest rate that passed.
    pub passed: Option<f64>,
    /// The lowest rate that failed.
    pub failed: Option<f64>,
    /// Where the limit is thought to be.
    pub estimate: Option<Estimate>,
}

/// Where the limit is thought to be: shown, never claimed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// With a probability of a tenth it is lower.
    pub p10: f64,
    /// As likely lower as higher.
    pub p50: f64,
    /// With a probability of a tenth it is higher.
    pub p90: f64,
}
