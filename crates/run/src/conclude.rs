//! The head of a run's record, which is known before the run, and its ending, which is known after it.

use brunt_engine::Ended;
use brunt_record::{Cause, EarlyEnd, Ending, Environment, Head, Latency, run_id};

use super::job::Job;
use super::program::tool;
use super::share;
use super::signals::Signal;

/// What is known of a run before its first exchange.
pub(crate) fn head(job: &Job, now: jiff::Timestamp) -> Head {
    Head {
        node: share::node(&job.output.run),
        fingerprint: share::fingerprint_of(&job.requested, &job.catalogue, &job.command),
        command: job.command.clone(),
        search: job.search.clone(),
        environment: Environment::read(),
        in_process: job.in_process,
        percentiles: percentiles(&job.output.percentiles),
        ports: job.ports,
        ceiling: job.ceiling,
        objectives: job.objectives.clone(),
        ..Head::new(run_id(), now, tool(), job.requested.clone(), job.catalogue.clone())
    }
}

/// What is known only after the run; `ended_by` is what ended it early, if anything did.
pub(crate) fn ending(engine: &brunt_engine::Finished, ended_by: Option<EndedBy>) -> Ending {
    let planned = Ending::planned(engine.timing);
    match ended_by {
        Some(EndedBy::CutShort(by)) => planned.cut_short(by),
        Some(EndedBy::AsPlanned(by)) => Ending { remark: by.words(), ..planned },
        None => planned,
    }
}

/// The percentiles of every record, and the requested ones.
fn percentiles(requested: &[f64]) -> Vec<f64> {
    let mut all: Vec<f64> = Latency::PERCENTILES.iter().chain(requested).copied().collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// What ended a run that did not end by itself.
#[derive(Clone, Debug, PartialEq)]
pub enum EndedBy {
    /// An event that cut it short.
    CutShort(EarlyEnd),
    /// A signal that ended a run without an end of its own, as planned.
    AsPlanned(Cause),
}

impl From<Cause> for EndedBy {
    fn from(cause: Cause) -> Self {
        Self::CutShort(cause.into())
    }
}

/// The effect of a signal on a run: `endless` is whether the run had no end of its own.
pub(crate) fn ended_by(
    signal: Option<Signal>,
    finished: &brunt_engine::Finished,
    endless: bool,
) -> Option<EndedBy> {
    let signal = signal?.name().to_owned();
    let cause = Cause::Signal { signal, after_s: finished.lasted.as_secs_f64() };
    let as_planned =
        endless && finished.ended == Ended::Stopped && !finished.timing.window().is_zero();
    Some(if as_planned { EndedBy::AsPlanned(cause) } else { cause.into() })
}
