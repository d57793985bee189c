//! The estimated limit, from all steps together: a posterior over rates.
//!
//! Each step gives a probability that the limit is above its rate. No step may be certain, because its model can be
//! wrong: so others outweigh one wrong step, while bisection would never recover from it (Horstein 1963; Waeber 2013).
//! The prior is flat in the logarithm of the rate.

use crate::progress::Estimate;
use crate::verdict::Verdict;

/// The ratio between neighbouring thresholds.
const STEP: f64 = 1.005;
/// The least probabilities of an error that looks are given.
#[derive(Clone, Copy)]
struct Errors {
    /// Of a short look.
    short: f64,
    /// Of a confirmation.
    long: f64,
}

/// With these, the next rates to try are found soonest.
const SOONEST: Errors = Errors { short: 0.05, long: 0.005 };
/// With these, 80% intervals hold the limit of simulated servers in about 80% of searches. Bad exchanges come in
/// clumps, so near the limit most looks are too favourable and a few are far too unfavourable.
const SHOWN: Errors = Errors { short: 0.1, long: 0.03 };

/// The observation of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Observation {
    /// The rate that was tried.
    pub(crate) rate: f64,
    /// The probability that the limit is at this rate or above.
    pub(crate) w: f64,
    /// Whether it was a confirmation.
    pub(crate) long: bool,
    /// The verdict of the step.
    pub(crate) verdict: Verdict,
}

impl Observation {
    fn clipped(&self, errors: Errors) -> f64 {
        let clip = if self.long { errors.long } else { errors.short };
        self.w.clamp(clip, 1.0 - clip)
    }
}

/// The estimated limit, if there is evidence on either side of it: a step that passed, and one of a higher rate that
/// failed. Without one of them, one end of the interval would come only from the prior.
pub(crate) fn interval(observations: &[Observation]) -> Option<Estimate> {
    let rates = |verdict| {
        observations
            .iter()
            .filter(move |observation| observation.verdict == verdict)
            .map(|observation| observation.rate)
    };
    let passed = rates(Verdict::Pass).min_by(f64::total_cmp)?;
    let failed = rates(Verdict::Fail).max_by(f64::total_cmp)?;
    weighed(observations, SHOWN).filter(|_| failed > passed)
}

/// The limit that is most likely, after these observations, from whatever evidence there is: where to try next.
pub(crate) fn estimate(observations: &[Observation]) -> Option<Estimate> {
    weighed(observations, SOONEST)
}

fn weighed(observations: &[Observation], errors: Errors) -> Option<Estimate> {
    let rates = || observations.iter().map(|observation| observation.rate);
    let (lowest, highest) = (rates().min_by(f64::total_cmp)?, rates().max_by(f64::total_cmp)?);
    let (from, to) = ((lowest / 2.0).ln(), (2.0 * highest).ln());
    let count = ((to - from) / STEP.ln()).ceil() as usize + 1;
    let threshold = |at: usize| (from + at as f64 * STEP.ln()).exp();
    let logs: Vec<f64> = (0..count)
        .map(|at| {
            let t = threshold(at);
            let likelihood = |observation: &Observation| {
                let above = observation.clipped(errors);
                if t >= observation.rate { above } else { 1.0 - above }
            };
            observations.iter().map(|observation| likelihood(observation).ln()).sum()
        })
        .collect();
    let greatest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logs.iter().map(|log| (log - greatest).exp()).collect();
    let total: f64 = weights.iter().sum();
    let quantile = |p: f64| {
        let mut sum = 0.0;
        let at = weights.iter().position(|weight| {
            sum += weight;
            sum >= p * total
        });
        threshold(at.unwrap_or(count - 1))
    };
    Some(Estimate { p10: quantile(0.1), p50: quantile(0.5), p90: quantile(0.9) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observation(rate: f64, w: f64) -> Observation {
        let verdict = match w {
            w if w > 0.95 => Verdict::Pass,
            w if w < 0.05 => Verdict::Fail,
            _ => Verdict::Undecided,
        };
        Observation { rate, w, long: false, verdict }
    }

    #[test]
    fn interval_requires_evidence_on_both_sides() {
        for (observations, known) in [
            (vec![], false),
            (vec![observation(100.0, 1.0), observation(200.0, 1.0)], false),
            (vec![observation(100.0, 0.0), observation(200.0, 0.0)], false),
            (vec![observation(100.0, 0.9), observation(200.0, 0.0)], false),
            (vec![observation(100.0, 1.0), observation(200.0, 0.1)], false),
            (vec![observation(100.0, 0.0), observation(200.0, 1.0)], false),
            (vec![observation(100.0, 1.0), observation(200.0, 0.0)], true),
        ] {
            assert_eq!(interval(&observations).is_some(), known, "{observations:?}");
        }
    }

    #[test]
    fn limit_lies_between_passed_and_failed_rates() {
        let found =
            estimate(&[observation(100.0, 1.0), observation(200.0, 1.0), observation(400.0, 0.0)])
                .unwrap();
        // By hand: flat in the logarithm, so nearly all of the weight is between 200 and 400, with 1/20 of its density
        // on either side; the median is near their geometric mean.
        assert!((found.p50 / 282.8 - 1.0).abs() < 0.03, "{found:?}");
        assert!(found.p10 > 190.0 && found.p90 < 420.0, "{found:?}");
    }

    #[test]
    fn single_wrong_observation_is_outweighed() {
        let wrong = [observation(100.0, 1.0), observation(400.0, 0.0), observation(200.0, 0.0)];
        let misled = estimate(&wrong).unwrap();
        assert!(misled.p50 < 200.0, "{misled:?}");
        let mut observations = wrong.to_vec();
        observations.extend([
            observation(190.0, 1.0),
            observation(205.0, 1.0),
            observation(220.0, 1.0),
            observation(240.0, 1.0),
        ]);
        let found = estimate(&observations).unwrap();
        assert!(found.p50 > 240.0, "{found:?}");
    }

    #[test]
    fn estimate_without_observations_is_none() {
        assert_eq!(estimate(&[]), None);
    }
}
