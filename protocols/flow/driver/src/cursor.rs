//! [`Cursor`]: where a user is in its flow, from step to step and iteration to iteration.
//!
//! Pauses are added up on the way to the next step that is an exchange. After a failure the remaining steps are still
//! visited, so that each is skipped and counted. The wait between two iterations belongs to no step, and also follows a
//! failure. A cursor must not depend on what a step sends.

mod steer;

use super::compiled_flow::CompiledFlow;
use super::counters::{FlowCounters, InPhase};
use super::journey::{Gathered, Journey};
use super::mix::Mix;
use super::own_load::OwnLoads;
use super::pause::Pause;
use super::plan::{AfterFailure, Iterations, Step};
use super::source::{DrawContext, Exhausted};
use super::step_id::StepId;
use super::variables::Variables;
use brunt_exchange::{Moment, Outcome};
use std::time::Duration;
pub(super) use steer::Surroundings;

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Upcoming {
    /// Not determined yet.
    Unknown,
    /// A step, after a pause of this length.
    Step(StepId, Duration),
    /// The next arrival decides.
    Arrival,
    /// Nothing more.
    Nothing,
}

/// How the iterations of one run begin, if a flow is executed several times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IterationStart {
    /// The number of the first iteration of the closed model, so that no iteration repeats the data of a previous run.
    /// Arrivals have their own numbers.
    pub first: u64,
    /// Whether iterations begin with arrivals (the open model) or when a user is free (the closed model).
    pub arrivals: bool,
}

/// The position of a user.
#[derive(Debug)]
pub(super) struct Cursor {
    user: u32,
    iteration_start: IterationStart,
    mix: Mix,
    /// How many iterations this user has begun.
    begun: u64,
    /// The next step of the current iteration.
    at: Option<StepId>,
    /// Whether the rest of the iteration is skipped, because a step has failed.
    skips: bool,
    /// Whether a step of the iteration has failed.
    failed: bool,
    /// The total time of its pauses so far.
    paused: Duration,
    upcoming: Upcoming,
    /// The phase of the run in which the last step was due; `None` before the first.
    phase: InPhase,
    /// Whether no exchange of the iteration was made yet.
    fresh: bool,
    /// The state of an iteration with groups, branches or repetitions.
    journey: Option<Box<Journey>>,
    /// What follows in the iteration, if that was determined in advance.
    following: Option<(Option<StepId>, Duration)>,
    /// The time when what follows was last asked for, if values expire or scenarios have loads of their own.
    now: Moment,
    /// The beginning of the run, once it has begun.
    origin: Option<Moment>,
    /// How long after that the iteration is due, if its scenario has arrivals of its own.
    due: Option<Duration>,
}

impl Cursor {
    /// Creates the cursor of user `user`, at the beginning of a run.
    pub(super) fn new(user: u32, iteration_start: IterationStart) -> Self {
        Self {
            user,
            iteration_start,
            mix: Mix::default(),
            begun: 0,
            at: None,
            skips: false,
            failed: false,
            paused: Duration::ZERO,
            upcoming: Upcoming::Unknown,
            phase: None,
            fresh: true,
            journey: None,
            following: None,
            now: Moment::ZERO,
            origin: None,
            due: None,
        }
    }

    /// Takes the first time that is given here as the beginning of the run.
    #[inline]
    pub(super) fn begun_by(&mut self, now: Moment) {
        self.origin.get_or_insert(now);
    }

    /// When the iteration that has not begun yet is due, if its scenario has arrivals of its own.
    #[inline]
    pub(super) fn due(&self) -> Option<Moment> {
        self.due.filter(|_| self.fresh).map(|due| self.origin.unwrap_or(self.now) + due)
    }

    /// Whether the user performs another iteration of a scenario with a load of its own, after this time.
    fn more_of_own(&mut self, own: &OwnLoads, after: Duration) -> bool {
        let Some(load) = own.of(self.user) else { return false };
        let passed = self.origin.map_or(Duration::ZERO, |origin| self.now - origin);
        if let Some(arrivals) = &load.arrivals {
            let over = load.ends.is_some_and(|end| passed >= end);
            self.due = if over { None } else { arrivals.take().map(|due| load.start + due) };
            return self.due.is_some();
        }
        let begins = passed.saturating_add(after).max(own.begins(self.user));
        load.ends.is_none_or(|end| begins < end)
            && load.iterations.is_none_or(|count| self.begun < count)
    }

    /// Sets the time from which the expiry of values is judged.
    pub(super) fn at_time(&mut self, now: Moment) {
        self.now = now;
    }

    /// Records that a step of this phase is due: subsequent counts belong to this phase.
    pub(super) fn due_in(&mut self, phase: u8) {
        self.phase = Some(phase);
    }

    /// The phase that counts belong to.
    pub(super) fn phase(&self) -> InPhase {
        self.phase
    }

    /// Whether the next step must be skipped.
    pub(super) fn skips(&self) -> bool {
        self.skips
    }

    /// The total time of the iteration's pauses so far.
    pub(super) fn paused(&self) -> Duration {
        self.paused
    }

    /// What comes next. It is determined once: calling this again changes nothing until the step is
    /// [`done`](Self::done).
    #[inline]
    pub(super) fn upcoming(
        &mut self,
        compiled: &CompiledFlow,
        counters: &FlowCounters,
        variables: &mut Variables,
    ) -> Upcoming {
        if matches!(self.upcoming, Upcoming::Unknown) {
            self.upcoming = self.next(compiled, counters, variables);
        }
        self.upcoming
    }

    /// Begins the iteration of an arrival and returns its first step. A pause before that step is not made, because the
    /// schedule determines the moment of the arrival.
    pub(super) fn arrive(
        &mut self,
        number: u64,
        compiled: &CompiledFlow,
        counters: &FlowCounters,
        variables: &mut Variables,
    ) -> Result<Option<StepId>, Exhausted> {
        self.begin(number, compiled, counters, variables)?;
        let mut around = Surroundings::new((compiled, counters), variables, self.now);
        let (id, _) = self.next_act(&mut around);
        self.upcoming = id.map_or(Upcoming::Arrival, |id| Upcoming::Step(id, Duration::ZERO));
        Ok(id)
    }

    /// Records that the current step is done. If it failed, the rest of the iteration is skipped.
    pub(super) fn done(&mut self, id: StepId, failed: bool, compiled: &CompiledFlow) {
        let scenario = &compiled.flow().scenarios[id.scenario];
        self.failed |= failed;
        self.skips |= failed && scenario.after_failure == AfterFailure::Skip;
        self.at = Some(StepId { step: id.step + 1, ..id });
        self.upcoming = Upcoming::Unknown;
        (self.fresh, self.following) = (false, None);
        if let Some(journey) = &mut self.journey {
            journey.step_over();
            if std::mem::take(&mut journey.empty) {
                self.at = None;
            }
        }
    }

    /// Records that the current step comes again after this pause; `tried` is whether an attempt of it has failed.
    pub(super) fn again(
        &mut self,
        id: StepId,
        pause: Option<&Pause>,
        around: &Surroundings<'_>,
        tried: bool,
    ) {
        if tried {
            self.journey().tried();
        }
        let time = pause.map_or(Duration::ZERO, |pause| {
            self.makes_of(pause, around.compiled.pause_between(pause), id, around)
        });
        self.fresh = false;
        self.upcoming = Upcoming::Step(id, time);
    }

    /// Determines what follows in the iteration now, so that what ends with the exchange is measured with it.
    pub(super) fn look_ahead(
        &mut self,
        compiled: &CompiledFlow,
        counters: &FlowCounters,
        variables: &mut Variables,
    ) {
        if self.at.is_some() && self.following.is_none() && self.upcoming == Upcoming::Unknown {
            let mut around = Surroundings::new((compiled, counters), variables, self.now);
            self.following = Some(self.next_act(&mut around));
        }
    }

    /// Whether no exchange of the iteration was made yet.
    pub(super) fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Whether the current step was performed before, and comes again.
    pub(super) fn is_repeat(&self) -> bool {
        self.journey.as_ref().is_some_and(|journey| journey.is_repeat())
    }

    /// Whether the current step is performed together with others.
    pub(super) fn is_together(&self) -> bool {
        self.journey.as_ref().is_some_and(|journey| !journey.gathered.steps.is_empty())
    }

    /// The steps that are performed at once, if the current step is one of them.
    pub(super) fn gathered(&self) -> Option<&Gathered> {
        self.journey.as_ref().map(|journey| &journey.gathered)
    }

    /// How often the iteration returned to a step.
    pub(super) fn turns(&self) -> u64 {
        self.journey.as_ref().map_or(0, |journey| journey.turns())
    }

    /// The open groups in words; empty if there is none.
    pub(super) fn within(&self, compiled: &CompiledFlow) -> String {
        let journey = self.journey.as_ref();
        journey.map(|journey| journey.within(&compiled.flow().groups)).unwrap_or_default()
    }

    /// Whether the iteration is over; known after [`look_ahead`](Self::look_ahead).
    pub(super) fn is_over(&self) -> bool {
        self.at.is_none()
    }

    /// Whether the iteration makes no exchange at all.
    pub(super) fn is_empty(&self) -> bool {
        self.journey.as_ref().is_some_and(|journey| journey.empty)
    }

    /// Records that an exchange begins.
    pub(super) fn act_begins(&mut self, now: Moment) {
        if let Some(journey) = &mut self.journey {
            journey.act_begins(now, self.paused);
        }
    }

    /// Records that an exchange was performed, and whether its outcome counts.
    pub(super) fn act_ended(&mut self, now: Moment, outcome: Outcome, counts: bool) {
        if let Some(journey) = &mut self.journey {
            journey.act_ended(now, self.paused, outcome, counts);
        }
    }

    /// The state of the iteration, if it has groups, branches or repetitions.
    pub(super) fn journey_mut(&mut self) -> Option<&mut Journey> {
        self.journey.as_deref_mut()
    }

    /// Returns an iteration to those that all users share, if it was taken and none of its steps was performed. A later
    /// run may use it.
    pub(super) fn give_back(&mut self, compiled: &CompiledFlow) {
        let unbegun = self.at.take().is_some() && self.fresh;
        if let Iterations::Shared(pool) = &compiled.flow().iterations
            && unbegun
        {
            pool.give_back();
        }
    }

    fn next(
        &mut self,
        compiled: &CompiledFlow,
        counters: &FlowCounters,
        variables: &mut Variables,
    ) -> Upcoming {
        let flow = compiled.flow();
        let mut after = Duration::ZERO;
        loop {
            let following = self.following.take().or_else(|| {
                self.at.is_some().then(|| {
                    self.next_act(&mut Surroundings::new(
                        (compiled, counters),
                        &mut *variables,
                        self.now + after,
                    ))
                })
            });
            if let Some((id, paused)) = following {
                after = after.saturating_add(paused);
                if let Some(id) = id {
                    return Upcoming::Step(id, after);
                }
                if !self.iteration_start.arrivals {
                    after = after.saturating_add(self.between(compiled, counters));
                }
            }
            if self.iteration_start.arrivals {
                return Upcoming::Arrival;
            }
            let more = match (&flow.own, &flow.iterations) {
                (Some(own), _) => self.more_of_own(own, after),
                (None, Iterations::Endless) => true,
                (None, Iterations::Each(count)) => self.begun < *count,
                (None, Iterations::Shared(pool)) => pool.take(),
            };
            let place = u64::from(self.user) + u64::from(flow.users.max(1)) * self.begun;
            let number = self.iteration_start.first.wrapping_add(place);
            if !more
                || self.begin(number, compiled, counters, variables).is_err()
                || self.at.is_none()
            {
                return Upcoming::Nothing;
            }
        }
    }

    /// Begins an iteration; if there is none, the cursor is at its end.
    fn begin(
        &mut self,
        number: u64,
        compiled: &CompiledFlow,
        counters: &FlowCounters,
        variables: &mut Variables,
    ) -> Result<(), Exhausted> {
        let flow = compiled.flow();
        (self.at, self.skips, self.failed, self.paused) = (None, false, false, Duration::ZERO);
        (self.fresh, self.following) = (true, None);
        if compiled.is_steered() {
            self.journey().begin();
        }
        let scenario = match &flow.own {
            Some(own) => Some(own.scenario(self.user)),
            None => self.mix.next(&flow.order, flow.scenarios.len(), flow.seed, number),
        };
        let Some(scenario) = scenario else { return Ok(()) };
        let place = DrawContext {
            iteration: number,
            user: self.user,
            users: flow.users,
            turn: self.begun,
            ..DrawContext::default()
        };
        self.begun += 1;
        variables.begin_iteration(compiled, place)?;
        // An iteration of a scenario with a load of its own begins when it is due, which may be later.
        if flow.own.is_none() {
            counters.begun(self.phase, scenario);
        }
        self.at = Some(StepId { scenario, step: 0 });
        Ok(())
    }

    /// The next step that is an exchange, and the total time of the pauses before it. If there is none, the iteration
    /// is over.
    fn next_act(&mut self, around: &mut Surroundings<'_>) -> (Option<StepId>, Duration) {
        let mut after = Duration::ZERO;
        let Some(mut id) = self.at else { return (None, after) };
        let compiled = around.compiled;
        let scenario = &compiled.flow().scenarios[id.scenario];
        while let Some(step) = scenario.steps.get(id.step) {
            match step {
                Step::Exchange(_) => {
                    if let (Some(pause), false) = (compiled.code_pause(), self.skips) {
                        let wait = self.waits_for_code((id, pause), after, around);
                        after = after.saturating_add(wait);
                    }
                    self.at = Some(id);
                    return (Some(id), after);
                }
                Step::Pause(pause) => {
                    after = after.saturating_add(self.makes(pause, id, around));
                    id.step += 1;
                }
                Step::Control(control) => {
                    around.after = after;
                    let (to, paused) = self.steer(control, id, around);
                    after = after.saturating_add(paused);
                    id.step = to;
                }
            }
        }
        around.counters.completed(self.phase, id.scenario);
        if self.failed {
            around.counters.failed(self.phase, id.scenario);
        }
        let journey = self.journey.as_mut().filter(|_| self.fresh && compiled.is_steered());
        if let Some(journey) = journey {
            // An iteration that sends nothing is one skipped exchange: otherwise a user whose iterations all send
            // nothing would never come to an end.
            journey.empty = true;
            let (step, _) = compiled.ends(id.scenario);
            self.at = Some(StepId { step, ..id });
            return (self.at, after);
        }
        self.at = None;
        (None, after)
    }

    /// The pause until the period of the one-time password that a step uses, if the password of this period was used.
    fn waits_for_code(
        &mut self,
        (id, pause): (StepId, usize),
        after: Duration,
        around: &mut Surroundings<'_>,
    ) -> Duration {
        let wait = around.variables.set_codes_aside(around.compiled, id, after);
        if !wait.is_zero() {
            around.counters.paused(self.phase, pause, wait);
            self.paused = self.paused.saturating_add(wait);
        }
        wait
    }

    /// Makes a pause, unless the rest of the iteration is skipped; returns its duration.
    fn makes(&mut self, pause: &Pause, id: StepId, around: &Surroundings<'_>) -> Duration {
        let number = around.compiled.pause(id);
        self.makes_of(pause, number, id, around)
    }

    /// The same for a pause with this number among the counters.
    fn makes_of(
        &mut self,
        pause: &Pause,
        number: usize,
        id: StepId,
        around: &Surroundings<'_>,
    ) -> Duration {
        if self.skips {
            around.counters.pause_skipped(self.phase, number);
            return Duration::ZERO;
        }
        let turn = mixed(self.begun, id.step);
        let turn = match &self.journey {
            Some(journey) if journey.turns() > 0 => {
                brunt_exchange::chance::mix(turn, journey.turns())
            }
            _ => turn,
        };
        let time = pause.time.pause(around.compiled.flow().seed, self.user, turn);
        around.counters.paused(self.phase, number, time);
        self.paused = self.paused.saturating_add(time);
        time
    }

    /// How long the user waits after the completed iteration.
    fn between(&self, compiled: &CompiledFlow, counters: &FlowCounters) -> Duration {
        let flow = compiled.flow();
        let back_off = flow.between.back_off.as_ref().filter(|_| self.failed);
        let think = match &flow.own {
            Some(own) => own.of(self.user).and_then(|load| load.think.as_ref()),
            None => flow.between.think.as_ref(),
        };
        let pauses = think.into_iter().map(|think| (think, THINK_TURN));
        let mut after = Duration::ZERO;
        for (pause, turn) in pauses.chain(back_off.map(|pause| (pause, BACK_OFF_TURN))) {
            let time = pause.time.pause(flow.seed, self.user, mixed(self.begun, turn));
            counters.paused(self.phase, compiled.pause_between(pause), time);
            after = after.saturating_add(time);
        }
        after
    }
}

/// Used in place of a step number for pauses that belong to no step.
const THINK_TURN: usize = usize::MAX;
const BACK_OFF_TURN: usize = usize::MAX - 1;

/// The turn of a pause: different for each step of each iteration.
fn mixed(begun: u64, step: usize) -> u64 {
    brunt_exchange::chance::mix(begun, step as u64)
}

#[cfg(test)]
mod tests;
