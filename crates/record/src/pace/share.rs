//! How much of what was due was answered while the load ran: [`PaceShare`].
//!
//! The answer to what is due at the end of a window arrives after it, so the share is that of answers that arrived in
//! [from + f, to) in what was due in [from, to - f), where f is how long an answer normally takes: the 99th percentile
//! of the service times of what was due in the first tenth of the window, and at most half of the window. Both windows
//! have the same length, so a target that answers everything after the same time has all of it, and one that is
//! overloaded has the share that it can carry, however long its queue is at either end.

use super::{Cohort, Pace, Times};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The part of the window by whose service times f is known.
const FIRST: u32 = 10;
/// The quantile of those service times that is f.
const NORMAL: f64 = 0.99;
/// A median service time rose if it is this many times that of the beginning, and beyond nine tenths of it.
const ROSE: f64 = 1.25;
const SPREAD: f64 = 0.9;

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
    /// What a reader is told.
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
        if self.due_between(Duration::ZERO, self.slot_from(Self::SLOTS_MAX)) <= 0.0 {
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
        let share = self.share_after(begin, window);
        let (answered, ok) = self.answered_between(begin, self.slot_from(Self::SLOTS_MAX));
        PaceShare {
            answered: Some(share),
            ok: if answered > 0.0 { ok / answered } else { 0.0 },
            normal: Some(normal),
            doubt: None,
        }
    }

    /// The share of what was due in time that was answered in time, where an answer takes this long from the beginning
    /// of a slot on.
    ///
    /// Where in its slot f lay is no longer known, so a run that can have answered everything did: a target that keeps
    /// up never has 99.9 %.
    fn share_after(&self, normal: Duration, window: Duration) -> f64 {
        let (answered, _) = self.answered_between(normal, self.slot_from(Self::SLOTS_MAX));
        let due = |until: Duration| self.due_between(Duration::ZERO, until);
        let until = window.saturating_sub(normal);
        let certain = self.slot_of(until.saturating_sub(self.slot_width()));
        if answered >= due(certain) {
            return 1.0;
        }
        // Of few exchanges, one more or less at an end of a window is much: what was plainly answered while the load
        // ran is the least that it can be.
        let end = self.slot_from(Self::SLOTS_MAX);
        let plain = self.answered_between(Duration::ZERO, end).0 / due(end);
        (answered / due(until)).max(plain).min(1.0)
    }

    /// How long an answer normally takes.
    fn normal(&self, window: Duration) -> Normal {
        let is_answered = |cohort: &&Cohort| cohort.response.count() > 0;
        let Some(earliest) = self.cohorts().iter().find(is_answered) else {
            return Normal::Nothing;
        };
        let tenth = window / FIRST;
        // Where the target answered nothing at first, the first exchanges that it answered say how long that takes.
        let begin = self.cohort_from(earliest.number);
        let until = if begin < tenth { tenth } else { begin + tenth };
        let first = self.cohorts().iter().filter(|cohort| self.cohort_from(cohort.number) < until);
        let mut service = Times::default();
        first.for_each(|cohort| service.merge(&cohort.service));
        // Only the target's own time counts: what waited here for a session says nothing about an answer.
        if service.within(window / 2) * 2 < service.count() {
            return if self.rose(earliest) { Normal::Rising } else { Normal::Long };
        }
        Normal::Known(service.quantile(NORMAL).unwrap_or_default())
    }

    /// Whether what was due later took the target longer, by more than the spread of what was due first.
    fn rose(&self, first: &Cohort) -> bool {
        let last = self.cohorts().iter().rev().find(|cohort| cohort.service.count() > 0);
        let medians = first.service.quantile(0.5).zip(last.and_then(|it| it.service.quantile(0.5)));
        let spread = first.service.quantile(SPREAD);
        medians.is_some_and(|(first, last)| {
            last > first.mul_f64(ROSE) && spread.is_some_and(|spread| last > spread)
        })
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
