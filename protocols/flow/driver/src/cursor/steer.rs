//! What follows an instruction between steps: groups, branches, repetitions.
//!
//! After a failure the rest of the iteration is skipped. What is conditional then stays unvisited, and a repetition is
//! not repeated, because nothing is known about what would have happened.

use super::Cursor;
use crate::compiled_flow::CompiledFlow;
use crate::control::{Candidate, Choose, Control, Repetition, Times, Together, Weight, When};
use crate::counters::FlowCounters;
use crate::guard::Guard;
use crate::journey::{Gathered, Journey};
use crate::mix::weighted;
use crate::plan::{AfterFailure, Step};
use crate::step_id::StepId;
use crate::value_error::ValueError;
use crate::variables::Variables;
use brunt_exchange::{Class, Moment, Outcome};
use std::time::Duration;

/// What the way through a scenario depends on.
pub(crate) struct Surroundings<'a> {
    pub(crate) compiled: &'a CompiledFlow,
    pub(crate) counters: &'a FlowCounters,
    pub(crate) variables: &'a mut Variables,
    /// The time now, if values expire, and the pauses from now to the step that is looked for.
    pub(crate) now: Moment,
    pub(crate) after: Duration,
}

impl<'a> Surroundings<'a> {
    pub(crate) fn new(
        (compiled, counters): (&'a CompiledFlow, &'a FlowCounters),
        variables: &'a mut Variables,
        now: Moment,
    ) -> Self {
        Self { compiled, counters, variables, now, after: Duration::ZERO }
    }

    /// Whether all conditions hold when the step is due that is looked for.
    fn hold(&mut self, guards: &[Guard]) -> bool {
        if self.compiled.expires() {
            self.variables.expire_early(self.now + self.after);
        }
        self.variables.hold(self.compiled, guards)
    }
}

impl Cursor {
    /// The step after an instruction, and the pause before it.
    pub(super) fn steer(
        &mut self,
        control: &Control,
        id: StepId,
        around: &mut Surroundings<'_>,
    ) -> (usize, Duration) {
        let following = id.step + 1;
        let to = match control {
            Control::Enter(group) => {
                self.journey().enter(*group);
                following
            }
            Control::Leave => {
                self.journey().leave(&around.compiled.flow().groups);
                following
            }
            Control::Jump(to) => *to,
            Control::When(when) => self.when(when, following, around),
            Control::Choose(choose) if self.skips => choose.past,
            Control::Choose(choose) => self.choose(choose, id, around),
            Control::Count(number) => {
                if !self.skips {
                    around.counters.counted(self.phase, usize::from(*number));
                }
                following
            }
            Control::Start(repetition) => self.start(repetition, following, around),
            Control::Again(repetition) => return self.next_round(repetition, id, around),
            Control::Together(_) if self.skips => following,
            Control::Together(together) => self.gather(together, id, around),
        };
        (to, Duration::ZERO)
    }

    /// The state of the iteration.
    pub(super) fn journey(&mut self) -> &mut Journey {
        self.journey.get_or_insert_default()
    }

    fn when(&self, when: &When, following: usize, around: &mut Surroundings<'_>) -> usize {
        if self.skips {
            return when.past;
        }
        let holds = around.hold(&when.guards);
        around.counters.branched(self.phase, usize::from(when.branch), holds);
        if holds { following } else { when.past }
    }

    /// Chooses by weight: a function of the seed, the iteration and the step, and of how often it was returned to.
    fn choose(&mut self, choose: &Choose, id: StepId, around: &mut Surroundings<'_>) -> usize {
        let turns = self.journey().turns();
        let draw = around.variables.chance(around.compiled, id, turns);
        let chosen = weights(choose, around).and_then(|weights| {
            weighted(&weights, draw).ok_or_else(|| ChoiceError::Zero(choose.group.clone()))
        });
        let chosen = chosen.map_err(|error| self.exceeds(error.to_string(), around)).ok();
        chosen.and_then(|number| choose.of.get(number)).map_or(choose.past, |one| one.first)
    }

    /// Gathers the steps that are performed at once: all whose conditions hold now. Returns the first of them.
    fn gather(&mut self, together: &Together, id: StepId, around: &mut Surroundings<'_>) -> usize {
        let mut steps = std::mem::take(&mut self.journey().gathered.steps);
        steps.clear();
        let mut at = id.step + 1;
        while at < together.past {
            match &around.compiled.flow().scenarios[id.scenario].steps[at] {
                Step::Control(control) => {
                    at = self.steer(control, StepId { step: at, ..id }, around).0;
                    continue;
                }
                Step::Exchange(_) => steps.push(at),
                Step::Pause(_) => {}
            }
            at += 1;
        }
        let Together { most, past } = *together;
        let first = steps.first().copied().unwrap_or(past);
        self.journey().gathered = Gathered { steps, most, past };
        first
    }

    fn start(
        &mut self,
        repetition: &Repetition,
        following: usize,
        around: &mut Surroundings<'_>,
    ) -> usize {
        self.journey().start(repetition.depth);
        around.variables.set_round(around.compiled, 0);
        if self.skips || self.goes_on(repetition, around) {
            return following;
        }
        self.end(repetition, around)
    }

    fn next_round(
        &mut self,
        repetition: &Repetition,
        id: StepId,
        around: &mut Surroundings<'_>,
    ) -> (usize, Duration) {
        if self.skips {
            return (self.end(repetition, around), Duration::ZERO);
        }
        self.journey().again(repetition.depth);
        around.variables.set_round(around.compiled, self.journey().round(repetition.depth));
        if !self.goes_on(repetition, around) {
            return (self.end(repetition, around), Duration::ZERO);
        }
        self.journey().returns();
        let pause = repetition.pause.as_ref();
        let time = pause.map_or(Duration::ZERO, |pause| self.makes(pause, id, around));
        (repetition.body, time)
    }

    /// Whether there is another round. A repetition that reaches its maximum although its conditions still hold is a
    /// failure.
    fn goes_on(&mut self, repetition: &Repetition, around: &mut Surroundings<'_>) -> bool {
        let round = self.journey().round(repetition.depth);
        let times = match &repetition.times {
            Times::Most => repetition.most,
            Times::Of(text) => match around.variables.number(around.compiled, text) {
                Ok(times) => times.min(repetition.most),
                Err(error) => {
                    self.exceeds(format!("repeat: 'times' {error}"), around);
                    return false;
                }
            },
        };
        let holds = around.hold(&repetition.guards);
        if round < times {
            return holds;
        }
        if holds && !repetition.guards.is_empty() {
            let rounds = if round == 1 { "once".to_owned() } else { format!("{round} times") };
            self.exceeds(format!("repeat: {rounds}, and the condition still holds"), around);
        }
        false
    }

    /// The step that was performed last has failed after all; if there is none, the next fails before it is sent.
    fn exceeds(&mut self, why: String, around: &Surroundings<'_>) {
        let journey = self.journey();
        journey.failed(Outcome::Failed(Class::Check, 0));
        journey.exceeded = Some(why);
        self.failed = true;
        if let Some(id) = self.at {
            let scenario = &around.compiled.flow().scenarios[id.scenario];
            self.skips |= scenario.after_failure == AfterFailure::Skip;
        }
    }

    fn end(&mut self, repetition: &Repetition, around: &mut Surroundings<'_>) -> usize {
        self.journey().over(repetition.depth);
        let round = self.journey().innermost();
        around.variables.set_round(around.compiled, round);
        repetition.past
    }
}

/// Why none of several steps is chosen.
#[derive(Debug, thiserror::Error)]
enum ChoiceError {
    /// The weight of a step is not a number.
    #[error("choose: the weight of '{0}' {1}")]
    Weight(String, ValueError),
    /// All weights are 0.
    #[error("choose: no step of '{0}' has a weight above 0")]
    Zero(String),
}

/// The weights now.
fn weights(choose: &Choose, around: &mut Surroundings<'_>) -> Result<Vec<u32>, ChoiceError> {
    let weight = |one: &Candidate| {
        let number = match &one.weight {
            Weight::Fixed(weight) => return Ok(*weight),
            Weight::Of(text) => one.weight.number(around.variables.made(around.compiled, text)),
        };
        number.map_err(|error| ChoiceError::Weight(one.name.clone(), error))
    };
    choose.of.iter().map(weight).collect()
}
