//! [`Ending`]: the record, the summary and the exit code of a run that is over.

use std::sync::Arc;

use brunt_drivers::ldap;
use brunt_engine::{Finished, Plan};
use brunt_record::{Basis, Catalogue, Environment, Record, Slo};
use brunt_report::{Style, summary};

use super::naming::name;
use super::{Outcome as RunOutcome, Voice, ports, setup};
use crate::asked::asked;
use crate::cli::output::Output;
use crate::cli::rate::RateArgs;
use crate::console;
use crate::measured::{Measured, lost};
use crate::run::{Conclude, Manner, ended_by, exit};
use crate::signals::Signal;

/// Everything that is known when a run is over.
pub(super) struct Ending<'a> {
    pub(super) args: &'a RateArgs,
    pub(super) plan: &'a Arc<ldap::Plan>,
    pub(super) load: &'a Plan,
    pub(super) catalogue: &'a Catalogue,
    pub(super) seed: u64,
    pub(super) started: jiff::Timestamp,
    pub(super) finished: &'a Finished,
    pub(super) signal: Option<Signal>,
    pub(super) objectives: &'a [Slo],
    pub(super) ceiling: Option<f64>,
    pub(super) voice: Voice,
}

impl Ending<'_> {
    /// Writes what was asked for, prints the summary, and says how the program ends.
    pub(super) fn conclude(&self, measured: &Measured) -> Result<RunOutcome, String> {
        let output = &self.args.output;
        let files = Output {
            record: output.record.clone(),
            hgrm: output.hgrm.clone(),
            ..Output::default()
        };
        let record = self.run(measured).write(&files)?;
        if self.voice == Voice::Aloud {
            self.say(&record)?;
        }
        let manner = Manner::Old { lost: lost(measured) > 0 };
        let exit = exit(&record, self.signal, manner);
        Ok(RunOutcome { record, exit })
    }

    /// The summary goes to standard error: standard output holds what it held of old.
    fn say(&self, record: &Record) -> Result<(), String> {
        let style = Style { colour: console::colours(), verdict_always: false };
        let text = summary(record, style).map_err(|error| format!("failed to {error}"))?;
        console::tell(&format!("\n{text}"));
        self.aside();
        if let Some(path) = &self.args.output.record {
            console::say(&format!("record: {}", path.display()));
        }
        Ok(())
    }

    /// What servers said beside their results. The counts are of the whole run.
    fn aside(&self) {
        let counts = self.plan.tally().counts();
        let (warnings, errors) = (counts.policy_warnings, counts.policy_errors);
        if warnings + errors > 0 {
            console::note(&format!(
                "bind responses contained {warnings} password policy warnings and {errors} errors"
            ));
        }
        if counts.references > 0 {
            console::note(&format!("{} references were not followed", counts.references));
        }
    }

    fn run<'b>(&'b self, measured: &'b Measured) -> Conclude<'b> {
        Conclude {
            started: self.started,
            command: std::iter::once(self.args.tool.name().to_owned())
                .chain(self.args.redacted.clone())
                .collect(),
            plan: self.asked(),
            environment: Environment::read(),
            catalogue: self.catalogue,
            names: &|_, outcome| name(outcome),
            measured,
            finished: self.finished,
            percentiles: &self.args.output.percentiles,
            ports: ports::of(self.args, self.plan),
            ceiling: self.ceiling,
            in_process: false,
            ended_by: ended_by(self.signal, self.finished, self.endless()),
            objectives: self.objectives,
        }
    }

    /// Whether only a signal can end the run.
    fn endless(&self) -> bool {
        self.load.lasting().is_none() && self.load.settings().stop.count.is_none()
    }

    fn asked(&self) -> brunt_record::Plan {
        let asked = asked(self.load.settings(), self.seed, setup::target(self.args, self.plan));
        let compat = self.args.load.compat;
        let latency_basis = if compat { Basis::Service } else { Basis::Response };
        brunt_record::Plan { latency_basis, ..asked }
    }
}
