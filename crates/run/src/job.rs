//! [`Job`]: a run that is ready to be carried out.

use brunt_engine::Plan;
use brunt_net::Network;
use brunt_record::{Catalogue, Noun, PortBudget, Slo};

use super::export::Semantic;
use super::plan::{of_iterations, requested};
use super::start;
use crate::options::output::{Output, Progress};
use crate::options::run_options::RunOptions;
use crate::options::start_at::StartAtError;

/// A run that is ready to be carried out.
#[derive(Clone)]
pub struct Job {
    /// The command line for the record, secrets starred.
    pub command: Vec<String>,
    /// What to type for a search of its highest rate, if one can repeat it ([`search_words`](crate::search_words())).
    pub search: Vec<String>,
    /// When exchanges become due, how many sessions there are, and when it ends.
    pub load: Plan,
    /// The names of operations, parts and tallies.
    pub catalogue: Catalogue,
    /// The settings, in the terms of the record.
    pub requested: brunt_record::Plan,
    /// The objectives that the figures are compared with.
    pub objectives: Vec<Slo>,
    /// Where results go.
    pub output: Output,
    /// Local ports that are available and that the run needs.
    pub ports: Option<PortBudget>,
    /// The rate that this machine can make against a target of negligible cost, in exchanges a second.
    pub ceiling: Option<f64>,
    /// How its targets are reached.
    pub network: Network,
    /// Whether only a signal ends it.
    pub endless: bool,
    /// Whether the target runs in this process.
    pub in_process: bool,
    /// Whether an arrival starts several exchanges.
    pub several: bool,
    /// What OpenTelemetry's conventions call each operation, by its number.
    pub semantics: Vec<Option<Semantic>>,
}

impl Job {
    /// A quiet run of a load, with default settings.
    pub fn new(
        command: Vec<String>,
        catalogue: Catalogue,
        target: String,
        load: Plan,
        network: Network,
    ) -> Self {
        Self {
            command,
            catalogue,
            requested: requested(load.settings(), load.settings().seed, target),
            search: Vec::new(),
            objectives: Vec::new(),
            output: Output::default(),
            ports: None,
            ceiling: None,
            network,
            endless: false,
            in_process: false,
            several: false,
            semantics: Vec::new(),
            load,
        }
    }

    /// The same run, whose exchanges screens call by this noun.
    #[must_use]
    pub fn called(mut self, one: &str, many: &str) -> Self {
        self.requested.noun = Noun::new(one, many);
        self
    }

    /// The same run, beginning at the time in its options.
    pub fn timed(&self, now: jiff::Timestamp) -> Result<Self, StartAtError> {
        let start = start::start(self.output.run.start_at, now)?;
        Ok(Self { load: self.load.starting(start), ..self.clone() })
    }

    /// The same run with another load, without objectives and without files: the caller that repeats it evaluates and
    /// stores the results. Conditions that end a run at once still apply.
    #[must_use]
    pub fn at(&self, load: Plan) -> Self {
        self.step(load, &RunOptions::default())
    }

    /// The same with these results.
    #[must_use]
    pub fn step(&self, load: Plan, results: &RunOptions) -> Self {
        let target = self.requested.target.clone().unwrap_or_default();
        let mut requested = requested(load.settings(), self.requested.seed, target);
        requested.latency_basis = self.requested.latency_basis;
        requested.noun.clone_from(&self.requested.noun);
        if self.several {
            requested = of_iterations(requested);
        }
        Self {
            command: self.command.clone(),
            search: Vec::new(),
            catalogue: self.catalogue.clone(),
            requested,
            objectives: Vec::new(),
            output: Output {
                run: RunOptions { abort_on: self.output.run.abort_on.clone(), ..results.clone() },
                percentiles: self.output.percentiles.clone(),
                progress: Progress::Quiet,
                ..Output::default()
            },
            ports: self.ports,
            ceiling: self.ceiling,
            network: self.network.clone(),
            endless: false,
            in_process: self.in_process,
            several: self.several,
            semantics: self.semantics.clone(),
            load,
        }
    }
}

/// Whether a load has neither a duration nor a count that ends it.
pub fn is_endless(load: &Plan) -> bool {
    load.lasting().is_none() && load.settings().stop.count.is_none()
}
