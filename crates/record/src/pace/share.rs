//! How much of what was due was answered while the load ran: [`PaceShare`].
//!
//! The answer to what is due at the end of a window arrives after it, so the share is that of answers that arrived in
//! [from + f, to) in what was due in [from, to - f), where f is how long an answer normally takes: the 99th percentile
//! of the service times of what was due in the first tenth of the window, and at most half of the window. Both windows
//! have the same length, so a target that answers everything after the same time has all of it, and one that is
//! overloaded has the share that it can carry, however long its queue is at either end.
//!
//! Of few exchanges, one more or less in flight at an end of the window is much. So where both numbers are the same but
//! for chance, and all that was due before to - f and was answered at all was answered before the end, the target kept
//! up, and the share is that of what was answered at all.

use super::{Cohort, Pace, Times};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The part of the window by whose service times f is known.
const FIRST: u32 = 10;
/// The quantile of those service times that is f.
const NORMAL: f64 = 0.99;
/// A difference of so many standard deviations is chance: three in a thousand are greater.
const DEVIATIONS: f64 = 3.0;

/// Why the share of a run is not known, or what else must be said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateDoubt {
    /// Nothing was answered, so the rate is 0.
    NothingAnswered,
    /// Answers took longer than half of the window from its beginning on: a longer run would tell.
    LongerThanHalf,
    /// The same, and the run did not wait for all of them.
    TooShort,
    /// A reason that this version does not know.
    #[serde(other)]
    Other,
}

impl RateDoubt {
    /// The text for a reader.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NothingAnswered => "nothing was answered",
            Self::LongerThanHalf => "requests take longer than half of the run: run longer",
            Self::TooShort => {
                "too short to tell: requests take longer than half of the run, and it did not wait for all"
            }
            Self::Other => "its rates are in doubt",
        }
    }
}

/// How much of what was due was answered while the load ran.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PaceShare {
    /// The share of what was due that was answered in time, from 0 to 1; none if that is not known.
    pub answered: Option<f64>,
    /// The share of those answers that were successes.
    pub ok: f64,
    /// How long an answer normally takes (f).
    pub normal: Option<Duration>,
    /// Why the share is not known, or is zero.
    pub doubt: Option<RateDoubt>,
}

impl Pace {
    /// The share of a window of this length, in a run that gave up waiting for `cut_off` answers at its end.
    pub fn share(&self, window: Duration, cut_off: u64) -> PaceShare {
        if self.due_between(Duration::ZERO, self.end()) <= 0.0 {
            return PaceShare::default();
        }
        let half = window / 2;
        let normal = match self.normal(window) {
            Normal::Known(took) => took.min(half),
            Normal::Rising => half,
            Normal::Nothing => {
                let doubt = Some(RateDoubt::NothingAnswered);
                return PaceShare { answered: Some(0.0), doubt, ..PaceShare::default() };
            }
            Normal::Long => {
                let cut = cut_off > 0;
                let doubt = if cut { RateDoubt::TooShort } else { RateDoubt::LongerThanHalf };
                return PaceShare { doubt: Some(doubt), ..PaceShare::default() };
            }
        };
        let begin = self.slot_of(normal);
        let (answered, ok) = if !self.kept_up(begin, window) {
            self.share_after(begin, window)
        } else if cut_off == 0 {
            self.whole_share()
        } else if self.lost_wholly_before(window.saturating_sub(begin)) == 0 {
            // What was cut off might have been answered.
            (1.0, self.whole_share().1)
        } else {
            self.share_after(begin, window)
        };
        PaceShare { answered: Some(answered), ok, normal: Some(normal), doubt: None }
    }

    /// The share of what was due in time that was answered in time, where an answer takes this long from the beginning
    /// of a slot on, and the share of successes in these answers.
    fn share_after(&self, normal: Duration, window: Duration) -> (f64, f64) {
        let (answered, ok) = self.answered_between(normal, self.end());
        let due = self.due_between(Duration::ZERO, window.saturating_sub(normal));
        ((answered / due).min(1.0), if answered > 0.0 { ok / answered } else { 0.0 })
    }

    /// The share of what was due that was answered at all, and the share of successes in these answers.
    fn whole_share(&self) -> (f64, f64) {
        let lost = self.lost_before(self.end()) / self.due_between(Duration::ZERO, self.end());
        let sum = |of: fn(&Cohort) -> u64| self.cohorts().iter().map(of).sum::<u64>() as f64;
        (1.0 - lost, 1.0 - sum(|it| it.failed) / sum(|it| it.response.count()))
    }

    /// Whether the target kept up with what was due, as far as the numbers show. Where in its slot f lay is no longer
    /// known.
    fn kept_up(&self, normal: Duration, window: Duration) -> bool {
        let (answered, _) = self.answered_between(normal, self.end());
        let until = window.saturating_sub(normal + self.slot_width());
        let missing = self.due_between(Duration::ZERO, until) - self.lost_before(until) - answered;
        missing <= self.chance(normal, window) && self.is_answered_by(window, normal)
    }

    /// By how much the number of answers in a window differs from what was due in it if a target keeps up: as many are
    /// in flight at its end as at its beginning, but for chance, or as many more as the rate is higher.
    fn chance(&self, normal: Duration, window: Duration) -> f64 {
        let (answered, _) = self.answered_between(Duration::ZERO, normal);
        let due = self.due_between(Duration::ZERO, normal);
        let in_flight = (due - answered - self.lost_before(normal)).max(0.0);
        // The mean of a Poisson distribution may be that much above a number that was seen.
        let in_flight = in_flight + in_flight.sqrt() + 1.0;
        let rise = self.due_between(window.saturating_sub(normal), window) / due.max(1.0);
        DEVIATIONS * (2.0 * in_flight * rise.max(1.0)).sqrt()
    }

    /// Whether no more than the slowest of what was due before `end - f`, and was answered at all, was answered after
    /// the window. Of what was due in the last cohort before that, f alone decides.
    fn is_answered_by(&self, window: Duration, normal: Duration) -> bool {
        let cohort = self.cohort_from(1);
        let until = window.saturating_sub(normal + cohort);
        let late = self
            .wholly_before(until)
            .map(|(it, end)| it.response.count() - it.response.within(window.saturating_sub(end)));
        let late: u64 = late.sum();
        let near = self.due_between(until.saturating_sub(2 * normal + cohort), until);
        late as f64 <= ((1.0 - NORMAL) * near).max(1.0)
    }

    /// The cohorts that end before this, and when they do.
    fn wholly_before(&self, until: Duration) -> impl Iterator<Item = (&Cohort, Duration)> {
        let ends = self.cohorts().iter().map(|it| (it, self.cohort_from(it.number + 1)));
        ends.filter(move |(_, end)| *end <= until)
    }

    /// What was never answered of the cohorts that end before this.
    pub(super) fn lost_wholly_before(&self, until: Duration) -> u64 {
        self.wholly_before(until).map(|(cohort, _)| cohort.unanswered + cohort.dropped).sum()
    }

    /// What was due before this and never answered. Of a cohort that lies partly before it, that part.
    fn lost_before(&self, until: Duration) -> f64 {
        let width = self.cohort_from(1).as_secs_f64();
        let lost = |cohort: &Cohort| {
            let before = until.saturating_sub(self.cohort_from(cohort.number));
            (cohort.unanswered + cohort.dropped) as f64 * (before.as_secs_f64() / width).min(1.0)
        };
        self.cohorts().iter().map(lost).sum()
    }

    /// A moment after everything that is known.
    fn end(&self) -> Duration {
        self.slot_from(Self::SLOTS_MAX)
    }

    /// How long an answer normally takes.
    fn normal(&self, window: Duration) -> Normal {
        let is_answered = |cohort: &&Cohort| cohort.response.count() > 0;
        let Some(earliest) = self.cohorts().iter().find(is_answered) else {
            return Normal::Nothing;
        };
        let tenth = window / FIRST;
        // Where the target answered nothing at first, the first exchanges that it answered show how long that takes.
        let begin = self.cohort_from(earliest.number);
        let until = if begin < tenth { tenth } else { begin + tenth };
        let first = self.cohorts().iter().filter(|cohort| self.cohort_from(cohort.number) < until);
        let mut service = Times::default();
        first.for_each(|cohort| service.merge(&cohort.service));
        // Only the target's own time counts: time in the queue for a session is no part of it.
        if service.within(window / 2) * 2 < service.count() {
            return if self.rose(earliest) { Normal::Rising } else { Normal::Long };
        }
        Normal::Known(service.quantile(NORMAL).unwrap_or_default())
    }

    /// Whether what was due later took the target longer, by more than the spread of what was due first.
    fn rose(&self, first: &Cohort) -> bool {
        let last = self.cohorts().iter().rev().find(|cohort| cohort.service.count() > 0);
        let median = last.and_then(|it| it.service.quantile(0.5));
        median.zip(first.service.limit()).is_some_and(|(median, limit)| median > limit)
    }
}

/// How long an answer normally takes, as far as it is known.
enum Normal {
    Known(Duration),
    /// Longer and longer: the target is overloaded from the beginning.
    Rising,
    /// Longer than half of the window, and no longer at its end than at its beginning.
    Long,
    Nothing,
}
