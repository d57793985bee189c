//! Whether throughput had settled.

use super::{Effect, Evidence, Reason, Remedy, Status};
use crate::Step;

/// Steps needed before drift is judged: two in each third.
pub const DRIFT_STEPS: usize = 6;
/// A drift smaller than this share of the mean does not matter, however certain.
pub const DRIFT_SHARE: f64 = 0.05;
/// How many standard errors the first and the last third must lie apart.
pub const DRIFT_ERRORS: f64 = 3.0;

/// Compares the throughput of the first and the last third of the steady phase: they differ if they
/// lie further apart than the share that matters and than their own scatter explains.
pub(super) fn drift(evidence: &Evidence<'_>) -> Option<Reason> {
    // A drop in throughput because the target stopped responding is not drift.
    if !evidence.plan.constant || !evidence.away.is_empty() {
        return None;
    }
    let mut steps: Vec<&Step> = steady_steps(evidence.steps).collect();
    // The last step may be very short, so its rate means nothing, or last as long as the drain.
    let mut lengths: Vec<_> = steps.iter().map(|step| step.lasted()).collect();
    lengths.sort_unstable();
    let typical = *lengths.get(lengths.len() / 2)?;
    steps.retain(|step| step.lasted() * 2 > typical && step.lasted() < typical * 2);
    if steps.len() < DRIFT_STEPS {
        return None;
    }
    let rates: Vec<f64> =
        steps.iter().filter_map(|step| crate::rate(step.completed(), step.lasted())).collect();
    let third = rates.len() / 3;
    let (first, last) = (scatter(&rates[..third]), scatter(&rates[rates.len() - third..]));
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    let apart = last.mean - first.mean;
    let error = (first.error_squared + last.error_squared).sqrt();
    (apart.abs() > DRIFT_SHARE * mean && apart.abs() > DRIFT_ERRORS * error).then(|| {
        let effect = Effect::Drifted { first_per_second: first.mean, last_per_second: last.mean };
        let why = (None, Some(Remedy::RunLonger));
        Reason::new(Status::Unstable, effect, why, &evidence.plan.noun)
    })
}

struct Scatter {
    mean: f64,
    error_squared: f64,
}

fn scatter(values: &[f64]) -> Scatter {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    Scatter { mean, error_squared: variance / count }
}

fn steady_steps(steps: &[Step]) -> impl Iterator<Item = &Step> {
    steps.iter().filter(|step| step.phase == crate::Phase::Steady)
}
