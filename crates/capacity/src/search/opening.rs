//! How a search begins: the unloaded target, steps until it is warm, and doubling until the rate is too high.

use super::calm::is_calm;
use super::steps::StepParameters;
use super::{Halt, Search, rate};
use crate::found::Answer;
use crate::measured::Measured;
use crate::objective::Objective;
use crate::order::Kind;
use crate::second::Second;
use crate::verdict::Verdict;
use brunt_record::Bad;
use std::ops::ControlFlow;
use std::sync::Arc;

/// If more than this share of the requests of one session failed, and more than objectives allow, the target was not
/// unloaded.
const REFUSED_MAX: f64 = 0.1;
/// How often one session is tried, each time more slowly.
const BASELINES_MAX: u32 = 4;
/// The slowest session that is tried, in exchanges a second.
const SLOWEST: f64 = 0.1;
/// A smaller improvement than this is not counted as one.
const BETTER: f64 = 0.95;
/// The divisor of the first rate that gives the lowest rate to try.
const LOWEST: f64 = 500.0;
/// The message for a session that had nothing to do in its time, and whose target need not be away.
const IDLE: &str = "one session ended no exchange in its time";
/// Why that may be, if the generator is not the cause.
const SLOW: &str = "pauses or answers take longer than that";

impl Search<'_> {
    /// One session in a closed loop: measures the rate it makes, and how fast the target is when nothing waits.
    ///
    /// A target that refuses most requests of one session that sends as fast as it can is not unloaded: a refusal is
    /// quicker than an answer. Then the session is held to half of what succeeded, until most of it succeeds.
    pub(super) fn baseline(&mut self) -> Result<(), Halt> {
        let missed = |it: &&Objective| matches!(it.allowance.bad, Bad::Missed);
        let fixed = self.goals.fixed();
        let allowed = fixed.iter().filter(missed).map(|it| it.allowance.share);
        let allowed = allowed.fold(REFUSED_MAX, f64::max);
        let mut most = None;
        for _ in 0..BASELINES_MAX {
            self.alone(most)?;
            if self.unloaded.errors <= allowed {
                return self.resolved();
            }
            let ok = self.unloaded.achieved.unwrap_or_default() * (1.0 - self.unloaded.errors);
            most = Some((ok / 2.0).max(SLOWEST));
        }
        let why = format!(
            "{:.0}% of what one session asked for failed, at {} too: there is no time at which this target is unloaded",
            100.0 * self.unloaded.errors,
            most.map_or_else(String::new, rate)
        );
        Err(Halt::Final(Answer::NoClaim { why }))
    }

    fn alone(&mut self, most: Option<f64>) -> Result<(), Halt> {
        let why = match most {
            None => "one session, to see the target unloaded".to_owned(),
            Some(most) => format!(
                "one session again, at no more than {}: {:.0}% of what it asked for failed",
                rate(most),
                100.0 * self.unloaded.errors
            ),
        };
        let mut order = self.order(Kind::Baseline, None, vec![self.settings.baseline_s], why);
        order.most = most;
        let mut seconds = Vec::new();
        let outcome = self.carried_out(&order, &mut |second| {
            seconds.push(second.clone());
            ControlFlow::Continue(())
        })?;
        self.unloaded = outcome.measured.clone();
        let alone = self.unloaded.achieved.filter(|alone| *alone > 0.0);
        let idle = self.unloaded.errors == 0.0;
        let words = alone.map_or_else(
            || {
                let why = outcome.measured.limited.as_deref().unwrap_or(SLOW);
                if idle { format!("{IDLE}: {why}") } else { "nothing was answered".to_owned() }
            },
            |alone| {
                format!(
                    "one session makes {}, p50 {:.2} ms",
                    rate(alone),
                    1e3 * self.unloaded.response.p50_s
                )
            },
        );
        self.keep(order, outcome, &seconds, None, Verdict::None, words.clone(), None);
        if alone.is_none() {
            let why = words;
            return Err(Halt::Final(if idle {
                Answer::NoClaim { why }
            } else {
                Answer::Away { why }
            }));
        }
        Ok(())
    }

    /// Takes the objectives and the first rate from what one session measured.
    fn resolved(&mut self) -> Result<(), Halt> {
        let alone = self.unloaded.achieved.unwrap_or_default();
        match self.goals.resolve(&self.unloaded.relative_to) {
            Ok(objectives) => self.objectives = Arc::new(objectives),
            Err(error) => {
                return Err(Halt::Final(Answer::NoClaim { why: format!("failed to {error}") }));
            }
        }
        self.first = self.settings.from.unwrap_or(alone / 4.0).min(self.settings.highest());
        Ok(())
    }

    /// Runs at the first rate until the target is as fast as it gets.
    pub(super) fn settle(&mut self) -> Result<(), Halt> {
        let why = "until the target is as fast as it gets".to_owned();
        let mut order = self.order(Kind::Settle, Some(self.first), Vec::new(), why);
        let settled_s = self.settings.settled_s as usize;
        order.seconds = self.fitting(self.settings.settle_max_s)?;
        let mut seconds: Vec<Second> = Vec::new();
        let outcome = self.carried_out(&order, &mut |second| {
            seconds.push(second.clone());
            if is_settled(&seconds, settled_s) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        let settled = is_settled(&seconds, settled_s);
        self.calm_at_first = is_calm(&seconds, &self.objectives);
        let words = if settled {
            format!("settled after {} s", seconds.len())
        } else {
            self.remarks.push(format!(
                "the target still became faster after {} s at {}",
                seconds.len(),
                rate(self.first)
            ));
            format!("still becoming faster after {} s", seconds.len())
        };
        self.keep(order, outcome, &seconds, None, Verdict::None, words, None);
        Ok(())
    }

    /// Runs at the first rate, for comparison with the same rate at the end.
    pub(super) fn sentinel(&mut self) -> Result<Measured, Halt> {
        if !self.has_time_for_sentinel() {
            return Err(self.used_up());
        }
        let why = "at the start and at the end, to see drift".to_owned();
        let order =
            self.order(Kind::Sentinel, Some(self.first), vec![self.settings.sentinel_s], why);
        let mut seconds = Vec::new();
        let outcome = self.carried_out(&order, &mut |second| {
            seconds.push(second.clone());
            ControlFlow::Continue(())
        })?;
        let measured = outcome.measured.clone();
        let words = format!("mean service time {:.3} ms", 1e3 * measured.service.mean_s);
        self.keep(order, outcome, &seconds, None, Verdict::None, words, None);
        Ok(measured)
    }

    /// Runs the closing sentinel, if it is still possible.
    pub(super) fn closing_sentinel(&mut self) {
        if self.before.is_some() {
            self.after = self.sentinel().ok();
        }
    }

    /// Doubles the rate until it is too high, or halves it until it is not. Returns whether the limit was passed.
    pub(super) fn ramp(&mut self) -> Result<bool, Halt> {
        self.ramp_from(self.first, false)
    }

    /// The same from another rate; `passed` is whether a lower rate passed.
    pub(super) fn ramp_from(&mut self, first: f64, passed: bool) -> Result<bool, Halt> {
        let mut at = first;
        let mut passed = passed;
        loop {
            let why = if passed { "twice what passed" } else { "is this too much already?" };
            let wish = StepParameters {
                kind: Kind::Ramp,
                rate: at,
                looks: vec![self.settings.ramp_s],
                why: why.to_owned(),
            };
            let verdict = self.evidence(wish)?;
            if verdict == Verdict::Void {
                if passed {
                    return Ok(false);
                }
            } else if self.last_w() > 0.5 {
                passed = true;
            } else if passed {
                return Ok(true);
            }
            if passed {
                let highest = self.highest();
                if self.failed_before(at) {
                    return Ok(true);
                }
                if at >= highest {
                    return Ok(false);
                }
                at = (2.0 * at).min(highest);
            } else {
                at /= 2.0;
                if at < self.first / LOWEST {
                    return Err(Halt::Final(Answer::NothingPasses { tried: 2.0 * at }));
                }
            }
        }
    }

    /// Whether a higher rate failed before, on the way down.
    fn failed_before(&self, at: f64) -> bool {
        self.observations.iter().any(|observation| observation.rate > at && observation.w <= 0.5)
    }

    /// The highest rate that may be tried.
    pub(super) fn highest(&self) -> f64 {
        self.cap.as_ref().map_or(f64::INFINITY, |cap| cap.rate)
    }
}

/// Whether the last `many` seconds were no better than as many before.
fn is_settled(seconds: &[Second], many: usize) -> bool {
    let Some(start) = seconds.len().checked_sub(2 * many) else { return false };
    let mean = |seconds: &[Second]| {
        let sum: f64 = seconds.iter().map(|second| second.response_s).sum();
        let count: u64 = seconds.iter().map(|second| second.responses).sum();
        if count > 0 { sum / count as f64 } else { f64::INFINITY }
    };
    let (before, last) = seconds[start..].split_at(many);
    mean(last) >= BETTER * mean(before)
}
