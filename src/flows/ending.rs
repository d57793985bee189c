//! [`Ending`]: the record and the exit code of a run that is over.

use brunt_engine::{Finished, Load, Plan};
use brunt_record::{Catalogue, Conclusion, Environment, Record, Slo, Tool};

use super::naming::Naming;
use crate::asked::asked;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::measured::{Measured, lost, nothing_worked, percentiles};
use crate::signals::Signal;

/// Everything that is known when a run is over.
pub(super) struct Ending<'a> {
    pub(super) command: Vec<String>,
    pub(super) output: &'a Output,
    pub(super) target: String,
    pub(super) load: &'a Plan,
    pub(super) catalogue: &'a Catalogue,
    pub(super) naming: Naming,
    pub(super) seed: u64,
    pub(super) started: jiff::Timestamp,
    pub(super) finished: &'a Finished,
    pub(super) signal: Option<Signal>,
    pub(super) objectives: &'a [Slo],
    pub(super) ceiling: Option<f64>,
    /// Whether an arrival is one exchange, so that their rates are the same.
    pub(super) one_for_one: bool,
}

impl Ending<'_> {
    /// Writes what was asked for, and says how the program ends.
    pub(super) fn conclude(self, measured: &Measured) -> Result<(Record, Exit), String> {
        let lost = lost(measured);
        let (record, hgrm) = (self.output.record.clone(), self.output.hgrm.clone());
        let (signal, interrupted) = (self.signal, self.interrupted(lost));
        let made = self.record(measured, interrupted.as_deref())?;
        if let Some(path) = &record {
            made.write(path).map_err(|error| format!("failed to {error}"))?;
        }
        if let Some(path) = &hgrm {
            measured.write_hgrm(path)?;
        }
        let exit = exit(signal, &made, lost);
        Ok((made, exit))
    }

    fn record(self, measured: &Measured, interrupted: Option<&str>) -> Result<Record, String> {
        let plan = self.asked();
        let conclusion = Conclusion {
            tool: Tool { name: "brunt".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            started: self.started,
            plan,
            command: self.command,
            environment: Environment::read(),
            catalogue: self.catalogue,
            names: &|operation, outcome| self.naming.name(operation, outcome),
            totals: &measured.totals,
            series: &measured.series,
            percentiles: percentiles(&self.output.percentiles),
            ports: None,
            ceiling: self.ceiling,
            interrupted,
            objectives: self.objectives,
        };
        conclusion.record().map_err(|error| format!("failed to {error}"))
    }

    /// A flow of several steps asks for iterations at a rate, and a record counts exchanges.
    fn asked(&self) -> brunt_record::Plan {
        let settings = self.load.settings();
        let whole = asked(settings, self.seed, self.target.clone());
        if self.one_for_one || matches!(settings.load, Load::Closed(_)) {
            return whole;
        }
        brunt_record::Plan { target_rate: None, constant: false, ..whole }
    }

    /// Why the run is not whole: somebody ended it, or the target was away for some of it.
    fn interrupted(&self, lost: u64) -> Option<String> {
        let seconds = self.finished.lasted.as_secs_f64();
        if let Some(signal) = self.signal {
            return Some(format!("ended by {} after {seconds:.1} s", signal.name()));
        }
        (lost > 0)
            .then(|| format!("the target was away: {lost} exchanges lost or found no connection"))
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
