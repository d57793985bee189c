//! [`Conclude`]: the record of a run that is over, and the files that are written with it.

use brunt_engine::{Ended, Finished, Node};
use brunt_record::{
    Catalogue, Conclusion, Ending, Environment, Head, Names, Plan, PortBudget, Record, Slo, Tool,
    run_id,
};

use super::share;
use crate::cli::output::Output;
use crate::measured::{Measured, percentiles};
use crate::signals::Signal;

/// Everything that is known when a run is over.
pub(crate) struct Conclude<'a> {
    /// When it began.
    pub(crate) started: jiff::Timestamp,
    /// The command line, secrets already replaced.
    pub(crate) command: Vec<String>,
    /// Which part of the run this is.
    pub(crate) node: Node,
    /// What was asked for.
    pub(crate) plan: Plan,
    /// The machine.
    pub(crate) environment: Environment,
    /// The names of operations, parts and tallies.
    pub(crate) catalogue: &'a Catalogue,
    /// The names of outcomes.
    pub(crate) names: Names<'a>,
    /// What was measured.
    pub(crate) measured: &'a Measured,
    /// What the engine says of the run.
    pub(crate) finished: &'a Finished,
    /// Percentiles asked for beside the usual ones.
    pub(crate) percentiles: &'a [f64],
    /// Local ports there are and the plan needs.
    pub(crate) ports: Option<PortBudget>,
    /// Exchanges a second this machine manages against a target that costs nothing.
    pub(crate) ceiling: Option<f64>,
    /// Whether the target runs in this process.
    pub(crate) in_process: bool,
    /// What ended the run, if it did not end by itself.
    pub(crate) ended_by: Option<EndedBy>,
    /// What the run had to reach.
    pub(crate) objectives: &'a [Slo],
}

impl Conclude<'_> {
    /// Makes the record.
    pub(crate) fn record(self) -> Result<Record, String> {
        let (interrupted, remark) = match self.ended_by {
            Some(EndedBy::CutShort(why)) => (Some(why), None),
            Some(EndedBy::AsPlanned(what)) => (None, Some(what)),
            None => (None, None),
        };
        let head = Head {
            node: share::node(self.node),
            fingerprint: share::of(&self.plan, self.catalogue, &self.command),
            command: self.command,
            environment: self.environment,
            in_process: self.in_process,
            percentiles: percentiles(self.percentiles),
            ports: self.ports,
            ceiling: self.ceiling,
            objectives: self.objectives.to_vec(),
            ..Head::new(run_id(), self.started, tool(), self.plan, self.catalogue.clone())
        };
        let conclusion = Conclusion {
            head,
            names: self.names,
            totals: &self.measured.totals,
            series: &self.measured.series,
            ending: Ending { interrupted, remark, ..Ending::planned(self.finished.timing) },
        };
        conclusion.record().map_err(|error| format!("failed to {error}"))
    }

    /// Makes the record, and writes it and the distribution of response times where they were asked for.
    pub(crate) fn write(self, output: &Output) -> Result<Record, String> {
        let measured = self.measured;
        let record = self.record()?;
        if let Some(path) = &output.record {
            record.write(path).map_err(|error| format!("failed to {error}"))?;
        }
        if let Some(path) = &output.hgrm {
            measured.write_hgrm(path)?;
        }
        Ok(record)
    }
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
pub(crate) fn ended_by(
    signal: Option<Signal>,
    finished: &Finished,
    endless: bool,
) -> Option<EndedBy> {
    let what = format!("ended by {} after {:.1} s", signal?.name(), finished.lasted.as_secs_f64());
    let as_planned =
        endless && finished.ended == Ended::Stopped && !finished.timing.window().is_zero();
    Some(if as_planned { EndedBy::AsPlanned(what) } else { EndedBy::CutShort(what) })
}
