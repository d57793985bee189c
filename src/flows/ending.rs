//! [`Ending`]: the record and the exit code of a run that is over.

use brunt_engine::{Finished, Load, Plan};
use brunt_record::{Catalogue, Environment, Record, Slo};

use super::naming::Naming;
use crate::asked::asked;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::measured::Measured;
use crate::run::{Conclude, Manner, ended_by, exit};
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
    /// Whether its users stop by themselves, after so many iterations.
    pub(super) bounded: bool,
    /// Whether an arrival is one exchange, so that their rates are the same.
    pub(super) one_for_one: bool,
}

impl Ending<'_> {
    /// Writes what was asked for, and says how the program ends.
    pub(super) fn conclude(self, measured: &Measured) -> Result<(Record, Exit), String> {
        let (output, signal) = (self.output, self.signal);
        let plan = self.asked();
        let endless = self.load.lasting().is_none()
            && self.load.settings().stop.count.is_none()
            && !self.bounded;
        let conclude = Conclude {
            started: self.started,
            node: self.load.settings().node,
            plan,
            command: self.command,
            environment: Environment::read(),
            catalogue: self.catalogue,
            names: &|operation, outcome| self.naming.name(operation, outcome),
            measured,
            finished: self.finished,
            percentiles: &output.percentiles,
            ports: None,
            ceiling: self.ceiling,
            in_process: false,
            ended_by: ended_by(signal, self.finished, endless),
            objectives: self.objectives,
        };
        let record = conclude.write(output)?;
        let exit = exit(&record, signal, Manner::Ours);
        Ok((record, exit))
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
}
