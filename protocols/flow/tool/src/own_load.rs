//! What came of scenarios with loads of their own.

use std::collections::BTreeSet;
use std::time::Duration;

use brunt_flow_driver::{Control, Flow, OwnLoad, OwnLoads, Scenario, Step, Tallies};
use brunt_record::{Phase, Record, ScenarioCounts, ScenarioRecord};

/// The record with what came of each scenario, if each has a load of its own.
pub(crate) fn recorded(flow: &Flow, tallies: &Tallies, record: Record) -> Record {
    let Some(own) = &flow.own else { return record };
    let counts: Vec<u64> = record.tallies.iter().map(|tally| tally.count).collect();
    let steady = record.phases.iter().find(|phase| phase.name == Phase::Steady);
    let [from, to] = steady.map_or([Duration::ZERO; 2], |steady| {
        [steady.from_s, steady.to_s].map(|at| Duration::try_from_secs_f64(at).unwrap_or_default())
    });
    let users = users(flow, own, &record);
    let measured = measured(flow);
    let scenarios = flow.scenarios.iter().zip(&own.loads).zip(users).zip(measured).enumerate();
    let scenarios = scenarios.map(|(number, (((scenario, load), users), measured))| {
        let counted = tallies.of_scenario(&counts, number);
        let (begins, ends) = window(load, (from, to), !record.verdict.cut_short);
        let due = load.arrivals.as_ref().map(|arrivals| {
            let [begins, ends] = [begins, ends].map(|at| at.saturating_sub(load.start));
            arrivals.due_between(begins, ends)
        });
        ScenarioCounts {
            name: scenario.name.clone(),
            users,
            seconds: ends.saturating_sub(begins).as_secs_f64(),
            due,
            begun: counted.begun,
            completed: counted.completed,
            failed: counted.failed,
            measured,
        }
    });
    let scenarios = scenarios.collect();
    record.with_scenarios(scenarios)
}

/// When the iterations of a load were due in a steady phase; `whole` is whether the run was not cut short. The phase
/// ends when no user has anything left to do, which may be before the load of arrivals ends.
fn window(load: &OwnLoad, (from, to): (Duration, Duration), whole: bool) -> (Duration, Duration) {
    let begins = from.max(load.start);
    let ends = match load.ends {
        Some(end) if whole && load.arrivals.is_some() => end,
        Some(end) => end.min(to),
        None => to,
    };
    (begins, ends.max(begins))
}

/// How many users of this node each scenario has.
fn users(flow: &Flow, own: &OwnLoads, record: &Record) -> Vec<u64> {
    let (first, here) = (flow.first_user, u32::try_from(record.plan.sessions).unwrap_or(u32::MAX));
    own.users_among(first..first.saturating_add(here))
}

/// For each scenario the names of the operations and spans that no other has.
fn measured(flow: &Flow) -> Vec<Vec<String>> {
    let all: Vec<BTreeSet<&str>> =
        flow.scenarios.iter().map(|scenario| names(flow, scenario).collect()).collect();
    let own = all.iter().enumerate().map(|(number, names)| {
        let others = || all.iter().enumerate().filter(move |(other, _)| *other != number);
        let only = names.iter().filter(|name| !others().any(|(_, names)| names.contains(**name)));
        let lag = flow.own.as_ref().is_some_and(|own| own.loads[number].arrivals.is_some());
        let lag = lag.then(|| ScenarioRecord::lag_span(&flow.scenarios[number].name));
        only.map(|name| (*name).to_owned()).chain(lag).collect()
    });
    own.collect()
}

/// The names of all operations and spans of a scenario.
fn names<'a>(flow: &'a Flow, scenario: &'a Scenario) -> impl Iterator<Item = &'a str> {
    let numbers = scenario.steps.iter().flat_map(|step| {
        let (operations, spans) = match step {
            Step::Exchange(act) => (
                vec![
                    Some(act.operation),
                    act.challenge,
                    act.poll.as_ref().map(|poll| poll.operation),
                ],
                vec![
                    act.retry.as_ref().map(|retry| retry.span),
                    act.poll.as_ref().map(|poll| poll.span),
                ],
            ),
            Step::Control(Control::Enter(group)) => {
                let group = flow.groups.get(usize::from(*group));
                (
                    Vec::new(),
                    vec![group.map(|group| group.span), group.and_then(|group| group.work)],
                )
            }
            Step::Control(_) | Step::Pause(_) => (Vec::new(), Vec::new()),
        };
        let operations =
            operations.into_iter().flatten().map(|at| flow.operations.get(usize::from(at)));
        operations.chain(spans.into_iter().flatten().map(|at| flow.spans.get(usize::from(at))))
    });
    numbers.flatten().map(String::as_str)
}
