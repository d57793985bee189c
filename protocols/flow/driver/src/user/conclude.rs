//! The end of a step: its outcome, the counts, and what ends with it: groups and the iteration.

use super::{ITERATION, ITERATION_WORK, User};
use crate::counters::StepResult;
use crate::plan::{ExchangeStep, Times};
use crate::step_id::StepId;
use brunt_exchange::{Class, Moment, Outcome, Watch};
use brunt_http_driver as http;
use std::rc::Rc;
use std::time::Duration;

/// How a step ended, for the counts.
struct Counted {
    result: StepResult,
    outcome: Outcome,
    took: Duration,
}

impl User {
    /// Ends a step that was performed, and counts it.
    pub(super) fn conclude(
        &mut self,
        id: StepId,
        act: &ExchangeStep,
        outcome: Outcome,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        let context = Rc::clone(&self.context);
        let mut counted = self.timed(act, outcome, watch);
        let failed = !matches!(counted.outcome, Outcome::Ok(_));
        if context.compiled.is_steered() {
            self.cursor.act_ended(watch.now(), counted.outcome, true);
        }
        self.cursor.done(id, failed, &context.compiled);
        if context.compiled.is_steered() {
            self.look_ahead();
            if let (Some(why), Outcome::Ok(code)) = (self.exceeded(), counted.outcome) {
                watch.explain(format_args!("{why}"));
                counted.result = StepResult::Failed;
                counted.outcome = Outcome::Failed(Class::Check, code);
            }
        }
        let Counted { result, outcome, took } = counted;
        context.counters.ended(self.cursor.phase(), act.operation, result, took);
        outcome
    }

    /// Why the step that was performed last failed after all, if a repetition came to its maximum.
    fn exceeded(&mut self) -> Option<String> {
        self.cursor.journey_mut().and_then(|journey| journey.exceeded.take())
    }

    /// Determines what follows in the iteration.
    fn look_ahead(&mut self) {
        let context = &self.context;
        self.cursor.look_ahead(&context.compiled, &context.counters, &mut self.variables);
    }

    /// Measures the groups that ended with the exchange, and the iteration if it did.
    pub(super) fn measure(&mut self, watch: &mut Watch<'_>) {
        self.look_ahead();
        let over = self.cursor.is_over() && !self.cursor.skips();
        let Some(journey) = self.cursor.journey_mut() else { return };
        journey.take_ended().for_each(|(span, outcome, took)| watch.span(span, outcome, took));
        let (ended, paused) = journey.last();
        if over && journey.performed() > 1 {
            self.measure_iteration(ended, paused, watch);
        }
    }

    /// Records the duration of an iteration, which was completed and has more than one exchange.
    pub(super) fn measure_iteration(&self, ended: Moment, paused: Duration, watch: &mut Watch<'_>) {
        let took = ended - self.began;
        watch.part(ITERATION, took);
        if self.context.compiled.pauses_inside() {
            let paused = paused.saturating_sub(self.paused_before);
            watch.part(ITERATION_WORK, took.saturating_sub(paused));
        }
    }

    /// How a step ended; a step that was too late has not passed.
    fn timed(&self, act: &ExchangeStep, outcome: Outcome, watch: &mut Watch<'_>) -> Counted {
        let times = self.context.compiled.flow().times;
        if act.threshold.is_none() && times == Times::None {
            let passed = matches!(outcome, Outcome::Ok(_));
            let result = if passed { StepResult::Passed } else { StepResult::Failed };
            return Counted { result, outcome, took: Duration::ZERO };
        }
        let ended = watch.ended_at().unwrap_or_else(|| watch.now());
        watch.ended_as(ended);
        let service = watch.began_at().map_or(Duration::ZERO, |began| ended - began);
        let took = match times {
            Times::Coarse => {
                let millis = (service + self.opening + reopening(watch)).as_millis();
                Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
            }
            Times::None | Times::Service => service,
        };
        let late = act.threshold.is_some_and(|threshold| took > threshold);
        let (result, outcome) = match outcome {
            Outcome::Ok(code) if late => {
                watch.explain(format_args!(
                    "{took:?} is longer than the {:?} it may take",
                    act.threshold.unwrap_or_default()
                ));
                (StepResult::Exceeded, Outcome::Failed(Class::Exceeded, code))
            }
            Outcome::Ok(_) => (StepResult::Passed, outcome),
            Outcome::TimedOut => (StepResult::Exceeded, outcome),
            // LoadGen checks the time before it checks the answer.
            _ if late && times == Times::Coarse => (StepResult::Exceeded, outcome),
            _ => (StepResult::Failed, outcome),
        };
        Counted { result, outcome, took }
    }
}

/// How long it took to reopen a connection before the request was sent. Reopening after that is part of the request's
/// own time.
fn reopening(watch: &Watch<'_>) -> Duration {
    let reconnects = watch.parts().iter().filter(|(part, _)| *part == http::RECONNECT);
    let before = reconnects.clone().count().saturating_sub(watch.times_resent() as usize);
    reconnects.take(before).map(|(_, took)| *took).sum()
}
