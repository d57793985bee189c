//! A claim: a rate that is held long enough, and one above it that fails.

use super::steps::Wish;
use super::{Claim, Halt, Search, rate};
use crate::found::Answer;
use crate::order::Kind;
use crate::progress::Estimate;
use crate::verdict::Verdict;

/// Undecided with less than this probability is as good as failed.
const LIKELY: f64 = 0.9;
/// So many times a rate above the claim may pass before the edge counts as soft.
const PASSES_ABOVE_MAX: u32 = 2;
/// How far above the claim failure is looked for, and the looks there.
const ABOVE: f64 = 1.10;
const ABOVE_LOOKS: [u32; 3] = [30, 60, 120];
/// So many times what failed may turn out to have been of the moment.
const ANEW_MAX: u32 = 2;
/// By how much looks grow once short ones have misled.
const STRETCH: u32 = 4;

/// How far confirming has come.
#[derive(Debug)]
pub(super) struct Course {
    /// Steps that searched.
    pub(super) searches: u32,
    /// How often the limit was looked for anew.
    anew: u32,
    tried: u32,
    passed_above: u32,
    /// No confirmation above this.
    at_most: f64,
}

impl Default for Course {
    fn default() -> Self {
        Self { searches: 0, anew: 0, tried: 0, passed_above: 0, at_most: f64::INFINITY }
    }
}

impl Search<'_> {
    /// Confirms a rate one precision below the estimate, and shows that one above fails. `None` if the search goes on.
    pub(super) fn confirm(
        &mut self,
        estimate: Estimate,
        course: &mut Course,
    ) -> Result<Option<Answer>, Halt> {
        let margin = 1.0 + self.settings.precision;
        let at = (estimate.p50 / margin).min(course.at_most).min(self.highest());
        if let Some(claim) = self.claim
            && at <= claim.rate * 1.01
        {
            return Ok(Some(self.claimed(claim)));
        }
        if course.tried >= self.settings.confirmations {
            return Ok(Some(self.without_more(course)));
        }
        course.tried += 1;
        let why =
            format!("one precision below {}, held long enough for a claim", rate(estimate.p50));
        let verdict = self.evidence(Wish {
            kind: Kind::Confirm,
            rate: at,
            looks: self.confirm_looks(),
            why,
        })?;
        match verdict {
            Verdict::Pass => {
                let confirmed_s =
                    self.steps.iter().rev().find(|step| step.order.kind == Kind::Confirm);
                let confirmed_s = confirmed_s.map_or(0.0, |step| step.judged_s);
                self.claim = Some(Claim { rate: at, confirmed_s });
                if self.outlives_failures(at)
                    && course.anew < ANEW_MAX
                    && 2.0 * at <= self.highest()
                {
                    *course = Course { anew: course.anew + 1, ..Course::default() };
                    let bounded = self.ramp_from(2.0 * at, true)?;
                    return if bounded { Ok(None) } else { self.beneath_cap() };
                }
                self.above(at, course)
            }
            Verdict::Void => Ok(None),
            Verdict::Undecided if self.last_w() >= LIKELY => {
                course.at_most = at / margin;
                Ok(None)
            }
            _ => {
                self.misled(at);
                Ok(None)
            }
        }
    }

    /// Half of the time, and all of it.
    pub(super) fn confirm_looks(&self) -> Vec<u32> {
        vec![(self.settings.confirm_s / 2).max(1), self.settings.confirm_s.max(2)]
    }

    /// Short looks said yes where a long one says no: what they said near it counts for nothing.
    fn misled(&mut self, at: f64) {
        self.votes.retain(|vote| vote.long || vote.w <= 0.5 || vote.rate <= at / 2.0);
        self.stretch = self.stretch.saturating_mul(STRETCH).min(STRETCH * STRETCH);
    }

    /// Whether failures well below a rate that was confirmed are all that speaks against a higher one. They were of the
    /// moment, something else on the target's machine, and count for nothing: the limit is to be looked for anew.
    fn outlives_failures(&mut self, at: f64) -> bool {
        let before = self.votes.len();
        self.votes.retain(|vote| vote.long || vote.w > 0.5 || vote.rate * ABOVE >= at);
        let outlived = self.votes.len() < before;
        if outlived {
            self.remarks.push(format!(
                "what failed below {} passed later: something disturbed the target, or its machine, meanwhile",
                rate(at)
            ));
        }
        outlived && !self.votes.iter().any(|vote| vote.w <= 0.5 && vote.rate > at)
    }

    fn above(&mut self, claim: f64, course: &mut Course) -> Result<Option<Answer>, Halt> {
        for factor in [ABOVE, ABOVE * ABOVE] {
            let at = claim * factor;
            if at > self.highest() {
                break;
            }
            let why = format!(
                "{:.0}% above what was confirmed: this should fail",
                100.0 * (factor - 1.0)
            );
            let wish = Wish { kind: Kind::Above, rate: at, looks: ABOVE_LOOKS.to_vec(), why };
            match self.evidence(wish)? {
                Verdict::Pass => {
                    course.passed_above += 1;
                    if course.passed_above <= PASSES_ABOVE_MAX {
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

    fn without_more(&mut self, course: &Course) -> Answer {
        match self.claim {
            Some(claim) => self.claimed(claim),
            None => {
                Answer::NoClaim { why: format!("none of {} confirmations passed", course.tried) }
            }
        }
    }
}
