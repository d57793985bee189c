//! The end of a step: its outcome, the counts, and what ends with it: groups and the iteration.

use super::{ITERATION, ITERATION_WORK, User};
use crate::counters::StepResult;
use crate::cursor::Surroundings;
use crate::pause::Pause;
use crate::plan::{ExchangeStep, Times};
use crate::poll::{Pending, Poll};
use crate::step_id::StepId;
use brunt_exchange::{Class, Moment, Outcome, ThinkTime, Watch};
use brunt_http_driver as http;
use std::rc::Rc;
use std::time::Duration;

/// How a step ended, for the counts.
pub(super) struct Counted {
    pub(super) result: StepResult,
    pub(super) outcome: Outcome,
    pub(super) took: Duration,
}

impl User {
    /// Ends a step that was performed, and counts it.
    #[inline]
    pub(super) fn conclude(
        &mut self,
        id: StepId,
        act: &ExchangeStep,
        outcome: Outcome,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        if self.context.compiled.is_steered() {
            return self.conclude_steered((id, act), outcome, watch);
        }
        let Counted { result, outcome, took } = self.counted(act, outcome, watch);
        let failed = !matches!(outcome, Outcome::Ok(_));
        self.cursor.done(id, failed, &self.context.compiled);
        self.context.counters.ended(self.cursor.phase(), act.operation, result, took);
        outcome
    }

    /// The same in a flow with groups, branches or repetitions, where the step may come again.
    #[inline(never)]
    fn conclude_steered(
        &mut self,
        (id, act): (StepId, &ExchangeStep),
        outcome: Outcome,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        let context = Rc::clone(&self.context);
        if let Some(pending) = self.pending.take()
            && let Some(poll) = &act.poll
        {
            return self.conclude_pending((id, act), (poll, &pending), outcome, watch);
        }
        if let (true, Some(operation)) = (std::mem::take(&mut self.challenged), act.challenge) {
            return self.conclude_challenge((id, operation), outcome, watch);
        }
        let mut counted = self.counted(act, outcome, watch);
        let failed = !matches!(counted.outcome, Outcome::Ok(_));
        if !self.is_tried_again((id, act), counted.outcome, watch.now()) {
            self.cursor.done(id, failed, &context.compiled);
            self.look_ahead(watch.now());
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

    /// Ends a request whose answer demands a nonce: it is made once more, at once.
    fn conclude_challenge(
        &mut self,
        (id, operation): (StepId, u16),
        outcome: Outcome,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        let context = Rc::clone(&self.context);
        let now = watch.now();
        watch.operation(operation);
        self.cursor.act_ended(now, Outcome::Ok(0), false);
        let both = (&*context.compiled, &*context.counters);
        let around = Surroundings::new(both, &mut self.variables, now);
        self.cursor.again(id, None, &around, false);
        context.counters.ended(self.cursor.phase(), operation, StepResult::Passed, Duration::ZERO);
        outcome
    }

    /// Ends a request whose answer means "not yet": it is made again, unless the time for that is over.
    fn conclude_pending(
        &mut self,
        (id, act): (StepId, &ExchangeStep),
        (poll, pending): (&Poll, &Pending),
        outcome: Outcome,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        let context = Rc::clone(&self.context);
        let (phase, now) = (self.cursor.phase(), watch.now());
        let (Outcome::Ok(code), Some(journey)) = (outcome, self.cursor.journey_mut()) else {
            return outcome;
        };
        let (began, answers, longer) = journey.pends(pending.slower_by);
        let every = self.variables.made(&context.compiled, &poll.every);
        let failed = match poll.interval(every) {
            Err(error) => {
                watch.explain(format_args!("poll: 'every' {error}"));
                Some(Class::Check)
            }
            Ok(every) if (now - began).saturating_add(every + longer) > poll.within => {
                let many = if answers == 1 { "answer" } else { "answers" };
                watch.explain(format_args!(
                    "pending after {:?} ({answers} {many}, the last: {})",
                    poll.within, pending.message
                ));
                Some(Class::Pending)
            }
            Ok(every) => {
                let wait = every + longer;
                if let Some(traced) = &mut self.traced {
                    traced.pending = true;
                    watch.explain(format_args!(
                        "not yet ({}), asked again after {wait:?}",
                        pending.message
                    ));
                }
                self.poll_again((id, poll), wait, now);
                None
            }
        };
        let Some(class) = failed else {
            watch.operation(poll.operation);
            let passed = StepResult::Passed;
            context.counters.ended(phase, poll.operation, passed, now - began);
            return outcome;
        };
        let outcome = Outcome::Failed(class, code);
        if let Some(journey) = self.cursor.journey_mut() {
            journey.measure_wait(poll.span, outcome, now);
        }
        self.cursor.act_ended(now, outcome, true);
        self.cursor.done(id, true, &context.compiled);
        context.counters.ended(phase, act.operation, StepResult::Failed, now - began);
        outcome
    }

    fn poll_again(&mut self, (id, poll): (StepId, &Poll), wait: Duration, now: Moment) {
        let context = Rc::clone(&self.context);
        self.cursor.act_ended(now, Outcome::Ok(0), false);
        let wait = Pause { time: ThinkTime::Constant(wait), name: poll.pause.name.clone() };
        let both = (&*context.compiled, &*context.counters);
        let around = Surroundings::new(both, &mut self.variables, now);
        self.cursor.again(id, Some(&wait), &around, false);
    }

    /// Records the end of an attempt; returns whether there is another.
    pub(super) fn is_tried_again(
        &mut self,
        (id, act): (StepId, &ExchangeStep),
        outcome: Outcome,
        now: Moment,
    ) -> bool {
        let mut again = None;
        if let Some(journey) = self.cursor.journey_mut() {
            if let Some(retry) = &act.retry {
                journey.measure_attempt(retry.span, outcome, now);
                again = Some(retry).filter(|retry| retry.follows(outcome, journey.attempts()));
            }
            if let (Some(poll), None) = (&act.poll, again) {
                journey.measure_wait(poll.span, outcome, now);
            }
        }
        self.cursor.act_ended(now, outcome, again.is_none());
        if let Some(retry) = again {
            let context = Rc::clone(&self.context);
            let both = (&*context.compiled, &*context.counters);
            let around = Surroundings::new(both, &mut self.variables, now);
            self.cursor.again(id, retry.pause.as_ref(), &around, true);
        }
        again.is_some()
    }

    /// Why the step that was performed last failed after all, or why the next fails.
    pub(super) fn exceeded(&mut self) -> Option<String> {
        self.cursor.journey_mut().and_then(|journey| journey.exceeded.take())
    }

    /// Determines what follows in the iteration.
    pub(super) fn look_ahead(&mut self, now: Moment) {
        self.cursor.at_time(now);
        let context = &self.context;
        self.cursor.look_ahead(&context.compiled, &context.counters, &mut self.variables);
    }

    /// Fails a step before it is sent: what decides over the way to it could not be determined, and no step was
    /// performed before that could have failed for it.
    #[cold]
    pub(super) fn fail_unsent(
        &mut self,
        (id, act): (StepId, &ExchangeStep),
        why: &str,
        watch: &mut Watch<'_>,
    ) -> Outcome {
        let context = Rc::clone(&self.context);
        if let Some(trace) = &context.compiled.flow().trace {
            self.begin_trace(trace, watch);
        }
        watch.explain(format_args!("{why}"));
        let outcome = Outcome::Failed(Class::Check, 0);
        self.cursor.done(id, true, &context.compiled);
        let counters = &context.counters;
        counters.ended(self.cursor.phase(), act.operation, StepResult::Failed, Duration::ZERO);
        if let Some(traced) = self.traced.take() {
            self.report(id, act, &traced, (outcome, false), watch);
        }
        outcome
    }

    /// Measures the groups that ended with the exchange, and the iteration if it did.
    pub(super) fn measure(&mut self, outcome: Outcome, watch: &mut Watch<'_>) {
        self.look_ahead(watch.now());
        if !matches!(outcome, Outcome::Ok(_) | Outcome::Skipped) {
            // The exchange has failed already.
            self.exceeded();
        }
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
    #[inline]
    pub(super) fn counted(
        &self,
        act: &ExchangeStep,
        outcome: Outcome,
        watch: &mut Watch<'_>,
    ) -> Counted {
        if act.threshold.is_some() || self.context.compiled.flow().times != Times::None {
            return self.timed(act, outcome, watch);
        }
        let passed = matches!(outcome, Outcome::Ok(_));
        let result = if passed { StepResult::Passed } else { StepResult::Failed };
        Counted { result, outcome, took: Duration::ZERO }
    }

    /// The same for a step whose time is measured here.
    #[inline(never)]
    fn timed(&self, act: &ExchangeStep, outcome: Outcome, watch: &mut Watch<'_>) -> Counted {
        let times = self.context.compiled.flow().times;
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
