//! LoadGen's report for a plan that has the form of a job: rounds of workloads, and tasks with thresholds.
//!
//! The report of a job that was converted to a plan must remain familiar to users of LoadGen's table. The names of the
//! environment and of the generator, which a plan does not have, are shown as a dash.

use std::collections::BTreeSet;
use std::time::Duration;

use brunt_flow_plan::model::{Plan, Scenario, Step};

use super::table::{Counted, Form};
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
    let tasks = operations.iter().map(|name| {
        let threshold = threshold(name);
        (key(plan, name, threshold), threshold)
    });
    let form = Form {
        tasks: tasks.collect(),
        sleeps: sleeps(steps()),
        workloads: plan.scenario.iter().map(|scenario| workload(plan, scenario, threads)).collect(),
        repairs: BTreeSet::new(),
    };
    let report = Report {
        manner: Compatibility::Repaired,
        threads,
        started: counted.started.clone(),
        lapsed: counted.lasted,
        group_size: plan.run.groups.as_ref().map(|groups| u64::from(groups.size)),
        interval: plan.run.groups.as_ref().map(|groups| groups.every.0.as_millis() as u64),
        rows: Vec::new(),
        slept: Duration::ZERO,
        workloads: Vec::new(),
        tasks: 0,
        environment: None,
        generator: None,
        repairs: Vec::new(),
    };
    Some(form.fill(report, counted))
}

/// A workload, as if it was begun once.
fn workload(plan: &Plan, scenario: &Scenario, threads: u32) -> Workload {
    let name = scenario.name.clone().unwrap_or_default();
    let times = plan.run.rounds.iter().map(|round| {
        round.times.unwrap_or(1) * round.scenarios.value(&name).copied().unwrap_or_default()
    });
    let loops = times.sum::<u64>() * u64::from(threads);
    let task = |step: &Step| {
        let millis = step.threshold.as_ref().map(|time| time.0.as_millis() as u64);
        Some(key(plan, step.name.as_deref()?, millis))
    };
    let tasks = scenario.steps.iter().filter_map(task).collect();
    Workload { name, loops, begun: 1, share: scenario.steps.len() as u64, tasks }
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

/// Every name of a pause, once.
fn sleeps<'a>(steps: impl Iterator<Item = &'a Step>) -> Vec<String> {
    let names = steps.filter(|step| step.pause.is_some()).filter_map(|step| step.name.clone());
    names.collect::<BTreeSet<_>>().into_iter().collect()
}
