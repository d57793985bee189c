//! A claim: a rate that the target sustains for long enough, and a higher one that fails.

use super::steps::StepParameters;
use super::{ConfirmedRate, Halt, Search, rate};
use crate::evidence::likely_exchanges;
use crate::found::Answer;
use crate::order::Kind;
use crate::progress::Estimate;
use crate::verdict::Verdict;

/// An undecided step with less than this probability counts as failed.
const LIKELY: f64 = 0.9;
/// The number of times that a rate above the claim may pass before the edge counts as soft.
const PASSES_ABOVE_MAX: u32 = 2;
/// The number of times that failures may turn out to be temporary, so that the search is restarted.
const ANEW_MAX: u32 = 2;
/// The number of times that looks grow once short ones have misled.
const STRETCHES: u32 = 2;

/// The progress of confirming.
#[derive(Debug)]
pub(super) struct Confirmations {
    /// The number of steps that searched.
    pub(super) searches: u32,
    /// How many times the search was restarted.
    anew: u32,
    tried: u32,
    passed_above: u32,
    /// The upper bound for further confirmations.
    at_most: f64,
    /// A rate a little below one that was nearly confirmed. If there is no time to restart the search, it is the next
    /// to be confirmed.
    below_missed: f64,
    /// The number of confirmations that met the objectives, but did not achieve their rate.
    short: u32,
}

impl Default for Confirmations {
    fn default() -> Self {
        Self {
            searches: 0,
            anew: 0,
            tried: 0,
            passed_above: 0,
            at_most: f64::INFINITY,
            below_missed: 0.0,
            short: 0,
        }
    }
}

impl Search<'_> {
    /// Confirms a rate one precision below the estimate, and shows that a higher one fails. `None` if the search
    /// continues.
    pub(super) fn confirm(
        &mut self,
        estimate: Estimate,
        narrow: bool,
        confirmations: &mut Confirmations,
    ) -> Result<Option<Answer>, Halt> {
        let margin = 1.0 + self.settings.precision;
        // If there was no time to make the estimate narrow, this rate is likely to be below the limit.
        let safe =
            if narrow { f64::INFINITY } else { estimate.p10.max(confirmations.below_missed) };
        let at = (estimate.p50 / margin).min(safe).max(self.enough(estimate));
        let at = at.min(confirmations.at_most).min(self.highest());
        if let Some(claim) = self.claim
            && at <= claim.rate * 1.01
        {
            return Ok(Some(self.claimed(claim)));
        }
        if confirmations.tried >= self.settings.confirmations {
            return Ok(Some(self.without_more(confirmations)));
        }
        confirmations.tried += 1;
        let below = (100.0 * (1.0 - at / estimate.p50)).max(0.0);
        let why = format!("{below:.0}% below the likely limit, held for a claim");
        let verdict = self.evidence(StepParameters {
            kind: Kind::Confirm,
            rate: at,
            looks: self.confirm_looks(at),
            why,
        })?;
        match verdict {
            Verdict::Pass => {
                let confirmed_s =
                    self.steps.iter().rev().find(|step| step.order.kind == Kind::Confirm);
                let confirmed_s = confirmed_s.map_or(0.0, |step| step.judged_s);
                self.claim = Some(ConfirmedRate { rate: at, confirmed_s });
                if self.outlives_failures(at)
                    && confirmations.anew < ANEW_MAX
                    && 2.0 * at <= self.highest()
                {
                    *confirmations =
                        Confirmations { anew: confirmations.anew + 1, ..Confirmations::default() };
                    let bounded = self.ramp_from(2.0 * at, true)?;
                    return if bounded { Ok(None) } else { self.beneath_cap() };
                }
                self.above(at, confirmations)
            }
            Verdict::Void => Ok(None),
            Verdict::Undecided if self.last_w() >= LIKELY => {
                confirmations.at_most = at / margin;
                Ok(None)
            }
            verdict => {
                if verdict == Verdict::Undecided {
                    confirmations.below_missed = at / (margin * margin);
                }
                if let Some(made) = self.last_made() {
                    // Once may be a pause at the end of the step.
                    if confirmations.short > 0 {
                        confirmations.at_most = at * made / margin;
                    }
                    confirmations.short += 1;
                }
                self.misled(at);
                Ok(None)
            }
        }
    }

    /// Half of the time, and all of it: at least the configured time, and as long as it takes to reach a verdict from
    /// few exchanges, if there is time for that.
    pub(super) fn confirm_looks(&self, at: f64) -> Vec<u32> {
        let left = self.left_s(self.settings.warm_up_s).max(0.0);
        let needed = (self.exchanges_needed() / at).ceil().min(left) as u32;
        let whole = self.settings.confirm_s.max(2).max(needed);
        vec![(whole / 2).max(1), whole]
    }

    /// The number of exchanges needed to show that the objectives are met, if hardly any are bad.
    pub(super) fn exchanges_needed(&self) -> f64 {
        let given = self.objectives.iter().filter(|objective| !objective.guard);
        given.map(likely_exchanges).fold(0.0, f64::max)
    }

    /// The lowest rate that makes the required number of exchanges in the time that is left.
    fn enough(&self, estimate: Estimate) -> f64 {
        let left = self.left_s(self.settings.warm_up_s).max(1.0);
        (self.exchanges_needed() / left).min(estimate.p90)
    }

    /// Short looks passed where a long one failed: their observations near that rate are discarded.
    fn misled(&mut self, at: f64) {
        self.observations.retain(|observation| {
            observation.long || observation.w <= 0.5 || observation.rate <= at / 2.0
        });
        let by = self.settings.stretch;
        self.stretch = self.stretch.saturating_mul(by).min(by.pow(STRETCHES));
    }

    /// Whether failures well below a confirmed rate are the only evidence against a higher one. They were temporary,
    /// caused by something else on the target's machine, and are discarded: the search is restarted.
    fn outlives_failures(&mut self, at: f64) -> bool {
        let before = self.observations.len();
        self.observations.retain(|observation| {
            observation.long || observation.w > 0.5 || observation.rate * self.settings.above >= at
        });
        let outlived = self.observations.len() < before;
        if outlived {
            self.remarks.push(format!(
                "what failed below {} passed later: something disturbed the target, or its machine, meanwhile",
                rate(at)
            ));
        }
        outlived
            && !self
                .observations
                .iter()
                .any(|observation| observation.w <= 0.5 && observation.rate > at)
    }

    fn above(
        &mut self,
        claim: f64,
        confirmations: &mut Confirmations,
    ) -> Result<Option<Answer>, Halt> {
        let above = self.settings.above;
        for factor in [above, above * above] {
            let at = claim * factor;
            if at > self.highest() {
                break;
            }
            let why = format!(
                "{:.0}% above what was confirmed: this should fail",
                100.0 * (factor - 1.0)
            );
            let looks = self.settings.above_looks.to_vec();
            let wish = StepParameters { kind: Kind::Above, rate: at, looks, why };
            match self.evidence(wish)? {
                Verdict::Pass => {
                    confirmations.passed_above += 1;
                    if confirmations.passed_above <= PASSES_ABOVE_MAX {
                        return Ok(None);
                    }
                    break;
                }
                Verdict::Fail => break,
                _ => {}
            }
        }
        let claim = self.claim;
        Ok(claim.map(|claim| self.claimed(claim)))
    }

    fn without_more(&mut self, confirmations: &Confirmations) -> Answer {
        match self.claim {
            Some(claim) => self.claimed(claim),
            None => Answer::NoClaim {
                why: format!("none of {} confirmations passed", confirmations.tried),
            },
        }
    }
}
