//! [`Ending`]: the record and the exit code of a run of lookups.

use brunt_drivers::names::{Roads, outcome_name};
use brunt_engine::{Finished, Plan};
use brunt_record::{Catalogue, Conclusion, Environment, Record, Slo, Tool};

use crate::asked::asked;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::measured::{Measured, lost, nothing_worked, percentiles};
use crate::signals::Signal;

/// Everything that is known when a run is over.
pub(super) struct Ending<'a> {
    pub(super) output: &'a Output,
    pub(super) target: String,
    pub(super) plan: &'a Plan,
    pub(super) catalogue: &'a Catalogue,
    pub(super) roads: &'a Roads,
    pub(super) seed: u64,
    pub(super) started: jiff::Timestamp,
    pub(super) finished: &'a Finished,
    pub(super) signal: Option<Signal>,
    pub(super) objectives: &'a [Slo],
}

impl Ending<'_> {
    /// Writes what was asked for, and says how the program ends.
    pub(super) fn conclude(self, measured: &Measured) -> Result<(Record, Exit), String> {
        let lost = lost(measured);
        let interrupted = self.interrupted(lost);
        let conclusion = Conclusion {
            tool: Tool { name: "brunt".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            started: self.started,
            plan: asked(self.plan.settings(), self.seed, self.target.clone()),
            // No option of this command holds a secret.
            command: std::env::args().skip(1).collect(),
            environment: Environment::read(),
            catalogue: self.catalogue,
            names: &|_, outcome| outcome_name(self.roads, outcome),
            totals: &measured.totals,
            series: &measured.series,
            percentiles: percentiles(&self.output.percentiles),
            ports: None,
            ceiling: None,
            interrupted: interrupted.as_deref(),
            objectives: self.objectives,
        };
        let record = conclusion.record().map_err(|error| format!("failed to {error}"))?;
        if let Some(path) = &self.output.record {
            record.write(path).map_err(|error| format!("failed to {error}"))?;
        }
        if let Some(path) = &self.output.hgrm {
            measured.write_hgrm(path)?;
        }
        let exit = exit(self.signal, &record, lost);
        Ok((record, exit))
    }

    fn interrupted(&self, lost: u64) -> Option<String> {
        if let Some(signal) = self.signal {
            let seconds = self.finished.lasted.as_secs_f64();
            return Some(format!("ended by {} after {seconds:.1} s", signal.name()));
        }
        (lost > 0)
            .then(|| format!("the daemon was away: {lost} lookups lost or found no connection"))
    }
}

fn exit(signal: Option<Signal>, record: &Record, lost: u64) -> Exit {
    match signal {
        Some(Signal::Interrupt) => Exit::Interrupted,
        Some(Signal::Terminate) => Exit::Terminated,
        None if record.slo.iter().any(|slo| !slo.ok) => Exit::Missed,
        None if nothing_worked(&record.conservation.counts) => Exit::Failed,
        None if lost > 0 => Exit::Partial,
        None => Exit::Ok,
    }
}
