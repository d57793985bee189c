//! [`FlowCounters`]: the results of steps, pauses and iterations, counted as a table of results shows them.
//!
//! The histograms of a run show how long exchanges took. LoadGen's tables need sums by outcome, and only this module
//! knows about pauses and iterations. Each worker keeps its counts, which are reported as tallies of the session
//! factory. Tests check that the counts here agree with those of the engine.
//!
//! A step belongs to the phase of the run in which it was due. Pauses and the beginnings and ends of iterations belong
//! to the phase of the previous step. Events before a user's first step have no phase of their own, and are counted in
//! the phase in which the counts are read.

use super::control::Control;
use super::plan::{Choice, Flow, Step};
use brunt_exchange::Ticket;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepResult {
    /// It succeeded in time.
    Passed,
    /// It took longer than allowed, or was never answered.
    Exceeded,
    /// It failed in another way.
    Failed,
}

/// The counts of each operation: numbers and total times of passed, exceeded and failed ones, and skips.
const OF_OPERATION: usize = 7;
const SKIPPED: usize = 6;
/// The counts of each kind of pause: how many were made, their total time, how many were skipped.
const OF_PAUSE: usize = 3;
/// The counts of each scenario: iterations begun and completed, and those that failed where each has a load of its own.
const SCENARIO_KINDS: [&str; 3] = ["begun", "completed", "failed"];
const FAILED: usize = 2;
/// The counts of each branch: how many times it was taken and passed over.
const OF_BRANCH: usize = 2;

/// The name of the pauses until the period of the next one-time password begins.
pub(super) const CODE_PAUSE: &str = "one-time password";

/// The position of each count among the tallies of a run.
#[derive(Clone, Debug)]
pub struct Tallies {
    operations: Vec<String>,
    pauses: Vec<String>,
    scenarios: Vec<String>,
    /// How many counts each scenario has.
    of_scenario: usize,
    branches: Vec<String>,
    choices: Vec<Choice>,
}

/// The counts of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationCounts {
    /// How many passed.
    pub passed: u64,
    /// The total time of those that passed.
    pub passed_time: Duration,
    /// How many took longer than allowed, or were never answered.
    pub exceeded: u64,
    /// The total time of those.
    pub exceeded_time: Duration,
    /// How many failed in another way.
    pub failed: u64,
    /// The total time of those that failed.
    pub failed_time: Duration,
    /// How many were not tried, because a previous step had failed.
    pub skipped: u64,
}

/// The counts of one kind of pause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseCounts {
    /// How many were made.
    pub made: u64,
    /// Their total time.
    pub time: Duration,
    /// How many were not made, because a previous step had failed.
    pub skipped: u64,
}

/// The counts of one scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScenarioCounts {
    /// Iterations begun.
    pub begun: u64,
    /// Iterations whose last step was performed or skipped.
    pub completed: u64,
    /// Of these, the iterations in which a step failed; counted where each scenario has a load of its own.
    pub failed: u64,
}

impl Tallies {
    /// The tallies of a flow.
    pub fn new(flow: &Flow) -> Self {
        let steps = flow.scenarios.iter().flat_map(|scenario| &scenario.steps);
        let in_steps = steps.filter_map(|step| match step {
            Step::Pause(pause) => Some(pause),
            Step::Control(Control::Again(repetition)) => repetition.pause.as_ref(),
            Step::Exchange(act) => act.retry.as_ref().and_then(|retry| retry.pause.as_ref()),
            Step::Control(_) => None,
        });
        let polls = flow.scenarios.iter().flat_map(|scenario| &scenario.steps);
        let polls = polls.filter_map(|step| match step {
            Step::Exchange(act) => act.poll.as_ref().map(|poll| &poll.pause),
            Step::Pause(_) | Step::Control(_) => None,
        });
        let mut pauses: Vec<String> = Vec::new();
        let own = flow.own.iter().flat_map(|own| &own.loads).filter_map(|load| load.think.as_ref());
        for pause in in_steps.chain(polls).chain(flow.between.pauses()).chain(own) {
            if !pauses.contains(&pause.name) {
                pauses.push(pause.name.clone());
            }
        }
        pauses.extend(flow.has_codes().then(|| CODE_PAUSE.to_owned()));
        let scenarios = flow.scenarios.iter().map(|scenario| scenario.name.clone()).collect();
        let (branches, choices) = (flow.branches.clone(), flow.choices.clone());
        let of_scenario = if flow.own.is_some() { SCENARIO_KINDS.len() } else { FAILED };
        let operations = flow.operations.clone();
        Self { operations, pauses, scenarios, of_scenario, branches, choices }
    }

    /// Their names, by number, as a record shows them.
    pub fn names(&self) -> Vec<String> {
        let kinds =
            ["passed", "passed ns", "exceeded", "exceeded ns", "failed", "failed ns", "skipped"];
        let of = |names: &[String], kinds: &[&str], what: &str| -> Vec<String> {
            let named = |name: &String| -> Vec<String> {
                kinds.iter().map(|kind| format!("{what}{name} {kind}")).collect()
            };
            names.iter().flat_map(named).collect()
        };
        let mut names = of(&self.operations, &kinds, "");
        names.extend(of(&self.pauses, &["made", "ns", "skipped"], "pause "));
        names.extend(of(&self.scenarios, &SCENARIO_KINDS[..self.of_scenario], "scenario "));
        names.extend(of(&self.branches, &["taken", "passed over"], "branch "));
        names.extend(self.choices.iter().map(|Choice { group, step }| match step {
            Some(step) => format!("choice {group}: {step}"),
            None => format!("choice {group} reached"),
        }));
        names
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.choice(self.choices.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of a kind of pause.
    pub(super) fn pause_named(&self, name: &str) -> Option<usize> {
        self.pauses.iter().position(|known| known == name)
    }

    fn operation(number: usize) -> usize {
        number * OF_OPERATION
    }

    fn pause(&self, number: usize) -> usize {
        self.operations.len() * OF_OPERATION + number * OF_PAUSE
    }

    fn scenario(&self, number: usize) -> usize {
        self.pause(self.pauses.len()) + number * self.of_scenario
    }

    fn branch(&self, number: usize) -> usize {
        self.scenario(self.scenarios.len()) + number * OF_BRANCH
    }

    fn choice(&self, number: usize) -> usize {
        self.branch(self.branches.len()) + number
    }

    /// The branches that were never taken, each with how many times it was passed over.
    pub fn never_taken<'a>(&'a self, counts: &'a [u64]) -> impl Iterator<Item = (&'a str, u64)> {
        self.branches.iter().enumerate().filter_map(move |(number, name)| {
            let at = self.branch(number);
            let (taken, passed) = (count(counts, at), count(counts, at + 1));
            (taken == 0 && passed > 0).then_some((name.as_str(), passed))
        })
    }

    /// What was counted of operation `number`.
    pub fn of_operation(&self, counts: &[u64], number: usize) -> OperationCounts {
        let at = |kind: usize| count(counts, Self::operation(number) + kind);
        OperationCounts {
            passed: at(0),
            passed_time: Duration::from_nanos(at(1)),
            exceeded: at(2),
            exceeded_time: Duration::from_nanos(at(3)),
            failed: at(4),
            failed_time: Duration::from_nanos(at(5)),
            skipped: at(SKIPPED),
        }
    }

    /// What was counted of the pauses with this name.
    pub fn of_pause(&self, counts: &[u64], name: &str) -> PauseCounts {
        let Some(number) = self.pause_named(name) else { return PauseCounts::default() };
        let at = |kind: usize| count(counts, self.pause(number) + kind);
        PauseCounts { made: at(0), time: Duration::from_nanos(at(1)), skipped: at(2) }
    }

    /// What was counted of scenario `number`.
    pub fn of_scenario(&self, counts: &[u64], number: usize) -> ScenarioCounts {
        let at = |kind: usize| count(counts, self.scenario(number) + kind);
        let failed = if self.of_scenario > FAILED { at(FAILED) } else { 0 };
        ScenarioCounts { begun: at(0), completed: at(1), failed }
    }
}

fn count(counts: &[u64], at: usize) -> u64 {
    counts.get(at).copied().unwrap_or(0)
}

/// The phase of the run to which a count belongs, if it has one: the phase of a step's ticket.
pub type InPhase = Option<u8>;

/// The counts of one worker, the only writer: by phase, followed by those without a phase.
#[derive(Debug)]
pub struct FlowCounters {
    tallies: Tallies,
    rows: [Vec<AtomicU64>; Ticket::PHASES + 1],
}

impl FlowCounters {
    /// Creates counters at zero.
    pub fn new(tallies: Tallies) -> Self {
        let row = || std::iter::repeat_with(AtomicU64::default).take(tallies.len()).collect();
        let rows = std::array::from_fn(|_| row());
        Self { tallies, rows }
    }

    /// Writes the counts, by number: those without a phase, and the rest by phase. A phase without counts stays empty.
    pub fn write(&self, unphased: &mut Vec<u64>, by_phase: &mut [Vec<u64>; Ticket::PHASES]) {
        for (row, out) in self.rows.iter().zip(by_phase.iter_mut().chain([unphased])) {
            out.clear();
            if row.iter().any(|count| count.load(Ordering::Relaxed) > 0) {
                out.extend(row.iter().map(|count| count.load(Ordering::Relaxed)));
            }
        }
    }

    /// The counts of the whole run, by number.
    pub fn whole(&self) -> Vec<u64> {
        let of =
            |number: usize| self.rows.iter().map(move |row| row[number].load(Ordering::Relaxed));
        (0..self.tallies.len()).map(|number| of(number).sum()).collect()
    }

    pub(super) fn ended(&self, phase: InPhase, operation: u16, result: StepResult, took: Duration) {
        let kind = match result {
            StepResult::Passed => 0,
            StepResult::Exceeded => 2,
            StepResult::Failed => 4,
        };
        let at = Tallies::operation(operation.into()) + kind;
        self.add(phase, at, 1);
        if !took.is_zero() {
            self.add(phase, at + 1, u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
        }
    }

    pub(super) fn skipped(&self, phase: InPhase, operation: u16) {
        self.add(phase, Tallies::operation(operation.into()) + SKIPPED, 1);
    }

    pub(super) fn paused(&self, phase: InPhase, pause: usize, time: Duration) {
        let at = self.tallies.pause(pause);
        self.add(phase, at, 1);
        self.add(phase, at + 1, u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    pub(super) fn pause_skipped(&self, phase: InPhase, pause: usize) {
        self.add(phase, self.tallies.pause(pause) + 2, 1);
    }

    pub(super) fn begun(&self, phase: InPhase, scenario: usize) {
        self.add(phase, self.tallies.scenario(scenario), 1);
    }

    pub(super) fn completed(&self, phase: InPhase, scenario: usize) {
        self.add(phase, self.tallies.scenario(scenario) + 1, 1);
    }

    pub(super) fn failed(&self, phase: InPhase, scenario: usize) {
        if self.tallies.of_scenario > FAILED {
            self.add(phase, self.tallies.scenario(scenario) + FAILED, 1);
        }
    }

    pub(super) fn branched(&self, phase: InPhase, branch: usize, taken: bool) {
        self.add(phase, self.tallies.branch(branch) + usize::from(!taken), 1);
    }

    pub(super) fn counted(&self, phase: InPhase, choice: usize) {
        self.add(phase, self.tallies.choice(choice), 1);
    }

    /// One worker writes, so nothing is lost between the load and the store.
    fn add(&self, phase: InPhase, at: usize, count: u64) {
        let row = phase.map_or(Ticket::PHASES, |phase| usize::from(phase).min(Ticket::PHASES - 1));
        if let Some(total) = self.rows[row].get(at) {
            let sum = total.load(Ordering::Relaxed).saturating_add(count);
            total.store(sum, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pause::Pause;
    use crate::plan::{AfterFailure, Scenario};
    use brunt_exchange::ThinkTime;

    fn flow() -> Flow {
        let pause =
            |name: &str| Step::Pause(Pause { time: ThinkTime::None, name: name.to_owned() });
        let scenario = |name: &str, steps| Scenario {
            name: name.to_owned(),
            steps,
            after_failure: AfterFailure::Skip,
        };
        Flow {
            operations: vec!["read".to_owned(), "write".to_owned()],
            scenarios: vec![
                scenario("visit", vec![pause("think"), pause("rest"), pause("think")]),
                scenario("look", vec![pause("think")]),
            ],
            ..Flow::default()
        }
    }

    #[test]
    fn counters_have_unique_places_and_names() {
        let tallies = Tallies::new(&flow());
        let counters = FlowCounters::new(tallies.clone());
        let ms = Duration::from_millis;
        counters.ended(Some(1), 1, StepResult::Passed, ms(3));
        counters.ended(Some(3), 1, StepResult::Passed, ms(4));
        counters.ended(Some(3), 1, StepResult::Exceeded, ms(50));
        counters.ended(Some(3), 0, StepResult::Failed, ms(1));
        counters.skipped(Some(3), 1);
        counters.paused(Some(3), 1, ms(9));
        counters.pause_skipped(Some(3), 0);
        counters.begun(None, 1);
        counters.begun(Some(3), 1);
        counters.completed(Some(3), 1);
        let counts = counters.whole();
        assert_eq!((counts.len(), tallies.names().len()), (2 * 7 + 2 * 3 + 2 * 2, tallies.len()));
        let write = OperationCounts {
            passed: 2,
            passed_time: ms(7),
            exceeded: 1,
            exceeded_time: ms(50),
            skipped: 1,
            ..OperationCounts::default()
        };
        assert_eq!(tallies.of_operation(&counts, 1), write);
        let rest = PauseCounts { made: 1, time: ms(9), skipped: 0 };
        assert_eq!(tallies.of_pause(&counts, "rest"), rest);
        assert_eq!(tallies.of_pause(&counts, "think").skipped, 1);
        assert_eq!(
            tallies.of_scenario(&counts, 1),
            ScenarioCounts { begun: 2, completed: 1, failed: 0 }
        );
        let named = |name: &str| tallies.names().iter().position(|known| known == name);
        let read_failed = named("read failed").map(|at| counts[at]);
        let look_begun = named("scenario look begun").map(|at| counts[at]);
        assert_eq!((read_failed, look_begun), (Some(1), Some(2)));
        let (mut unphased, mut by_phase) = (vec![5], [const { Vec::new() }; Ticket::PHASES]);
        counters.write(&mut unphased, &mut by_phase);
        assert_eq!(tallies.of_operation(&by_phase[1], 1).passed, 1);
        assert_eq!(tallies.of_operation(&by_phase[3], 1).passed_time, ms(4));
        assert_eq!(
            tallies.of_scenario(&by_phase[3], 1),
            ScenarioCounts { begun: 1, completed: 1, failed: 0 }
        );
        assert_eq!(
            tallies.of_scenario(&unphased, 1),
            ScenarioCounts { begun: 1, completed: 0, failed: 0 }
        );
        assert!([0, 2, 4].into_iter().all(|phase| by_phase[phase].is_empty()));
        let all = unphased.iter().chain(by_phase.iter().flatten()).sum::<u64>();
        assert_eq!(all, counts.iter().sum::<u64>());
    }
}
