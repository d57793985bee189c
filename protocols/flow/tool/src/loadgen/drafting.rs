//! Makes a draft of workloads: first step by step, then for what depends on the whole.

use super::draft::{Draft, Drafting, Meaning, Operation, Scenario, Step};
use super::files::Files;
use super::job_error::JobError;
use super::mix;
use super::repairs::Repair;
use super::request;
use super::task::Task;
use super::workload::Workload;
use crate::options::loadgen::Mixing;
use crate::report::Compatibility;

/// Resolves workloads. Those without loops are omitted.
pub(super) fn draft(
    workloads: &[Workload],
    manner: Compatibility,
    mixing: Mixing,
    files: &mut Files,
) -> Result<Draft, JobError> {
    let performed: Vec<&Workload> = workloads.iter().filter(|it| it.loops > 0).collect();
    let loops: Vec<u64> = performed.iter().map(|workload| workload.loops).collect();
    let compatible = manner == Compatibility::Compatible;
    let rounds = mix::rounds(&loops, mixing, compatible);
    let mut drafting = Drafting { draft: Draft { manner, rounds, ..Draft::default() }, files };
    if mixing == Mixing::Rounds && mix::has_remainder(&loops) {
        drafting.repaired(Repair::Remainders);
    }
    for workload in performed {
        drafting.scenario(workload)?;
    }
    drafting.shared();
    let mut draft = drafting.draft;
    name_operations(&mut draft);
    Ok(draft)
}

impl Drafting<'_> {
    fn scenario(&mut self, workload: &Workload) -> Result<(), JobError> {
        let number = self.draft.scenarios.len();
        let mut steps = Vec::new();
        for position in &workload.positions {
            let key = position.key.clone();
            match &position.task {
                Task::Sleep(millis) => {
                    if key != "sleep" {
                        self.repaired(Repair::Sleeps);
                    }
                    let threshold = position.threshold.unwrap_or_default();
                    steps.push(Step::Sleep { key, threshold, millis: millis + threshold });
                }
                Task::Request(requested) => {
                    let operation = self.operation(&key, number, position.threshold);
                    let mut send = request::settle(self, requested)?;
                    (send.operation, send.threshold) = (operation, position.threshold);
                    steps.push(Step::Send(Box::new(send)));
                }
            }
        }
        self.keep(&mut steps, workload)?;
        self.count(&steps);
        let key = workload.key.clone();
        let same = self.draft.scenarios.iter().filter(|known| known.key == key).count();
        let name = if same == 0 { key.clone() } else { format!("{key} ({})", same + 1) };
        self.draft.scenarios.push(Scenario { name, key, loops: workload.loops, steps });
        Ok(())
    }

    /// The operation of a task: one for each threshold that the task has in a workload.
    fn operation(&mut self, key: &str, scenario: usize, threshold: Option<u64>) -> usize {
        let known = self.draft.operations.iter().position(|known| {
            known.key == key && known.scenario == scenario && known.threshold == threshold
        });
        known.unwrap_or_else(|| {
            let name = String::new();
            self.draft.operations.push(Operation {
                name,
                key: key.to_owned(),
                scenario,
                threshold,
            });
            self.draft.operations.len() - 1
        })
    }

    /// Keeps the values of answers that a later request of the iteration needs.
    fn keep(&mut self, steps: &mut [Step], workload: &Workload) -> Result<(), JobError> {
        for at in 0..steps.len() {
            let Step::Send(send) = &steps[at] else { continue };
            let variables = &self.draft.variables;
            let needed: Vec<(String, usize)> = send
                .needs()
                .filter_map(|number| match &variables[number].meaning {
                    Meaning::Kept(attribute) => Some((attribute.clone(), number)),
                    _ => None,
                })
                .collect();
            for need in needed {
                // LoadGen reads only the answer of the first task.
                let before =
                    if self.draft.manner == Compatibility::Compatible { at.min(1) } else { at };
                let mut kept = false;
                for step in &mut steps[..before] {
                    if let Step::Send(earlier) = step {
                        kept = true;
                        if !earlier.keeps.contains(&need) {
                            earlier.keeps.push(need.clone());
                        }
                    }
                }
                if let (false, Task::Request(request)) = (kept, &workload.positions[at].task) {
                    return Err(request.spot.fault(
                        format!(
                            "{} is used, but no task before \"{}\" in the workload \"{}\" retains it",
                            variables[need.1].word, workload.positions[at].key, workload.key
                        ),
                        "put the task whose answer contains it before this one",
                    ));
                }
            }
        }
        Ok(())
    }

    /// Whether several tasks of an iteration use a counter, so that its mode makes a difference.
    fn count(&mut self, steps: &[Step]) {
        let is_count = |number: usize| self.draft.variables[number].meaning == Meaning::Increment;
        let counting = steps
            .iter()
            .filter(|step| matches!(step, Step::Send(send) if send.needs().any(is_count)))
            .count();
        if counting > 1 {
            self.repaired(Repair::Increment);
        }
    }

    /// Whether tasks are shared by workloads, or have several thresholds in one.
    fn shared(&mut self) {
        let all = &self.draft.operations;
        let pairs = || {
            let later = |at: usize| all[at + 1..].iter();
            (0..all.len())
                .flat_map(move |at| later(at).map(move |other| (&all[at], other)))
                .filter(|(one, other)| one.key == other.key)
        };
        let (mut workloads, mut thresholds) = (false, false);
        for (one, other) in pairs() {
            workloads |= one.scenario != other.scenario;
            thresholds |= one.scenario == other.scenario;
        }
        if workloads {
            self.repaired(Repair::SharedTasks);
        }
        if thresholds {
            self.repaired(Repair::Thresholds);
        }
    }
}

/// Gives every operation a unique name: that of its task, and what distinguishes it from others of that task.
fn name_operations(draft: &mut Draft) {
    let all = &draft.operations;
    let names: Vec<String> = all
        .iter()
        .enumerate()
        .map(|(at, operation)| {
            let same = |other: &Operation| other.key == operation.key;
            let mut others = all.iter().enumerate().filter(|(other, it)| *other != at && same(it));
            let shared = others.clone().any(|(_, it)| it.scenario != operation.scenario);
            let split = others.any(|(_, it)| it.scenario == operation.scenario);
            let mut name = operation.key.clone();
            if shared {
                name = format!("{}/{name}", draft.scenarios[operation.scenario].name);
            }
            match operation.threshold {
                Some(threshold) if split => format!("{name} ({threshold}ms)"),
                _ => name,
            }
        })
        .collect();
    for (operation, name) in draft.operations.iter_mut().zip(names) {
        operation.name = name;
    }
}
