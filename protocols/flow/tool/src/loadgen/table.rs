//! Makes the report from the counts of a run.
//!
//! LoadGen keeps its figures by the name of a task, for all workloads together, so a task of two workloads has two rows
//! with the same grand totals, and every sum over rows counts it twice. Here each workload has figures of its own, and
//! compatible mode adds them up as LoadGen does.

use std::collections::BTreeMap;
use std::time::Duration;

use brunt_flow_driver::Tallies;
use jiff::Zoned;

use super::draft::{Draft, Scenario, Step};
use super::job::Job;
use super::repairs::Repair;
use crate::report::Compatibility;
use crate::report::{Report, Row, Sum, Workload};

/// The task whose time LoadGen counts as sleep.
const SLEEP: &str = "sleep";

/// The counts of a run.
pub struct Counted<'a> {
    /// The position of each count.
    pub tallies: &'a Tallies,
    /// The counts.
    pub counts: &'a [u64],
    /// When the run began.
    pub started: Zoned,
    /// How long it lasted.
    pub lasted: Duration,
}

/// The report of a run.
pub fn report(draft: &Draft, job: &Job, counted: &Counted<'_>) -> Report {
    let base = Report {
        manner: draft.manner,
        threads: job.threads,
        started: counted.started.clone(),
        lapsed: counted.lasted,
        group_size: job.group_size,
        interval: job.interval,
        rows: Vec::new(),
        slept: Duration::ZERO,
        workloads: Vec::new(),
        tasks: 0,
        environment: job.environment.clone(),
        generator: job.generator.clone(),
        repairs: Vec::new(),
    };
    match draft.manner {
        Compatibility::Repaired => repaired(base, draft, counted),
        Compatibility::Compatible => compatible(base, draft, job, counted),
    }
}

/// The figures of one operation.
pub fn row(counted: &Counted<'_>, number: usize) -> Row {
    let of = counted.tallies.of_operation(counted.counts, number);
    let sum = |count, time| Sum { count, time };
    Row {
        name: String::new(),
        threshold: None,
        passed: sum(of.passed, of.passed_time),
        exceeded: sum(of.exceeded, of.exceeded_time),
        failed: sum(of.failed, of.failed_time),
        skipped: of.skipped,
    }
}

fn repaired(mut report: Report, draft: &Draft, counted: &Counted<'_>) -> Report {
    for (number, operation) in draft.operations.iter().enumerate() {
        let name = operation.key.clone();
        report.rows.push(Row { name, threshold: operation.threshold, ..row(counted, number) });
    }
    for name in sleeps(draft) {
        report.slept += counted.tallies.of_pause(counted.counts, name).time;
    }
    for (number, scenario) in draft.scenarios.iter().enumerate() {
        let begun = counted.tallies.of_scenario(counted.counts, number).begun;
        let share = begun * scenario.steps.len() as u64;
        report.tasks += share;
        report.workloads.push(workload(draft, scenario, report.threads, begun, share));
    }
    let mut repairs = draft.repairs.clone();
    if report.rows.iter().any(|row| row.skipped > 0) {
        repairs.insert(Repair::Skipped);
    }
    if report.rows.iter().any(|row| row.passed.count + row.exceeded.count + row.failed.count > 0) {
        repairs.insert(Repair::Times);
    }
    report.repairs = repairs.into_iter().map(|repair| repair.words().to_owned()).collect();
    report
}

/// Every name of a sleep, once.
fn sleeps(draft: &Draft) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for step in draft.scenarios.iter().flat_map(|scenario| &scenario.steps) {
        if let Step::Sleep { key, .. } = step
            && !names.contains(&key.as_str())
        {
            names.push(key);
        }
    }
    names
}

fn workload(draft: &Draft, scenario: &Scenario, threads: u32, begun: u64, share: u64) -> Workload {
    let key = |step: &Step| match step {
        Step::Sleep { key, .. } => key.clone(),
        Step::Send(send) => draft.operations[send.operation].key.clone(),
    };
    Workload {
        name: scenario.key.clone(),
        loops: scenario.loops * u64::from(threads),
        begun,
        share,
        tasks: scenario.steps.iter().map(key).collect(),
    }
}

/// Adds up as LoadGen does: by the names of tasks over all workloads, with skipped tasks among the failed ones.
fn compatible(mut report: Report, draft: &Draft, job: &Job, counted: &Counted<'_>) -> Report {
    let totals = grand_totals(draft, counted);
    for scenario in &draft.scenarios {
        let all = workload(draft, scenario, report.threads, 0, 0);
        let mut seen: Vec<&String> = Vec::new();
        for key in &all.tasks {
            if seen.contains(&key) {
                continue;
            }
            seen.push(key);
            let row = totals[key].clone();
            report.tasks += row.passed.count + row.exceeded.count + row.failed.count;
            if key == SLEEP {
                report.slept += row.passed.time + row.exceeded.time + row.failed.time;
            } else {
                report.rows.push(row);
            }
        }
        let share = scenario.loops * scenario.steps.len() as u64 * u64::from(report.threads);
        report.workloads.push(Workload { begun: all.loops, share, ..all });
    }
    report.lapsed = report.lapsed.max(ramp(job));
    report
}

fn grand_totals(draft: &Draft, counted: &Counted<'_>) -> BTreeMap<String, Row> {
    let mut totals: BTreeMap<String, Row> = BTreeMap::new();
    for (number, operation) in draft.operations.iter().enumerate() {
        let row = row(counted, number);
        let total = totals.entry(operation.key.clone()).or_default();
        add(&mut total.passed, row.passed);
        add(&mut total.exceeded, row.exceeded);
        add(&mut total.failed, row.failed);
        total.failed.count += row.skipped;
    }
    for name in sleeps(draft) {
        let of = counted.tallies.of_pause(counted.counts, name);
        let total = totals.entry(name.to_owned()).or_default();
        add(&mut total.passed, Sum { count: of.made, time: of.time });
        total.failed.count += of.skipped;
    }
    // The threshold of a task is that of the position that was read last.
    for step in draft.scenarios.iter().flat_map(|scenario| &scenario.steps) {
        let (key, threshold) = match step {
            Step::Sleep { key, threshold, .. } => (key, Some(*threshold)),
            Step::Send(send) => (&draft.operations[send.operation].key, send.threshold),
        };
        if let Some(total) = totals.get_mut(key) {
            (total.threshold, total.name) = (threshold, key.clone());
        }
    }
    totals
}

fn add(sum: &mut Sum, more: Sum) {
    sum.count += more.count;
    sum.time += more.time;
}

/// LoadGen waits after each full group of threads, including the last one, and the job takes that much longer.
fn ramp(job: &Job) -> Duration {
    match (job.group_size, job.interval) {
        (Some(size @ 1..), Some(millis)) => {
            Duration::from_millis(u64::from(job.threads) / size * millis)
        }
        _ => Duration::ZERO,
    }
}
