//! LoadGen's report for a plan that has the form of a job: rounds of workloads, and tasks with thresholds.
//!
//! The report of a job that was converted to a plan must remain familiar to users of LoadGen's table. The names of the
//! environment and of the generator, which a plan does not have, are shown as a dash.

use std::time::Duration;

use brunt_flow_plan::model::{Plan, Step};

use super::repairs::Repair;
use super::table::{Counted, row};
use crate::report::{Compatibility, Report, Workload};

/// The report; none for a plan without rounds, which cannot come from a job.
pub fn report(
    plan: &Plan,
    threads: u32,
    counted: &Counted<'_>,
    operations: &[String],
) -> Option<Report> {
    if plan.run.rounds.is_empty() {
        return None;
    }
    let steps = || plan.scenario.iter().flat_map(|scenario| &scenario.steps);
    let threshold = |name: &str| {
        let step = steps().find(|step| step.name.as_deref() == Some(name))?;
        // A threshold that no answer meets is the shortest time there is.
        step.threshold.as_ref().map(|time| time.0.as_millis() as u64)
    };
    let rows = operations.iter().enumerate().map(|(number, name)| {
        let mut row = row(counted, number);
        row.threshold = threshold(name);
        row.name = key(plan, name, row.threshold);
        row
    });
    let mut report = Report {
        manner: Compatibility::Repaired,
        threads,
        started: counted.started.clone(),
        lapsed: counted.lasted,
        group_size: plan.run.groups.as_ref().map(|groups| u64::from(groups.size)),
        interval: plan.run.groups.as_ref().map(|groups| groups.every.0.as_millis() as u64),
        rows: rows.collect(),
        slept: slept(steps(), counted),
        workloads: Vec::new(),
        tasks: 0,
        environment: None,
        generator: None,
        repairs: Vec::new(),
    };
    for (number, scenario) in plan.scenario.iter().enumerate() {
        let begun = counted.tallies.of_scenario(counted.counts, number).begun;
        let name = scenario.name.clone().unwrap_or_default();
        let times = plan.run.rounds.iter().map(|round| {
            round.times.unwrap_or(1) * round.scenarios.value(&name).copied().unwrap_or_default()
        });
        let share = begun * scenario.steps.len() as u64;
        report.tasks += share;
        report.workloads.push(Workload {
            loops: times.sum::<u64>() * u64::from(threads),
            begun,
            share,
            tasks: scenario
                .steps
                .iter()
                .filter_map(|step| {
                    let millis = step.threshold.as_ref().map(|time| time.0.as_millis() as u64);
                    Some(key(plan, step.name.as_deref()?, millis))
                })
                .collect(),
            name,
        });
    }
    let counts =
        |row: &crate::report::Row| row.passed.count + row.exceeded.count + row.failed.count;
    let repairs = [
        (Repair::Skipped, report.rows.iter().any(|row| row.skipped > 0)),
        (Repair::Times, report.rows.iter().any(|row| counts(row) > 0)),
    ];
    let repairs = repairs.into_iter().filter(|(_, made)| *made);
    report.repairs = repairs.map(|(repair, _)| repair.words().to_owned()).collect();
    Some(report)
}

/// The job's name of a task: in a plan the name also contains its workload and its threshold, if several tasks have the
/// same name.
fn key(plan: &Plan, name: &str, threshold: Option<u64>) -> String {
    let workloads = plan.scenario.iter().filter_map(|scenario| scenario.name.as_deref());
    let mut below = workloads.filter_map(|workload| name.strip_prefix(workload)?.strip_prefix('/'));
    let key = below.next().unwrap_or(name);
    let suffix = threshold.map(|millis| format!(" ({millis}ms)")).unwrap_or_default();
    key.strip_suffix(&suffix).unwrap_or(key).to_owned()
}

fn slept<'a>(steps: impl Iterator<Item = &'a Step>, counted: &Counted<'_>) -> Duration {
    let mut names: Vec<&str> =
        steps.filter(|step| step.pause.is_some()).filter_map(|step| step.name.as_deref()).collect();
    names.sort_unstable();
    names.dedup();
    names.iter().map(|name| counted.tallies.of_pause(counted.counts, name).time).sum()
}
