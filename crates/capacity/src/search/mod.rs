//! The search for the highest rate: [`find`].
//!
//! It begins with the unloaded target, doubles the rate until it is too high, narrows the estimate by a posterior
//! over all steps, confirms a rate a little below it, and shows that one a little above fails. After each failure it
//! waits until the target has recovered, since overload can outlive its cause. The trial decides how a step is made;
//! this module decides which steps are made, and in which order.

mod budget;
mod calm;
mod confirm;
mod narrow;
mod opening;
mod steps;

pub(crate) use steps::void;

use crate::found::{Answer, Drift, Found, Knee};
use crate::measured::Measured;
use crate::objective::{Goals, Objectives};
use crate::order::Kind;
use crate::posterior::{self, Observation};
use crate::progress::{Estimate, Progress};
use crate::settings::Settings;
use crate::step::Step;
use crate::trial::Trial;
use crate::verdict::Verdict;
use std::sync::Arc;

/// Searches for the highest rate at which the trial's target meets these goals.
pub fn find(goals: &Goals, settings: &Settings, trial: &mut dyn Trial) -> Found {
    let mut search = Search::new(goals, settings, trial);
    let answer = match search.run() {
        Ok(answer) | Err(Halt::Final(answer)) => answer,
        Err(Halt::Stopped(why)) => search.after_stop(why),
    };
    let ends_well = !matches!(
        answer,
        Answer::Away { .. }
            | Answer::Interrupted
            | Answer::Protected { .. }
            | Answer::NotRecovered { .. }
    );
    if ends_well && !search.disturbed {
        search.closing_sentinel();
    }
    search.found(answer)
}

/// Why a search ends early.
enum Halt {
    /// The search ends with this answer.
    Final(Answer),
    /// There is no time left, or there are no steps left: what is confirmed already is claimed.
    Stopped(String),
}

/// Something other than the target that prevents a higher rate.
#[derive(Clone, Debug, PartialEq)]
struct Cap {
    /// The rate that must not be exceeded.
    rate: f64,
    /// Whether the rate itself may be tried.
    inclusive: bool,
    /// What prevents a higher rate.
    why: String,
}

/// A search in progress.
struct Search<'a> {
    goals: &'a Goals,
    settings: &'a Settings,
    trial: &'a mut dyn Trial,
    objectives: Arc<Objectives>,
    unloaded: Measured,
    steps: Vec<Step>,
    observations: Vec<Observation>,
    elapsed_s: f64,
    /// The factor by which looks are longer than at first, because short ones misled.
    stretch: u32,
    cap: Option<Cap>,
    /// Whether the generator limited a step, so that later steps use all cores.
    all_cores: bool,
    /// The first rate: low enough not to stress the target.
    first: f64,
    /// Whether the objectives were met before the target was stressed.
    calm_at_first: bool,
    before: Option<Measured>,
    after: Option<Measured>,
    claim: Option<ConfirmedRate>,
    remarks: Vec<String>,
    /// Whether time ran out before the target had recovered, so that a sentinel would show nothing.
    disturbed: bool,
}

/// A rate at which a confirmation passed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ConfirmedRate {
    rate: f64,
    confirmed_s: f64,
}

impl<'a> Search<'a> {
    fn new(goals: &'a Goals, settings: &'a Settings, trial: &'a mut dyn Trial) -> Self {
        let highest = settings.highest();
        let cap = highest.is_finite().then(|| Cap {
            rate: highest,
            inclusive: true,
            why: match settings.to {
                Some(to) if to <= highest => format!("no more than {} was to be tried", rate(to)),
                _ => {
                    "more is above 80% of what this generator manages (brunt calibrate)".to_owned()
                }
            },
        });
        Self {
            goals,
            settings,
            trial,
            objectives: Arc::new(goals.fixed()),
            unloaded: Measured::default(),
            steps: Vec::new(),
            observations: Vec::new(),
            elapsed_s: 0.0,
            stretch: 1,
            cap,
            all_cores: false,
            first: 0.0,
            calm_at_first: true,
            before: None,
            after: None,
            claim: None,
            remarks: Vec::new(),
            disturbed: false,
        }
    }

    fn run(&mut self) -> Result<Answer, Halt> {
        self.baseline()?;
        self.settle()?;
        self.before = Some(self.sentinel()?);
        let bounded = self.ramp()?;
        if !bounded && let Some(answer) = self.beneath_cap()? {
            return Ok(answer);
        }
        self.narrow()
    }

    /// The limit that is most likely so far: where to try next.
    fn estimate(&self) -> Option<Estimate> {
        posterior::estimate(&self.observations)
    }

    /// The highest rate with evidence for it, below `below`.
    fn passed(&self, below: f64) -> Option<f64> {
        let passed = self
            .observations
            .iter()
            .filter(|observation| observation.w > 0.5 && observation.rate < below);
        passed.map(|observation| observation.rate).max_by(f64::total_cmp)
    }

    /// The highest rate at which a step passed, and did not only look as if it might, below `below`.
    fn shown(&self, below: f64) -> Option<f64> {
        let passed =
            self.observations.iter().filter(|observation| observation.verdict == Verdict::Pass);
        passed
            .map(|observation| observation.rate)
            .filter(|rate| *rate < below)
            .max_by(f64::total_cmp)
    }

    fn failed(&self, above: f64) -> Option<f64> {
        let steps = self.steps.iter().filter(|step| step.verdict == Verdict::Fail);
        let rates =
            steps.filter(|step| step.order.kind.is_evidence()).filter_map(|step| step.order.rate);
        rates.filter(|rate| *rate > above).min_by(f64::total_cmp)
    }

    /// The lowest rate above a claim that failed beyond doubt. Close to the limit a step can fail by chance, and a
    /// short one at some distance from it: so a step above the claim must have missed an objective in the whole of its
    /// time, and another one must be further away.
    fn fails(&self, claim: f64) -> Option<f64> {
        let above = self.settings.above;
        let beyond_doubt = |step: &&Step| {
            let least = if step.order.kind == Kind::Above { above } else { above * above };
            let missed = step.evidence.as_ref().is_some_and(|evidence| evidence.missed);
            let far = step.order.rate.is_some_and(|rate| rate >= claim * least * (1.0 - 1e-9));
            step.verdict == Verdict::Fail && step.order.kind.is_evidence() && missed && far
        };
        let rates = self.steps.iter().filter(beyond_doubt).filter_map(|step| step.order.rate);
        rates.min_by(f64::total_cmp)
    }

    fn progress(&self) -> Progress {
        Progress {
            elapsed_s: self.elapsed_s,
            budget_s: self.settings.budget_s,
            passed: self.passed(f64::INFINITY),
            failed: self.failed(0.0),
            estimate: posterior::interval(&self.observations),
        }
    }

    /// The answer after time or steps ran out.
    fn after_stop(&mut self, why: String) -> Answer {
        match self.claim {
            // No rate above it failed, because none was tried.
            Some(claim) if self.fails(claim.rate).is_none() => {
                Answer::Floor { rate: claim.rate, confirmed: true, why }
            }
            Some(claim) => {
                self.remarks.push(format!("the search ended early: {why}"));
                self.claimed(claim)
            }
            None => Answer::NoClaim { why },
        }
    }

    fn claimed(&mut self, claim: ConfirmedRate) -> Answer {
        let fails_at = self.fails(claim.rate);
        if fails_at.is_none() {
            self.remarks.push(
                "the edge is soft: no rate above the claim could be shown to fail".to_owned(),
            );
        }
        Answer::Claim { rate: claim.rate, confirmed_s: claim.confirmed_s, fails_at }
    }

    fn found(self, answer: Answer) -> Found {
        let drift = drift(self.before.as_ref(), self.after.as_ref());
        let mut remarks = self.remarks;
        if let Answer::Claim { confirmed_s, .. } = answer {
            remarks.push(format!(
                "confirmed for {confirmed_s:.0} s: what happens less often than every {:.0} s may have been missed",
                confirmed_s / 10.0
            ));
        }
        Found {
            answer,
            objectives: self.objectives,
            estimate: posterior::interval(&self.observations),
            knee: knee(&self.steps),
            drift,
            remarks,
            took_s: self.elapsed_s,
            steps: self.steps,
        }
    }
}

/// A rate, formatted for people.
pub fn rate(rate: f64) -> String {
    let text = if rate >= 100.0 { format!("{rate:.0}") } else { format!("{rate:.1}") };
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}/s")
}

/// A smaller difference of two mean service times is not attributed to the target: a reader that sleeps takes longer to
/// be woken.
const WAKE_UP_S: f64 = 10e-6;

/// The target at the end, compared with its start.
///
/// A service time ends when the generator sees the answer, so it includes the generator's own reaction time, which
/// differs from run to run. That time is known from exchanges that were sent too late: a smaller difference is not
/// called drift.
pub(crate) fn drift(before: Option<&Measured>, after: Option<&Measured>) -> Option<Drift> {
    let (before, after) = (before?, after?);
    let own_s = before.lateness_p50_s.max(after.lateness_p50_s).max(WAKE_UP_S);
    let (before, after) = (before.service, after.service);
    if before.count == 0 || after.count == 0 {
        return None;
    }
    let error = |times: crate::Times| times.deviation_s.powi(2) / times.count as f64;
    let apart = (after.mean_s - before.mean_s).abs();
    let drifted = apart > own_s
        && apart > 0.05 * before.mean_s
        && apart > 3.0 * (error(before) + error(after)).sqrt();
    Some(Drift { before_s: before.mean_s, after_s: after.mean_s, drifted })
}

/// The valid step of greatest power.
pub(crate) fn knee(steps: &[Step]) -> Option<Knee> {
    let valid = steps.iter().filter(|step| {
        step.order.kind.is_evidence()
            && step.verdict != Verdict::Void
            && step.measured.response.mean_s > 0.0
    });
    let knees = valid.filter_map(|step| {
        let (achieved, mean_s) = (step.measured.achieved?, step.measured.response.mean_s);
        Some((achieved / mean_s, Knee { rate: step.order.rate?, mean_s }))
    });
    knees.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, knee)| knee)
}

/// The observation of a step.
fn observation_of(step: &Step) -> Option<Observation> {
    let (rate, evidence) = (step.order.rate?, step.evidence.as_ref()?);
    let counts = matches!(step.order.kind, Kind::Ramp | Kind::Search | Kind::Confirm | Kind::Above);
    (counts && step.verdict != Verdict::Void).then_some(Observation {
        rate,
        w: evidence.w,
        long: step.order.kind == Kind::Confirm,
        verdict: step.verdict,
    })
}
