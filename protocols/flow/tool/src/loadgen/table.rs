//! Makes the report from the counts of a run.
//!
//! LoadGen keeps its figures by the name of a task, for all workloads together, so a task of two workloads has two rows
//! with the same grand totals, and every sum over rows counts it twice. Here each workload has figures of its own, and
//! compatible mode adds them up as LoadGen does.

use std::collections::{BTreeMap, BTreeSet};
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
        Compatibility::Repaired => form(draft, job.threads).fill(base, counted),
        Compatibility::Compatible => compatible(base, draft, job, counted),
    }
}

/// What a report is about: the tasks and workloads of a job, or of a plan that has the form of one.
pub(super) struct Form {
    /// The key of each operation, and its threshold in milliseconds.
    pub tasks: Vec<(String, Option<u64>)>,
    /// Every name of a sleep, once.
    pub sleeps: Vec<String>,
    /// The workloads, as if each was begun once.
    pub workloads: Vec<Workload>,
    /// The differences from LoadGen that are known without figures.
    pub repairs: BTreeSet<Repair>,
}

impl Form {
    /// Fills in a report, as the job is written.
    pub(super) fn fill(self, mut report: Report, counted: &Counted<'_>) -> Report {
        let Self { tasks, sleeps, workloads, mut repairs } = self;
        for (number, (name, threshold)) in tasks.into_iter().enumerate() {
            report.rows.push(Row { name, threshold, ..row(counted, number) });
        }
        let slept = sleeps.iter().map(|name| counted.tallies.of_pause(counted.counts, name).time);
        report.slept = slept.sum();
        for (number, once) in workloads.into_iter().enumerate() {
            let begun = counted.tallies.of_scenario(counted.counts, number).begun;
            let share = begun * once.share;
            report.tasks += share;
            report.workloads.push(Workload { begun, share, ..once });
        }
        if report.rows.iter().any(|row| row.skipped > 0) {
            repairs.insert(Repair::Skipped);
        }
        let measured = |row: &Row| row.passed.count + row.exceeded.count + row.failed.count > 0;
        if report.rows.iter().any(measured) {
            repairs.insert(Repair::Times);
        }
        report.repairs = repairs.into_iter().map(|repair| repair.words().to_owned()).collect();
        report
    }
}

/// The figures of one operation.
fn row(counted: &Counted<'_>, number: usize) -> Row {
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

/// The form of a draft.
fn form(draft: &Draft, threads: u32) -> Form {
    let tasks = draft.operations.iter().map(|one| (one.key.clone(), one.threshold));
    let workloads = draft.scenarios.iter().map(|scenario| workload(draft, scenario, threads));
    Form {
        tasks: tasks.collect(),
        sleeps: sleeps(draft).into_iter().map(str::to_owned).collect(),
        workloads: workloads.collect(),
        repairs: draft.repairs.clone(),
    }
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

/// A workload, as if it was begun once.
fn workload(draft: &Draft, scenario: &Scenario, threads: u32) -> Workload {
    let key = |step: &Step| match step {
        Step::Sleep { key, .. } => key.clone(),
        Step::Send(send) => draft.operations[send.operation].key.clone(),
    };
    Workload {
        name: scenario.key.clone(),
        loops: scenario.loops * u64::from(threads),
        begun: 1,
        share: scenario.steps.len() as u64,
        tasks: scenario.steps.iter().map(key).collect(),
    }
}

/// Adds up as LoadGen does: by the names of tasks over all workloads, with skipped tasks among the failed ones.
fn compatible(mut report: Report, draft: &Draft, job: &Job, counted: &Counted<'_>) -> Report {
    let totals = grand_totals(draft, counted);
    for scenario in &draft.scenarios {
        let all = workload(draft, scenario, report.threads);
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
