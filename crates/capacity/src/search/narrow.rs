//! Where the limit is most likely: steps at the median of the posterior, until it is narrow enough to confirm a rate.

use super::steps::StepParameters;
use super::{Halt, Search, rate};
use crate::found::Answer;
use crate::order::Kind;
use crate::progress::Estimate;
use crate::verdict::Verdict;

/// Below a cap, the number of steps that look for a higher rate that passes.
const REFINEMENTS: u32 = 2;
/// Below a cap, the number of rates for which a confirmation is tried.
const CONFIRMED_BENEATH: u32 = 3;

impl Search<'_> {
    /// Searches and confirms until there is an answer.
    pub(super) fn narrow(&mut self) -> Result<Answer, Halt> {
        let mut confirmations = super::confirm::Confirmations::default();
        loop {
            let Some(estimate) = self.estimate() else {
                return Ok(Answer::NoClaim { why: "no step gave evidence".to_owned() });
            };
            if estimate.p50 >= self.highest()
                && let Some(answer) = self.beneath_cap()?
            {
                return Ok(answer);
            }
            if self.claim.is_none()
                && let Some(why) = self.too_few(estimate)
            {
                return Ok(Answer::NoClaim { why });
            }
            let wide = estimate.p90 / estimate.p10 > self.settings.narrow
                && confirmations.searches < self.settings.searches;
            let hurry = wide && !self.can_confirm_after_search(estimate.p50);
            if wide && !hurry {
                confirmations.searches += 1;
                self.search(estimate)?;
            } else if let Some(answer) = self.confirm(estimate, !hurry, &mut confirmations)? {
                return Ok(answer);
            }
        }
    }

    fn search(&mut self, estimate: Estimate) -> Result<(), Halt> {
        let at = estimate.p50.min(self.highest());
        let why = format!(
            "halves what is likely: {} to {} (80%)",
            rate(estimate.p10),
            rate(estimate.p90)
        );
        self.evidence(StepParameters {
            kind: Kind::Search,
            rate: at,
            looks: self.search_looks(at),
            why,
        })?;
        Ok(())
    }

    /// Why no confirmation of any likely rate can pass, if there is no time for one.
    fn too_few(&self, estimate: Estimate) -> Option<String> {
        let left = self.left_s(self.settings.warm_up_s).max(f64::from(self.settings.confirm_s));
        let minutes_at = |rate: f64| self.exchanges_needed() / rate / 60.0;
        (60.0 * minutes_at(estimate.p90) > left).then(|| {
            format!(
                "at about {} it takes some {:.0} minutes until there are enough samples to judge by, for which \
                 there was no time (--budget)",
                rate(estimate.p50),
                minutes_at(estimate.p50).ceil()
            )
        })
    }

    /// A first look that is late enough to show something, and one twice as late.
    pub(super) fn search_looks(&self, at: f64) -> Vec<u32> {
        let shares = self.objectives.iter().filter(|objective| !objective.guard);
        let share = shares.map(|objective| objective.allowance.share).filter(|share| *share > 0.0);
        let needed = share.min_by(f64::total_cmp).map_or(0.0, |share| 20.0 / (share * at));
        let [soonest, last] = self.settings.looks.map(|look| look * self.stretch);
        let enough = (needed.ceil() as u32).min(self.settings.confirm_s);
        let first = soonest.max(enough);
        vec![first, last.max(2 * first)]
    }

    /// Below a cap: finds the highest rate that passes, and confirms it. `None` if that rate turns out to be too high.
    pub(super) fn beneath_cap(&mut self) -> Result<Option<Answer>, Halt> {
        for _ in 0..REFINEMENTS {
            let Some(cap) = self.cap.clone() else { return Ok(None) };
            let passed = self.passed(f64::INFINITY).unwrap_or(self.first);
            if cap.inclusive && passed >= cap.rate || cap.rate / passed < self.settings.narrow {
                break;
            }
            let at = if cap.inclusive { cap.rate } else { (cap.rate * passed).sqrt() };
            let why = format!("the highest rate below {} that passes", rate(cap.rate));
            let looks = self.search_looks(at);
            let verdict =
                self.evidence(StepParameters { kind: Kind::Search, rate: at, looks, why })?;
            if verdict != Verdict::Void && self.last_w() <= 0.5 {
                return Ok(None);
            }
        }
        self.confirm_beneath_cap()
    }

    /// Confirms the highest rate that passed, and if the generator limited that step as well, the next lower one.
    fn confirm_beneath_cap(&mut self) -> Result<Option<Answer>, Halt> {
        let mut floor = None;
        for _ in 0..CONFIRMED_BENEATH {
            let Some(cap) = self.cap.clone() else { return Ok(None) };
            let below = if cap.inclusive { f64::INFINITY } else { cap.rate };
            let Some(at) = self.passed(below) else {
                let why = format!("no valid step: {}", cap.why);
                return Ok(floor.or(Some(Answer::NoClaim { why })));
            };
            let why = format!("the highest rate that passed, held for a claim, since {}", cap.why);
            let looks = self.confirm_looks(at);
            let verdict =
                match self.evidence(StepParameters { kind: Kind::Confirm, rate: at, looks, why }) {
                    Err(Halt::Stopped(_)) if floor.is_some() => break,
                    verdict => verdict?,
                };
            match verdict {
                Verdict::Pass => {
                    return Ok(Some(Answer::Floor { rate: at, confirmed: true, why: cap.why }));
                }
                Verdict::Fail | Verdict::Undecided if self.last_w() <= 0.5 => return Ok(None),
                _ => floor = Some(self.least(below, cap.why)),
            }
            // With too few connections a lower rate gives no further result, unless no rate is shown to pass yet.
            let shown = self.shown(f64::INFINITY).is_some();
            if verdict != Verdict::Void || shown && self.is_session_limited() {
                break;
            }
        }
        Ok(floor)
    }

    /// What is known if no confirmation passed below a cap: at least the highest rate at which a step passed, if one
    /// did.
    fn least(&self, below: f64, why: String) -> Answer {
        match self.shown(below) {
            Some(rate) => Answer::Floor { rate, confirmed: false, why },
            None => Answer::NoClaim { why: format!("no step passed beyond doubt: {why}") },
        }
    }
}
