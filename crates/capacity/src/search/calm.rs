//! The steps after a rate that was too high, until the target has recovered.
//!
//! Overload can outlive its cause. Without these steps, the next step would measure the backlog of the previous one,
//! and the search would end far below the rate that the target sustains.

use super::{Halt, Search, rate};
use crate::found::Answer;
use crate::objective::Objectives;
use crate::order::Kind;
use crate::second::Second;
use crate::verdict::Verdict;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// The number of consecutive good seconds after which the target counts as recovered.
pub(super) const GOOD_SECONDS: usize = 3;
/// A second is good if its bad share is at most this multiple of the allowed share.
const GENEROUS: f64 = 3.0;

impl Search<'_> {
    /// Waits until the target has recovered after a rate that was too high.
    pub(super) fn calm(&mut self, after: f64) -> Result<(), Halt> {
        if !self.calm_at_first && self.passed(after).is_none() {
            // It never met the objectives, so missing them now does not show that it suffers.
            return Ok(());
        }
        let gentle = self.passed(after).map_or(after / 4.0, |passed| passed / 2.0);
        if self.calmed(after, gentle, self.settings.idle_s)? {
            return Ok(());
        }
        let remark = format!("does not recover under load after {}", rate(after));
        self.remarks.push(remark);
        if self.calmed(after, gentle, self.settings.long_idle_s)? {
            return Ok(());
        }
        Err(Halt::Final(Answer::NotRecovered { rate: after }))
    }

    fn calmed(&mut self, after: f64, gentle: f64, idle_s: u32) -> Result<bool, Halt> {
        let why = format!("until the target has recovered after {}", rate(after));
        let mut order = self.order(Kind::Calm, Some(gentle), Vec::new(), why);
        let idle = Duration::from_secs(idle_s.into());
        (order.idle, order.warm_up) = (idle, Duration::ZERO);
        let wanted = self.settings.recovery_s.max(GOOD_SECONDS as u32);
        order.seconds = wanted.min(self.left_to_calm_s(idle_s));
        if order.seconds < GOOD_SECONDS as u32 {
            self.disturbed = true;
            return Err(self.used_up());
        }
        let cut = order.seconds < wanted;
        let objectives = Arc::clone(&self.objectives);
        let mut seconds: Vec<Second> = Vec::new();
        let outcome = self.carried_out(&order, &mut |second| {
            seconds.push(second.clone());
            if is_calm(&seconds, &objectives) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        let calm = is_calm(&seconds, &objectives);
        let recovery_s = calm.then(|| {
            let under_load = seconds.len().saturating_sub(GOOD_SECONDS);
            idle.as_secs_f64()
                + seconds[..under_load].iter().map(|second| second.seconds).sum::<f64>()
        });
        let words = match recovery_s {
            Some(recovery) => format!("recovered within {recovery:.0} s"),
            None => format!("did not recover in {} s", seconds.len()),
        };
        self.keep(order, outcome, &seconds, None, Verdict::None, words, recovery_s);
        if !calm && cut {
            self.disturbed = true;
            return Err(self.used_up());
        }
        Ok(calm)
    }
}

/// Whether the last seconds were all good.
pub(crate) fn is_calm(seconds: &[Second], objectives: &Objectives) -> bool {
    let Some(start) = seconds.len().checked_sub(GOOD_SECONDS) else { return false };
    let last = &seconds[start..];
    let few_are_bad = |second: &Second| {
        objectives.iter().zip(&second.tallies).all(|(objective, tally)| {
            let allowed = GENEROUS * objective.allowance.share * tally.of as f64;
            // Of few exchanges a single one is more than three times most shares.
            tally.bad as f64 <= allowed.max(1.0)
        })
    };
    last.iter().any(|second| second.responses > 0) && last.iter().all(few_are_bad)
}
