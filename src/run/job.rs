//! [`Job`]: a run that is ready to be carried out.

use brunt_engine::Plan;
use brunt_record::{Catalogue, PortBudget, Slo};

use super::plan::{asked, of_iterations};
use super::start;
use crate::cli::output::{Output, Progress};
use crate::cli::run_options::RunOptions;

/// A run that is ready to be carried out.
#[derive(Clone)]
pub(crate) struct Job {
    /// The command line for the record, secrets starred.
    pub(crate) command: Vec<String>,
    /// When exchanges fall due, how many sessions there are, and when it ends.
    pub(crate) load: Plan,
    /// The names of operations, parts and tallies.
    pub(crate) catalogue: Catalogue,
    /// What was asked for, in the words of the record.
    pub(crate) asked: brunt_record::Plan,
    /// What the figures are held against.
    pub(crate) objectives: Vec<Slo>,
    /// Where results go.
    pub(crate) output: Output,
    /// Local ports there are and the run needs.
    pub(crate) ports: Option<PortBudget>,
    /// Exchanges a second this machine manages against a target that costs nothing.
    pub(crate) ceiling: Option<f64>,
    /// Whether nothing but a signal ends it.
    pub(crate) endless: bool,
    /// Whether the target runs in this process.
    pub(crate) in_process: bool,
    /// Whether an arrival is the beginning of several exchanges.
    pub(crate) several: bool,
}

impl Job {
    /// A run of a load, quiet and with nothing of its own.
    pub(crate) fn new(
        command: Vec<String>,
        catalogue: Catalogue,
        target: String,
        load: Plan,
    ) -> Self {
        Self {
            command,
            catalogue,
            asked: asked(load.settings(), load.settings().seed, target),
            objectives: Vec::new(),
            output: Output::default(),
            ports: None,
            ceiling: None,
            endless: false,
            in_process: false,
            several: false,
            load,
        }
    }

    /// The same run, which begins when its options say.
    pub(super) fn timed(&self) -> Result<Self, String> {
        let start = start::start(self.output.run.start_at)?;
        Ok(Self { load: self.load.starting(start), ..self.clone() })
    }

    /// The same run with another load, without objectives and without files: whoever repeats it judges and keeps. What
    /// is to end it at once still does.
    pub(crate) fn at(&self, load: Plan) -> Self {
        self.step(load, &RunOptions::default())
    }

    /// The same with these results.
    pub(crate) fn step(&self, load: Plan, results: &RunOptions) -> Self {
        let target = self.asked.target.clone().unwrap_or_default();
        let mut asked = asked(load.settings(), self.asked.seed, target);
        asked.latency_basis = self.asked.latency_basis;
        if self.several {
            asked = of_iterations(asked);
        }
        Self {
            command: self.command.clone(),
            catalogue: self.catalogue.clone(),
            asked,
            objectives: Vec::new(),
            output: Output {
                run: RunOptions { abort_on: self.output.run.abort_on.clone(), ..results.clone() },
                percentiles: self.output.percentiles.clone(),
                progress: Progress::Quiet,
                ..Output::default()
            },
            ports: self.ports,
            ceiling: self.ceiling,
            endless: false,
            in_process: self.in_process,
            several: self.several,
            load,
        }
    }
}

/// Whether neither a time nor a count ends such a load.
pub(crate) fn is_endless(load: &Plan) -> bool {
    load.lasting().is_none() && load.settings().stop.count.is_none()
}
