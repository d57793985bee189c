//! The time that a search has: no step is begun that may end after its budget.
//!
//! A step takes its warm-up and the seconds until its last look, and the time to connect before it and to drain after
//! it, which is known from the steps so far. In addition, time is reserved for what may have to follow: the steps until
//! the target is calm, and the closing sentinel. A step that does not fit as a whole is made shorter, as far as it can
//! still give a result.

use super::calm::GOOD_SECONDS;
use super::{Halt, Search};
use crate::order::Kind;
use crate::verdict::Verdict;

impl Search<'_> {
    /// The seconds for which a step may be measured, if this number of seconds passes before that.
    pub(super) fn left_s(&self, before_s: u32) -> f64 {
        let settings = self.settings;
        let calm = settings.idle_s + GOOD_SECONDS as u32;
        let sentinel = settings.warm_up_s + settings.sentinel_s;
        let kept = f64::from(calm + sentinel) + 2.0 * self.beside_s(false);
        settings.budget_s - self.elapsed_s - kept - f64::from(before_s) - self.beside_s(true)
    }

    /// The greatest time so far that a step took beyond its order: connecting and draining, which takes longest after a
    /// rate that was too high.
    fn beside_s(&self, too_much: bool) -> f64 {
        let steps = self.steps.iter().filter(|step| too_much || step.verdict != Verdict::Fail);
        let beside = steps.map(|step| {
            let ordered = step.order.idle + step.order.warm_up;
            step.took_s - ordered.as_secs_f64() - step.judged_s
        });
        beside.fold(0.0, f64::max)
    }

    /// The seconds under load that the target may still take to recover, after this number of seconds without load.
    pub(super) fn left_to_calm_s(&self, idle_s: u32) -> u32 {
        let left =
            self.settings.budget_s - self.elapsed_s - f64::from(idle_s) - self.beside_s(false);
        left.max(0.0) as u32
    }

    /// As many of these seconds as fit into the remaining time.
    pub(super) fn fitting(&self, seconds: u32) -> Result<u32, Halt> {
        let left = self.left_s(self.settings.warm_up_s).max(0.0) as u32;
        if left == 0 { Err(self.used_up()) } else { Ok(seconds.min(left)) }
    }

    /// The looks of a step of this kind that fit into the remaining time.
    pub(super) fn fitting_looks(&self, kind: Kind, looks: &[u32]) -> Result<Vec<u32>, Halt> {
        let left = self.left_s(self.settings.warm_up_s);
        let fit: Vec<u32> = looks.iter().copied().filter(|look| f64::from(*look) <= left).collect();
        let cut = fit.len() < looks.len();
        if fit.is_empty() || cut && self.is_held_to_the_end(kind) {
            return Err(self.used_up());
        }
        Ok(fit)
    }

    /// Whether a step of this kind can pass only at its end.
    pub(super) fn is_held_to_the_end(&self, kind: Kind) -> bool {
        kind == Kind::Confirm && !self.settings.passes_early
    }

    /// Whether there is time for a confirmation after a search step at this rate.
    pub(super) fn can_confirm_after_search(&self, at: f64) -> bool {
        let settings = self.settings;
        let step = self.search_looks(at).last().copied().unwrap_or_default() + settings.warm_up_s;
        let calm = settings.idle_s + GOOD_SECONDS as u32;
        let confirmed = (self.exchanges_needed() / at).max(f64::from(settings.confirm_s));
        self.left_s(step + calm + settings.warm_up_s) - 2.0 * self.beside_s(false) >= confirmed
    }

    /// Whether another step may be made.
    pub(super) fn within_steps(&self) -> Result<(), Halt> {
        let made = self.steps.iter().filter(|step| step.order.kind.is_evidence()).count();
        if made >= self.settings.steps as usize {
            return Err(Halt::Stopped(format!("it made {made} steps, as many as it may")));
        }
        Ok(())
    }

    /// Whether the closing sentinel still fits.
    pub(super) fn has_time_for_sentinel(&self) -> bool {
        let settings = self.settings;
        let sentinel = f64::from(settings.warm_up_s + settings.sentinel_s) + self.beside_s(false);
        self.elapsed_s + sentinel <= settings.budget_s
    }

    pub(super) fn used_up(&self) -> Halt {
        Halt::Stopped(format!(
            "no further step fits into the {} it was given, of which {} were used",
            minutes(self.settings.budget_s),
            minutes(self.elapsed_s)
        ))
    }
}

fn minutes(seconds: f64) -> String {
    let tenths = format!("{:.1}", seconds / 60.0);
    format!("{} minutes", tenths.trim_end_matches(".0"))
}
