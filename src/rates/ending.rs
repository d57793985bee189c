//! [`Ending`]: the record, the summary and the exit code of a run that is over.

use std::sync::Arc;

use brunt_drivers::ldap;
use brunt_engine::{Finished, Plan};
use brunt_record::{Basis, Catalogue, Conclusion, Environment, Record, Slo, Tool};
use brunt_report::{Style, summary};

use super::naming::name;
use super::{Outcome as RunOutcome, Voice, ports, setup};
use crate::asked::asked;
use crate::cli::exit::Exit;
use crate::cli::rate::RateArgs;
use crate::console;
use crate::measured::{Measured, lost, nothing_worked, percentiles};
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
        let lost = lost(measured);
        let interrupted = self.interrupted(lost);
        let record = self.record(measured, interrupted.as_deref())?;
        let output = &self.args.output;
        if let Some(path) = &output.record {
            record.write(path).map_err(|error| format!("failed to {error}"))?;
        }
        if let Some(path) = &output.hgrm {
            measured.write_hgrm(path)?;
        }
        if self.voice == Voice::Aloud {
            self.say(&record)?;
        }
        let exit = self.exit(&record, lost);
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
                "answers to binds held {warnings} password policy warnings and {errors} errors"
            ));
        }
        if counts.references > 0 {
            console::note(&format!("{} references were not followed", counts.references));
        }
    }

    fn record(&self, measured: &Measured, interrupted: Option<&str>) -> Result<Record, String> {
        let conclusion = Conclusion {
            tool: Tool { name: "brunt".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            started: self.started,
            command: std::iter::once(self.args.tool.name().to_owned())
                .chain(self.args.redacted.clone())
                .collect(),
            plan: self.asked(),
            environment: Environment::read(),
            catalogue: self.catalogue,
            names: &|_, outcome| name(outcome),
            totals: &measured.totals,
            series: &measured.series,
            percentiles: percentiles(&self.args.output.percentiles),
            ports: ports::of(self.args, self.plan),
            ceiling: self.ceiling,
            interrupted,
            objectives: self.objectives,
        };
        conclusion.record().map_err(|error| format!("failed to {error}"))
    }

    fn asked(&self) -> brunt_record::Plan {
        let asked = asked(self.load.settings(), self.seed, setup::target(self.args, self.plan));
        let compat = self.args.load.compat;
        let latency_basis = if compat { Basis::Service } else { Basis::Response };
        brunt_record::Plan { latency_basis, ..asked }
    }

    /// Why the run is not whole: somebody ended it, or the target was away for some of it.
    fn interrupted(&self, lost: u64) -> Option<String> {
        if let Some(signal) = self.signal {
            return Some(format!(
                "ended by {} after {:.1} s",
                signal.name(),
                self.finished.lasted.as_secs_f64()
            ));
        }
        (lost > 0)
            .then(|| format!("the target was away: {lost} exchanges lost or found no connection"))
    }

    fn exit(&self, record: &Record, lost: u64) -> Exit {
        let whole = &record.conservation.counts;
        match self.signal {
            Some(Signal::Interrupt) => Exit::Interrupted,
            Some(Signal::Terminate) => Exit::Terminated,
            None if record.slo.iter().any(|slo| !slo.ok) => Exit::Missed,
            None if nothing_worked(whole) => Exit::Failed,
            None if lost > 0 => Exit::Partial,
            None => Exit::Ok,
        }
    }
}
