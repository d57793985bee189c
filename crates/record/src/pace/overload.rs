//! [`Overload`]: that a load was more than the target, or the sessions of the run, could carry.
//!
//! A share below one alone does not prove it: exchanges that were reset or timed out are missing as well, and a target
//! that stood still at the end was not overloaded. The proof is the queue: of what was due in the last tenth of the
//! window, some had no place in the backlog any more, or it took longer than what was due in the first tenth by more
//! than their spread, while the target continued to answer.

use super::{Cohort, Pace, StageOverload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The first and the last of so many parts of a window are compared.
const PARTS: u32 = 10;
/// A rate rose if the least is below this part of the greatest.
const STEADY: f64 = 0.8;

/// A load that was more than the target, or the sessions of the run, could carry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Overload {
    /// What had fallen due and was waiting for its answer when the load ended; what was never sent because the backlog
    /// was full is not among it.
    pub waiting: u64,
    /// The offered rate a second until which the target kept up; null if the load did not rise, or it never kept up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_up_per_second: Option<f64>,
    /// Until when it kept up with this, in seconds since the window began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_up_s: Option<f64>,
    /// The stages that were more than could be carried, where the load had several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageOverload>,
}

impl Pace {
    /// How the load was more than could be carried, in a window of this length at whose end `cut_off` were given up;
    /// none if no queue grew.
    pub fn overload(&self, window: Duration, cut_off: u64) -> Option<Overload> {
        let begin = window.saturating_sub(window / PARTS);
        let first = self.part(|from| from < window / PARTS);
        let mut last = self.part(|from| from >= begin);
        if cut_off > 0 && self.lost_wholly_before(window / 2) == 0 {
            // It would have been answered, after everything else.
            let cut = u32::try_from(last.unanswered).unwrap_or(u32::MAX);
            last.response.record_many(Duration::MAX, cut);
        }
        let went_on = self.answered_between(begin, window).0 > 0.0;
        let limit = first.response.limit()?;
        if !went_on || (last.dropped == 0 && !is_exceeded(limit, &last)) {
            return None;
        }
        let kept_up = self.kept_up_until(limit);
        Some(Overload {
            waiting: self.waiting(cut_off),
            kept_up_per_second: kept_up.map(|(rate, _)| rate),
            kept_up_s: kept_up.map(|(_, until)| until.as_secs_f64()),
            stages: Vec::new(),
        })
    }

    /// How many had fallen due and were waiting for their answer when the load ended; `cut_off` of them never got one.
    pub(crate) fn waiting(&self, cut_off: u64) -> u64 {
        let answered: u64 = self.cohorts().iter().map(|it| it.response.count()).sum();
        let in_time: u64 = self.slots().iter().map(|slot| slot.answered).sum();
        answered.saturating_sub(in_time) + cut_off
    }

    /// All cohorts whose beginning this selects, as one.
    fn part(&self, is_in: impl Fn(Duration) -> bool) -> Cohort {
        let mut sum = Cohort::default();
        let cohorts = self.cohorts().iter();
        cohorts.filter(|it| is_in(self.cohort_from(it.number))).for_each(|it| sum.merge(it));
        sum
    }

    /// The offered rate a second of the last cohort before the queue began to grow for good, and when it ended, in a
    /// load that rose afterwards.
    fn kept_up_until(&self, limit: Duration) -> Option<(f64, Duration)> {
        let cohorts = self.cohorts();
        let over = |cohort: &Cohort| cohort.dropped > 0 || is_exceeded(limit, cohort);
        let last = cohorts.iter().rposition(|cohort| !over(cohort))?;
        let width = self.cohort_from(1).as_secs_f64();
        let rate = |cohort: &Cohort| {
            let (from, to) = (self.cohort_from(cohort.number), self.cohort_from(cohort.number + 1));
            self.due_between(from, to) / width
        };
        let kept_up = rate(&cohorts[last]);
        let most = cohorts[last..].iter().map(rate).fold(0.0, f64::max);
        let rose = kept_up < STEADY * most;
        rose.then(|| (kept_up, self.cohort_from(cohorts[last].number + 1)))
    }
}

/// Whether half of these took longer.
pub(super) fn is_exceeded(limit: Duration, cohort: &Cohort) -> bool {
    cohort.response.within(limit) * 2 < cohort.response.count()
}
