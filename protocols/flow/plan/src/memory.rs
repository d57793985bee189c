//! Estimates the memory of a plan, so that a plan of thousands of steps or users is no surprise.
//!
//! The figures were measured, and a test compares them with the memory of a run. They are for an hour with a typical
//! spread of latencies; a busier run needs more, a quieter one less.

use brunt_engine::{Plan, Settings};
use brunt_flow_driver::Flow;

/// The program itself.
const PROGRAM: u64 = 20_000_000;
/// One user with its connection and its buffers.
const USER: u64 = 8_000;
/// One operation in the sums of a run, its series and its record.
const OPERATION: u64 = 50_000;
/// One operation in the intervals of a worker.
const OPERATION_OF_WORKER: u64 = 5_000;

/// The estimate, as text.
pub fn about(flow: &Flow, settings: &Settings) -> String {
    let operations = flow.operations.len() as u64;
    let workers = Plan::new(settings.clone(), 1).map_or(1, |plan| plan.workers() as u64);
    let figures = operations * (OPERATION + workers * OPERATION_OF_WORKER);
    let all = PROGRAM + u64::from(settings.sessions) * USER + figures;
    let megabytes = |bytes: u64| bytes.div_ceil(1_000_000);
    let of = if operations == 1 { "operation" } else { "operations" };
    format!(
        "Memory: about {} MB, of which {} MB for the figures of {operations} {of}.",
        megabytes(all),
        megabytes(figures)
    )
}
