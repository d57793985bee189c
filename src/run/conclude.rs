//! The head of a run's record, which is known before it, and its ending, which is known after it.

use brunt_engine::Ended;
use brunt_record::{Ending, Environment, Head, Latency, Tool, run_id};

use super::job::Job;
use super::share;
use super::signals::Signal;
use crate::console;

/// What is known of a run before its first exchange.
pub(super) fn head(job: &Job) -> Head {
    Head {
        node: share::node(&job.output.run),
        fingerprint: share::of(&job.asked, &job.catalogue, &job.command),
        command: job.command.clone(),
        environment: Environment::read(),
        in_process: job.in_process,
        percentiles: percentiles(&job.output.percentiles),
        ports: job.ports,
        ceiling: job.ceiling,
        objectives: job.objectives.clone(),
        ..Head::new(run_id(), console::now(), tool(), job.asked.clone(), job.catalogue.clone())
    }
}

/// What is known only after it, given what ended the run if it did not come to its own end.
pub(super) fn ending(engine: &brunt_engine::Finished, ended_by: Option<EndedBy>) -> Ending {
    let (interrupted, remark) = match ended_by {
        Some(EndedBy::CutShort(why)) => (Some(why), None),
        Some(EndedBy::AsPlanned(what)) => (None, Some(what)),
        None => (None, None),
    };
    Ending { interrupted, remark, ..Ending::planned(engine.timing) }
}

/// The percentiles of every record, and those asked for.
fn percentiles(asked: &[f64]) -> Vec<f64> {
    let mut all: Vec<f64> = Latency::PERCENTILES.iter().chain(asked).copied().collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// What made a record.
pub(crate) fn tool() -> Tool {
    Tool { name: "brunt".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
}

/// What ended a run that did not end by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EndedBy {
    /// Something that cut it short.
    CutShort(String),
    /// A signal, without which a run that has no end of its own would not end.
    AsPlanned(String),
}

/// What a signal did to a run: `endless` is whether it had no end of its own.
pub(super) fn ended_by(
    signal: Option<Signal>,
    finished: &brunt_engine::Finished,
    endless: bool,
) -> Option<EndedBy> {
    let what = format!("ended by {} after {:.1} s", signal?.name(), finished.lasted.as_secs_f64());
    let as_planned =
        endless && finished.ended == Ended::Stopped && !finished.timing.window().is_zero();
    Some(if as_planned { EndedBy::AsPlanned(what) } else { EndedBy::CutShort(what) })
}
