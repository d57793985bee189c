//! How one step of a search is ordered, observed while it runs, and judged.

use super::{Cap, Halt, Search, observation_of};
use crate::evidence::{Evidence, is_hopeless};
use crate::found::Answer;
use crate::measured::Measured;
use crate::objective::Objectives;
use crate::order::{Kind, Order};
use crate::second::Second;
use crate::step::Step;
use crate::trial::{Ending, Outcome};
use crate::verdict::Verdict;
use brunt_record::Bad;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// The number of consecutive steps without a connection after which the target counts as away.
const UNREACHABLE_MAX: u32 = 3;
/// How long to wait before the next attempt to reach a target that was not reached.
const UNREACHABLE_IDLE: Duration = Duration::from_secs(5);
/// The service time distinguishes busy connections from a busy target: the target is busy if it is slower than
/// unloaded by this factor.
const SERVICE_GROWTH: f64 = 1.5;
/// If connections are the bottleneck, half of the exchanges wait for one, and for more than this share of the response
/// time.
const LAG_SHARE: f64 = 0.02;
/// If connections are the bottleneck, the generator causes no more than this share of the lag.
const OWN_SHARE: f64 = 0.1;

/// The parameters of a step.
pub(super) struct StepParameters {
    pub(super) kind: Kind,
    pub(super) rate: f64,
    /// The seconds after which it is judged; the last look ends it.
    pub(super) looks: Vec<u32>,
    pub(super) why: String,
}

impl Search<'_> {
    /// Makes a step that is evidence about its rate, and waits for the target to recover after a failure. If the
    /// generator limited the step, it is repeated on all cores, which all later steps use as well.
    pub(super) fn evidence(&mut self, wish: StepParameters) -> Result<Verdict, Halt> {
        self.within_steps()?;
        let looks = self.fitting_looks(wish.kind, &wish.looks)?;
        let mut order = self.order(wish.kind, Some(wish.rate), looks, wish.why);
        order.all_cores = self.all_cores;
        let verdict = self.judged(order.clone())?;
        let again = verdict == Verdict::Void && !order.all_cores && !self.is_session_limited();
        let verdict = if again && let Ok(looks) = self.fitting_looks(order.kind, &order.looks) {
            order.number = self.next_number();
            order.seconds = looks.last().copied().unwrap_or_default();
            order.looks = looks;
            (order.all_cores, self.all_cores) = (true, true);
            order.why = format!("again on all cores: the generator was in the way; {}", order.why);
            self.judged(order)?
        } else {
            verdict
        };
        if verdict == Verdict::Void {
            let why = self.steps.last().map(|step| step.why.clone()).unwrap_or_default();
            self.cap = Some(Cap { rate: wish.rate, inclusive: false, why });
        }
        if verdict == Verdict::Fail || self.was_hopeless() {
            self.calm(wish.rate)?;
        }
        Ok(verdict)
    }

    /// The probability that the last step's objectives are met.
    pub(super) fn last_w(&self) -> f64 {
        self.steps.iter().rev().find_map(observation_of).map_or(0.5, |observation| observation.w)
    }

    /// The share of its rate that the last step achieved, if only that kept it from passing.
    pub(super) fn last_made(&self) -> Option<f64> {
        self.steps.last()?.evidence.as_ref()?.short_of
    }

    fn was_hopeless(&self) -> bool {
        let evidence = self.steps.last().and_then(|step| step.evidence.as_ref());
        evidence.is_some_and(|evidence| evidence.at_once || evidence.grows)
    }

    fn next_number(&self) -> u32 {
        self.steps.len() as u32 + 1
    }

    pub(super) fn order(
        &self,
        kind: Kind,
        rate: Option<f64>,
        looks: Vec<u32>,
        why: String,
    ) -> Order {
        Order {
            number: self.next_number(),
            kind,
            rate,
            most: None,
            idle: Duration::ZERO,
            warm_up: Duration::from_secs(self.settings.warm_up_s.into()),
            seconds: looks.last().copied().unwrap_or_default(),
            looks,
            all_cores: false,
            objectives: Arc::clone(&self.objectives),
            why,
        }
    }

    /// Makes a step that is judged at the looks of its order.
    fn judged(&mut self, order: Order) -> Result<Verdict, Halt> {
        let objectives = Arc::clone(&self.objectives);
        let looks = order.looks.clone();
        let whole = self.is_held_to_the_end(order.kind);
        let mut seconds: Vec<Second> = Vec::new();
        let outcome = self.carried_out(&order, &mut |second| {
            seconds.push(second.clone());
            let look = looks.contains(&(seconds.len() as u32));
            let verdict =
                || Evidence::of_step(order.kind, &seconds, &objectives, looks.len()).verdict;
            let decided = is_hopeless(&seconds, &objectives)
                || look
                    && match verdict() {
                        Verdict::Undecided => false,
                        Verdict::Pass => !whole,
                        _ => true,
                    };
            if decided { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let evidence = Evidence::of_step(order.kind, &seconds, &objectives, looks.len());
        let evidence = evidence.with_rate(outcome.measured.made(), &objectives);
        let void = void(&outcome.measured, &self.unloaded, &objectives, &evidence);
        let (verdict, why) = match void {
            Some(why) => (Verdict::Void, why),
            None => (evidence.verdict, evidence.why()),
        };
        self.keep(order, outcome, &seconds, Some(evidence), verdict, why, None);
        Ok(verdict)
    }

    pub(super) fn is_session_limited(&self) -> bool {
        self.steps
            .last()
            .is_some_and(|step| step.measured.limited.is_none() && step.measured.own.is_none())
    }

    /// Makes a step, and repeats it if no session could be opened.
    pub(super) fn carried_out(
        &mut self,
        order: &Order,
        judge: &mut dyn FnMut(&Second) -> ControlFlow<()>,
    ) -> Result<Outcome, Halt> {
        let mut order = order.clone();
        for _ in 1..UNREACHABLE_MAX {
            let outcome = self.trial.step(&order, judge);
            match outcome.ending {
                Ending::Unreachable(_) => {
                    self.elapsed_s += outcome.took_s;
                    order.idle = UNREACHABLE_IDLE;
                }
                _ => return self.ended(outcome),
            }
        }
        let outcome = self.trial.step(&order, judge);
        self.ended(outcome)
    }

    fn ended(&mut self, outcome: Outcome) -> Result<Outcome, Halt> {
        let halted = match &outcome.ending {
            Ending::Done => return Ok(outcome),
            Ending::Interrupted => Answer::Interrupted,
            Ending::Unreachable(why) => Answer::Away { why: why.clone() },
            Ending::Protected(why) => Answer::Protected { why: why.clone() },
        };
        self.elapsed_s += outcome.took_s;
        Err(Halt::Final(halted))
    }

    /// Keeps the result of a step, and reports it to the trial.
    #[expect(clippy::too_many_arguments, reason = "each is a field of the step that is kept")]
    pub(super) fn keep(
        &mut self,
        order: Order,
        outcome: Outcome,
        seconds: &[Second],
        evidence: Option<Evidence>,
        verdict: Verdict,
        why: String,
        recovery_s: Option<f64>,
    ) {
        let step = Step {
            order,
            from_s: self.elapsed_s,
            took_s: outcome.took_s,
            judged_s: seconds.iter().map(|second| second.seconds).sum(),
            seconds: seconds.len(),
            disturbed: (0..seconds.len()).filter(|at| seconds[*at].disturbed).collect(),
            evidence,
            verdict,
            why,
            recovery_s,
            measured: outcome.measured,
            record: outcome.record,
        };
        self.elapsed_s += step.took_s;
        self.observations.extend(observation_of(&step));
        self.steps.push(step);
        let progress = self.progress();
        if let Some(step) = self.steps.last() {
            self.trial.judged(step, &progress);
        }
    }
}

/// Why a step does not measure the target, if that is the case.
pub(crate) fn void(
    measured: &Measured,
    unloaded: &Measured,
    objectives: &Objectives,
    evidence: &Evidence,
) -> Option<String> {
    if let Some(why) = &measured.limited {
        return Some(format!("generator-limited: {why}"));
    }
    if let Some(own) = measured.own.as_ref().filter(|own| own.decides(objectives, evidence)) {
        let why = own.blamed.clone().unwrap_or_else(|| {
            format!("{} would not be missed without brunt's own delays", worst(evidence))
        });
        return Some(format!("generator-limited: {why}"));
    }
    if let Some(disturbed) = evidence.only_disturbed {
        return Some(format!(
            "generator-limited: the rate fails only in the {disturbed} s in which brunt was kept from running (quota, \
             stolen time, or stood still), and in the 2 s after each"
        ));
    }
    let served = measured.service.p50_s < SERVICE_GROWTH * unloaded.service.p50_s;
    let connections = most_wait(measured) || only_waiting_is_late(measured, objectives, evidence);
    (evidence.verdict != Verdict::Pass && served && connections).then(|| {
        format!(
            "session-limited: the target took {:.1} ms, as in the unloaded baseline, and requests waited for a \
             connection before that; use more connections",
            1e3 * measured.service.p50_s
        )
    })
}

fn worst(evidence: &Evidence) -> &str {
    evidence.worst().map_or("an objective", |share| share.objective.as_str())
}

/// Whether most exchanges waited for a connection, and not for the generator.
fn most_wait(measured: &Measured) -> bool {
    let lag = measured.lag_p50_s;
    lag > LAG_SHARE * measured.response.p50_s && measured.lateness_p50_s <= OWN_SHARE * lag
}

/// Whether an objective is missed by response times only, while the target itself was in time for all but a thousandth.
/// If a target stands still now and then, its own service times have that tail too.
fn only_waiting_is_late(measured: &Measured, objectives: &Objectives, evidence: &Evidence) -> bool {
    let missed =
        objectives.iter().zip(&evidence.shares).filter(|(_, share)| share.share > share.allowed);
    let mut limits = missed.map(|(objective, _)| match objective.allowance.bad {
        Bad::Later(limit) => limit.as_secs_f64(),
        _ => 0.0,
    });
    let in_time = |limit: f64| measured.service.count > 0 && measured.service.p999_s < limit;
    limits.next().is_some_and(|first| in_time(first) && limits.all(in_time))
}
