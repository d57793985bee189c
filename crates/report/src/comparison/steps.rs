//! What was measured in each step of a run, of one operation or of all: [`Step`].

use brunt_record::Histogram;
use serde::{Deserialize, Serialize};

/// More steps than this give no more information about how a figure varies, and cost memory.
const STEPS_MAX: usize = 240;

/// One step of the steady phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Step {
    /// How long it lasted.
    pub(super) seconds: f64,
    /// Exchanges that ended with an answer, well or not.
    pub(super) answered: f64,
    /// Successful exchanges.
    pub(super) ok: f64,
    /// Exchanges that did not succeed, for any reason.
    pub(super) missed: f64,
    /// Processor seconds of the generator, where they are known.
    pub(super) cpu: f64,
    /// Response times.
    #[serde(with = "brunt_record::compact")]
    pub(super) response: Histogram,
    /// Service times.
    #[serde(with = "brunt_record::compact")]
    pub(super) service: Histogram,
}

impl Step {
    pub(super) fn merge(&mut self, other: &Self) {
        self.seconds += other.seconds;
        self.answered += other.answered;
        self.ok += other.ok;
        self.missed += other.missed;
        self.cpu += other.cpu;
        self.response.merge(&other.response);
        self.service.merge(&other.service);
    }

    /// The mean of these times, in nanoseconds; none if there are no times.
    fn mean(times: &Histogram) -> Option<f64> {
        (!times.is_empty()).then(|| times.sum_nanos() as f64 / times.count() as f64)
    }
}

/// The same steps with neighbours merged, so that there are no more than are useful.
pub(super) fn thinned(steps: Vec<Step>) -> Vec<Step> {
    let stride = steps.len().div_ceil(STEPS_MAX);
    if stride <= 1 {
        return steps;
    }
    let merged = steps.chunks(stride).map(|chunk| {
        let mut whole = chunk[0].clone();
        chunk[1..].iter().for_each(|step| whole.merge(step));
        whole
    });
    merged.collect()
}

/// The series whose autocorrelation decides how long blocks must be: how much was done in each step, how long it took
/// on average, and how much of it took long.
pub(super) fn series(steps: &[Step]) -> Vec<Vec<f64>> {
    let rates = steps.iter().map(|step| step.ok / step.seconds.max(f64::MIN_POSITIVE)).collect();
    let means: Vec<Option<f64>> = steps.iter().map(|step| Step::mean(&step.response)).collect();
    if means.iter().any(Option::is_none) {
        return vec![rates];
    }
    let mut all = Histogram::new();
    for step in steps {
        all.merge(&step.response);
    }
    let long = all.quantile(0.99).map_or(0, |long| long.as_nanos() as u64);
    let beyond = |step: &Step| {
        let beyond = step.response.buckets().filter(|(nanos, _)| *nanos > long);
        beyond.map(|(_, count)| count).sum::<u64>() as f64
    };
    let tails = steps.iter().map(beyond).collect();
    vec![rates, means.into_iter().flatten().map(f64::ln).collect(), tails]
}
