//! [`Concluded`]: the record of a run that is over.

use brunt_engine::Ended;
use brunt_record::{Conclusion, Environment, Latency, Record, Tool};

use super::job::{Job, Protocol};
use super::measured::Measured;
use super::signals::Signal;

/// Everything that is known when a run is over.
pub(super) struct Concluded<'a> {
    /// What was carried out.
    pub(super) job: &'a Job,
    /// The protocol it was carried out with.
    pub(super) protocol: &'a dyn Protocol,
    /// When it began.
    pub(super) started: jiff::Timestamp,
    /// What was measured.
    pub(super) measured: &'a Measured,
    /// What the engine says of the run.
    pub(super) engine: &'a brunt_engine::Finished,
}

impl Concluded<'_> {
    /// Makes the record of a run that was ended by something, or came to its own end.
    pub(super) fn record(&self, ended_by: Option<EndedBy>) -> Result<Record, String> {
        let (interrupted, remark) = match ended_by {
            Some(EndedBy::CutShort(why)) => (Some(why), None),
            Some(EndedBy::AsPlanned(what)) => (None, Some(what)),
            None => (None, None),
        };
        let job = self.job;
        let conclusion = Conclusion {
            tool: tool(),
            started: self.started,
            command: job.command.clone(),
            plan: job.asked.clone(),
            environment: Environment::read(),
            catalogue: &job.catalogue,
            names: &|operation, outcome| self.protocol.outcome(operation, outcome),
            totals: &self.measured.totals,
            series: &self.measured.series,
            timing: self.engine.timing,
            in_process: job.in_process,
            percentiles: percentiles(&job.output.percentiles),
            ports: job.ports,
            ceiling: job.ceiling,
            interrupted: interrupted.as_deref(),
            remark: remark.as_deref(),
            objectives: &job.objectives,
        };
        conclusion.record().map_err(|error| format!("failed to {error}"))
    }
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
