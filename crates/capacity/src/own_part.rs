//! How the generator's own delays affect an objective: [`OwnEffect`].
//!
//! A run is judged generator-limited if the generator moved a percentile by a tenth. For a search that is too strict: a
//! median of 2.5 ms that would be 2.2 ms changes nothing about `p99<20ms`. So a step whose load was made is void only
//! if an objective would have another result without the generator's own part. Since that part only ever makes
//! responses slower, a rate that passes with it passes without it.

use crate::evidence::{Evidence, Share};
use crate::objective::{Objective, Objectives};
use crate::verdict::Verdict;
use brunt_record::{Bad, Histogram, HistogramError, Record};
use std::time::Duration;

/// An effect below this part of the allowed share does not make an undecided step void.
const SMALL: f64 = 0.1;

/// The response times of a step with and without the generator's own part.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnEffect {
    /// Why the run's verdict blames the generator.
    pub why: String,
    operations: Vec<Both>,
}

/// The successes of an operation, with and without the generator's own part.
#[derive(Clone, Debug, PartialEq)]
struct Both {
    name: String,
    with: Histogram,
    without: Histogram,
}

impl OwnEffect {
    /// The effect in a record, if it is the only reason why its verdict blames the generator.
    pub(crate) fn of(record: &Record) -> Result<Option<Self>, HistogramError> {
        if !record.verdict.is_of_own_part_alone() {
            return Ok(None);
        }
        let why = record.verdict.reasons.first().map_or_else(String::new, |it| it.text.clone());
        let mut operations = Vec::new();
        for operation in &record.operations {
            let with = operation.ok.as_ref().unwrap_or(&operation.response).histogram()?;
            let without = match &operation.ok_without_own {
                Some(without) => without.histogram()?,
                None => with.clone(),
            };
            operations.push(Both { name: operation.name.clone(), with, without });
        }
        Ok(Some(Self { why, operations }))
    }

    /// The share of exchanges that are bad because of the generator's own part; for a mean, the number of seconds by
    /// which it is too high.
    fn moved(&self, objective: &Objective) -> f64 {
        let named = |both: &&Both| {
            objective.allowance.operation.as_ref().is_none_or(|name| *name == both.name)
        };
        let both = || self.operations.iter().filter(named);
        let count: u64 = both().map(|both| both.with.count()).sum();
        let apart: f64 = match objective.allowance.bad {
            Bad::Later(limit) => {
                both().map(|both| later(&both.with, limit) - later(&both.without, limit)).sum()
            }
            Bad::MeanAbove(_) => {
                both().map(|both| seconds(&both.with) - seconds(&both.without)).sum()
            }
            _ => 0.0,
        };
        apart.max(0.0) / count.max(1) as f64
    }

    /// Whether the objectives would have another result without it, so that the step says nothing about the target.
    pub(crate) fn decides(&self, objectives: &Objectives, evidence: &Evidence) -> bool {
        let mut shares = objectives.iter().zip(&evidence.shares);
        let missed = |(objective, share): (&Objective, &Share)| {
            let without = share.share - self.moved(objective);
            share.share > share.allowed && without > share.allowed
        };
        match evidence.verdict {
            Verdict::Pass => false,
            Verdict::Fail => !shares.any(missed),
            _ => shares.any(|(objective, share)| self.moved(objective) > SMALL * share.allowed),
        }
    }
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
        let both =
            Both { name: "get".to_owned(), with: histogram(late), without: histogram(late - own) };
        OwnEffect {
            why: "the p50 is 2.5 ms with and 2.2 ms without".to_owned(),
            operations: vec![both],
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
            w: 0.5,
            verdict,
        };
        (Objectives::new([slo], []), evidence)
    }

    #[test]
    fn a_step_is_the_generators_only_where_an_objective_depends_on_its_own_part() {
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
    fn errors_are_none_of_its_doing() {
        let slo: Slo = "errors<0.1%".parse().unwrap();
        let objectives = Objectives::new([], [slo]);
        let (_, failed) = evidence(80, Verdict::Fail);
        // Whatever the generator did to response times, 8 % failed.
        assert!(!effect(80, 80).decides(&objectives, &failed));
    }
}
