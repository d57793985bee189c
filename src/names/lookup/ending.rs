//! [`Ending`]: the record and the exit code of a run of lookups.

use brunt_drivers::names::{Roads, outcome_name};
use brunt_engine::{Finished, Plan};
use brunt_record::{Catalogue, Environment, Record, Slo};

use crate::asked::asked;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::measured::Measured;
use crate::run::{Conclude, Manner, ended_by, exit};
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
    /// Whether lookups are calls of a library, whose processor time is the name service's.
    pub(super) in_process: bool,
}

impl Ending<'_> {
    /// Writes what was asked for, and says how the program ends.
    pub(super) fn conclude(self, measured: &Measured) -> Result<(Record, Exit), String> {
        let endless = self.plan.lasting().is_none() && self.plan.settings().stop.count.is_none();
        let conclude = Conclude {
            started: self.started,
            node: self.plan.settings().node,
            plan: asked(self.plan.settings(), self.seed, self.target.clone()),
            // No option of this command holds a secret.
            command: std::env::args().skip(1).collect(),
            environment: Environment::read(),
            catalogue: self.catalogue,
            names: &|_, outcome| outcome_name(self.roads, outcome),
            measured,
            finished: self.finished,
            percentiles: &self.output.percentiles,
            ports: None,
            ceiling: None,
            in_process: self.in_process,
            ended_by: ended_by(self.signal, self.finished, endless),
            objectives: self.objectives,
        };
        let record = conclude.write(self.output)?;
        let exit = match exit(&record, self.signal, Manner::Ours) {
            // A name service whose directory hangs says that it knows nobody. Whom it is asked for is known to exist.
            Exit::Ok if unresolved(&record) > 0 => Exit::Partial,
            exit => exit,
        };
        Ok((record, exit))
    }
}

/// How many lookups of names that exist found nothing.
fn unresolved(record: &Record) -> u64 {
    let codes = record.operations.iter().flat_map(|operation| &operation.codes);
    codes.filter(|code| code.name == "unresolved").map(|code| code.count).sum()
}
