//! [`StageOverload`]: that one stage of a load was more than could be carried.
//!
//! A queue that a later stage works off leaves no trace in the rates of the whole window, so every stage is judged by
//! itself: what became due in its last tenth, and in the tenth before, took longer than what became due in its first
//! tenth by more than their spread, and ever longer, or some of it was dropped; and more of it waited at the end of the
//! stage than such a measurement can be wrong. What becomes due while a target stands still waits ever less long, and
//! is no overload.

use super::overload::is_exceeded;
use super::{Cohort, KEPT_UP, Pace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The first and the last of so many parts of a stage are compared.
const PARTS: usize = 10;
/// A stage of fewer cohorts is too short to be judged.
const COHORTS_MIN: usize = 4;

/// A stage of a load that was more than the target, or the sessions of the run, could carry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageOverload {
    /// Its number among the stages of the steady phase, from 1.
    pub number: u32,
    /// When it began, in seconds since the window began.
    pub from_s: f64,
    /// When it ended.
    pub to_s: f64,
    /// What became due in it, a second.
    pub offered: f64,
    /// What had fallen due and was waiting for its answer when it ended.
    pub waiting: u64,
}

impl Pace {
    /// The stages that were more than could be carried, of those that begin so many seconds after the window does.
    pub fn overloaded_stages(&self, begins_s: &[f64], window: Duration) -> Vec<StageOverload> {
        let begins = begins_s.iter().filter_map(|at| Duration::try_from_secs_f64(*at).ok());
        let borders: Vec<Duration> =
            begins.filter(|begin| *begin < window).chain([window]).collect();
        let stages = (1..).zip(borders.windows(2));
        let found = stages.filter_map(|(number, border)| {
            let (from, to) = (border[0], border[1]);
            let waiting = self.overload_between(from, to)?;
            let lasted = to.checked_sub(from)?.as_secs_f64();
            Some(StageOverload {
                number,
                from_s: from.as_secs_f64(),
                to_s: to.as_secs_f64(),
                offered: self.due_between(from, to) / lasted,
                waiting,
            })
        });
        found.collect()
    }

    /// How many waited at the end of a stage that was more than could be carried; none if no queue grew in it.
    fn overload_between(&self, from: Duration, to: Duration) -> Option<u64> {
        let within = |it: &&Cohort| {
            self.cohort_from(it.number) >= from && self.cohort_from(it.number + 1) <= to
        };
        let cohorts: Vec<&Cohort> = self.cohorts().iter().filter(within).collect();
        if cohorts.len() < COHORTS_MIN {
            return None;
        }
        let part = (cohorts.len() / PARTS).max(1);
        let first = joined(&cohorts[..part]);
        let before = joined(&cohorts[cohorts.len() - 2 * part..cohorts.len() - part]);
        let last_from = self.cohort_from(cohorts[cohorts.len() - part].number);
        let last = joined(&cohorts[cohorts.len() - part..]);
        let limit = first.response.limit()?;
        let dropped: u64 = cohorts.iter().map(|it| it.dropped).sum();
        let grew = is_exceeded(limit, &before)
            && is_exceeded(limit, &last)
            && before.response.quantile(0.5) <= last.response.quantile(0.5);
        let full = before.dropped > 0 && last.dropped > 0;
        let went_on = self.answered_between(last_from, to).0 > 0.0;
        if !went_on || !(grew || full) {
            return None;
        }
        let waiting = self.waiting_at(to);
        let normal = self.due_between(last_from, to) * ratio(limit, to.checked_sub(last_from)?);
        let short = (waiting - normal).max(0.0) + dropped as f64;
        let due = self.due_between(from, to);
        (short > (1.0 - KEPT_UP) * due).then_some(waiting.round() as u64)
    }

    /// How many had fallen due and were waiting for their answer at this time.
    fn waiting_at(&self, at: Duration) -> f64 {
        let ended = self.cohorts().iter().filter(|it| self.cohort_from(it.number) < at);
        let ended: u64 = ended.map(|it| it.dropped + it.unanswered).sum();
        let answered = self.answered_between(Duration::ZERO, at).0;
        (self.due_between(Duration::ZERO, at) - answered - ended as f64).max(0.0)
    }
}

/// All of these as one.
fn joined(cohorts: &[&Cohort]) -> Cohort {
    let mut sum = Cohort::default();
    for it in cohorts {
        sum.merge(it);
    }
    sum
}

fn ratio(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() { 0.0 } else { part.as_secs_f64() / whole.as_secs_f64() }
}
