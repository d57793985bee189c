//! How the generator's own delays affect an objective: [`OwnEffect`].
//!
//! A run is judged generator-limited if the generator moved a percentile by a tenth. For a search that is too strict: a
//! median of 2.5 ms that would be 2.2 ms changes nothing about `p99<20ms`. It is also too lenient: a step of a few
//! seconds has too few exchanges for that judgement, and its failure would still be counted against the target. So the
//! generator's own part is taken off every step, whatever the run's verdict is, and a step fails only on what is left.
//! Since that part only ever makes responses slower, a rate that passes with it passes without it.

use crate::evidence::{Evidence, Share};
use crate::objective::{Objective, Objectives};
use crate::verdict::Verdict;
use brunt_record::{Bad, Histogram, HistogramError, Record};
use std::time::Duration;

/// An effect below this part of the allowed share does not make an undecided step void.
const SMALL: f64 = 0.1;
/// How far the share without the generator's own part must be above the allowed one, in standard deviations, for a
/// step to fail.
const FAILS_Z: f64 = 1.645;

/// The response times of a step with and without the generator's own part.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnEffect {
    /// Why the run's verdict blames the generator; `None` if it does not.
    pub blamed: Option<String>,
    operations: Vec<Both>,
}

/// The exchanges of an operation, with and without the generator's own part.
#[derive(Clone, Debug, PartialEq)]
struct Both {
    name: String,
    with: Histogram,
    without: Histogram,
    /// How many failed or timed out while the generator stood still.
    tainted: u64,
}

impl OwnEffect {
    /// The effect on one operation: its successes as they were measured, and without the generator's own part.
    pub fn on(name: &str, with: Histogram, without: Histogram) -> Self {
        let both = Both { name: name.to_owned(), with, without, tainted: 0 };
        Self { blamed: None, operations: vec![both] }
    }

    /// The effect in a record; `None` if there is none. A verdict that blames the generator for more than added delay
    /// is not covered here: then the load itself was not generated.
    pub(crate) fn new(record: &Record) -> Result<Option<Self>, HistogramError> {
        let blamed = record
            .verdict
            .is_of_own_part_alone()
            .then(|| record.verdict.reasons.first().map_or_else(String::new, |it| it.text.clone()));
        let mut operations = Vec::new();
        for operation in &record.operations {
            let with = operation.ok.as_ref().unwrap_or(&operation.response).histogram()?;
            let without = match &operation.ok_without_own {
                Some(without) => without.histogram()?,
                None => with.clone(),
            };
            let tainted = operation.tainted.map_or(0, |counts| counts.failed + counts.timed_out);
            operations.push(Both { name: operation.name.clone(), with, without, tainted });
        }
        let differs = operations.iter().any(|both| both.tainted > 0 || both.with != both.without);
        Ok((blamed.is_some() || differs).then_some(Self { blamed, operations }))
    }

    /// The share of exchanges that are bad because of the generator's own part; for a mean, the number of seconds by
    /// which it is too high.
    fn moved(&self, objective: &Objective, of: u64) -> f64 {
        let named = |both: &&Both| {
            objective.allowance.operation.as_ref().is_none_or(|name| *name == both.name)
        };
        let both = || self.operations.iter().filter(named);
        let tainted = || both().map(|both| both.tainted).sum::<u64>() as f64;
        let apart: f64 = match objective.allowance.bad {
            Bad::Later(limit) => {
                let late =
                    both().map(|both| later(&both.with, limit) - later(&both.without, limit));
                late.sum::<f64>() + tainted()
            }
            Bad::MeanAbove(_) => {
                both().map(|both| seconds(&both.with) - seconds(&both.without)).sum()
            }
            Bad::ServedLater(_) | Bad::Missed | Bad::TimedOut | Bad::NotCompleted => tainted(),
            Bad::Dropped => 0.0,
        };
        apart.max(0.0) / of.max(1) as f64
    }

    /// Whether the objectives would have another result without it, so that the step does not measure the target.
    pub(crate) fn decides(&self, objectives: &Objectives, evidence: &Evidence) -> bool {
        let pairs = || objectives.iter().zip(&evidence.shares);
        let without = |(objective, share): (&Objective, &Share)| {
            share.share - self.moved(objective, share.of)
        };
        let missed = |(_, share): &(&Objective, &Share)| share.share > share.allowed;
        let small = |(objective, share): (&Objective, &Share)| {
            self.moved(objective, share.of) <= SMALL * share.allowed
        };
        match evidence.verdict {
            Verdict::Pass => false,
            // The queue grows, and no objective is missed yet.
            Verdict::Fail if !pairs().any(|pair| missed(&pair)) => !pairs().all(small),
            Verdict::Fail => {
                !pairs().filter(missed).any(|pair| small(pair) || fails(pair.1, without(pair)))
            }
            _ if self.blamed.is_some() => !pairs().all(small),
            _ => pairs().filter(missed).any(|pair| without(pair) <= pair.1.allowed),
        }
    }
}

/// Whether an objective with this share is missed, and not by chance.
fn fails(share: &Share, without: f64) -> bool {
    if share.is_mean() {
        return without > share.allowed;
    }
    let q = share.allowed;
    let deviation = (share.clump * q * (1.0 - q) / share.of.max(1) as f64).sqrt();
    without - q > FAILS_Z * deviation
}

fn later(histogram: &Histogram, limit: Duration) -> f64 {
    let limit = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
    let late = histogram.buckets().filter(|(greatest, _)| *greatest > limit);
    late.map(|(_, held)| held).sum::<u64>() as f64
}

fn seconds(histogram: &Histogram) -> f64 {
    histogram.sum_nanos() as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_record::Slo;

    /// A thousand exchanges of 2 ms. `late` of them take 30 ms, and `own` of those because of the generator's own part.
    fn effect(late: u64, own: u64) -> OwnEffect {
        let histogram = |late: u64| {
            let mut histogram = Histogram::new();
            for number in 0..1_000 {
                histogram.record(Duration::from_millis(if number < late { 30 } else { 2 }));
            }
            histogram
        };
        OwnEffect {
            blamed: Some("the p50 is 2.5 ms with and 2.2 ms without".to_owned()),
            ..OwnEffect::on("get", histogram(late), histogram(late - own))
        }
    }

    fn evidence(late: u64, verdict: Verdict) -> (Objectives, Evidence) {
        let slo: Slo = "p99<20ms".parse().unwrap();
        let share = Share {
            objective: "p99<20ms".to_owned(),
            guard: false,
            of: 1_000,
            bad: late,
            share: late as f64 / 1_000.0,
            allowed: 0.01,
            clump: 3.0,
            z: 0.0,
            w: 0.5,
            verdict,
        };
        let evidence = Evidence {
            shares: vec![share],
            trend: 0.0,
            grows: false,
            at_once: false,
            short_of: None,
            only_disturbed: None,
            missed: false,
            w: 0.5,
            verdict,
        };
        (Objectives::new([slo], []), evidence)
    }

    #[test]
    fn own_effect_decides_only_if_an_objective_depends_on_it() {
        for (late, own, verdict, decides) in [
            // 8 % are late, nearly all of them because of the target.
            (80, 5, Verdict::Fail, false),
            // 2 % are late, 0.8 % without the generator.
            (20, 12, Verdict::Fail, true),
            // A rate that passes with the generator's part passes without it.
            (2, 2, Verdict::Pass, false),
            (9, 0, Verdict::Undecided, false),
            (9, 4, Verdict::Undecided, true),
        ] {
            let (objectives, evidence) = evidence(late, verdict);
            assert_eq!(
                effect(late, own).decides(&objectives, &evidence),
                decides,
                "{late} {own} {verdict}"
            );
        }
    }

    #[test]
    fn own_effect_never_decides_errors() {
        let slo: Slo = "errors<0.1%".parse().unwrap();
        let objectives = Objectives::new([], [slo]);
        let (_, failed) = evidence(80, Verdict::Fail);
        // Whatever the generator did to response times, 8 % failed.
        assert!(!effect(80, 80).decides(&objectives, &failed));
    }

    /// A step of three seconds has too few exchanges for the run's verdict, which then names no cause.
    #[test]
    fn own_effect_decides_short_steps_even_without_blame() {
        for (late, own, verdict, decides) in [
            (600, 590, Verdict::Fail, true),
            // Of the 30 that are left, 10 are allowed; by chance there are 9 more at most.
            (600, 570, Verdict::Fail, false),
            (600, 586, Verdict::Fail, true),
            (20, 12, Verdict::Undecided, true),
            // It is missed in any case, or met in any case, so the step counts.
            (40, 5, Verdict::Undecided, false),
            (9, 4, Verdict::Undecided, false),
        ] {
            let (objectives, evidence) = evidence(late, verdict);
            let effect = OwnEffect { blamed: None, ..effect(late, own) };
            assert_eq!(effect.decides(&objectives, &evidence), decides, "{late} {own} {verdict}");
        }
    }

    #[test]
    fn own_effect_excuses_failures_during_a_stall() {
        let slo: Slo = "errors<0.1%".parse().unwrap();
        let objectives = Objectives::new([], [slo]);
        let (_, mut failed) = evidence(80, Verdict::Fail);
        failed.shares[0].allowed = 0.001;
        let mut effect = OwnEffect { blamed: None, ..effect(0, 0) };
        for (tainted, decides) in [(0, false), (40, false), (80, true)] {
            effect.operations[0].tainted = tainted;
            assert_eq!(effect.decides(&objectives, &failed), decides, "{tainted}");
        }
    }
}
