//! [`Agents`]: several agents that carry out the load of a search, step after step (`find-max --agents`).
//!
//! Each step is a separate order to the same agents, with an epoch of its own, so a late message from one step is not
//! attributed to another. A measurement with one agent fewer is not evidence, so a step that loses an agent ends the
//! search.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use brunt_cluster::bundle::Bundle;
use brunt_cluster::coordinator::{ClusterRun, OnLoss, Weights};
use brunt_cluster::message;
use brunt_cluster::signature::Signer;
use brunt_run::World;
use brunt_run::options::output::Progress;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::run_options::RunOptions;
use brunt_run::{
    ExecutionError, Finished, Observer, Repeatable, Step, StepLoad, Subject, carry_out,
};

use super::coordination::{Coordination, Ordered};
use super::local::{Lasting, Local};
use super::merged::Merged;
use super::{bundle, check_weights, gather, job, manifest, shown, weights};
use crate::cli::find_max::AgentsOfSearch;
use crate::cli::plane::PlaneArgs;
use crate::commands::agent::Agents as Whose;
use crate::commands::failed;
use crate::commands::plane::key_file;

/// What a search needs to start.
pub(in crate::commands) struct Search<'a> {
    /// Which agents, and how to connect to them.
    pub(in crate::commands) agents: &'a AgentsOfSearch,
    /// The command that makes the load.
    pub(in crate::commands) argv: &'a [String],
    /// The addresses that may be reached.
    pub(in crate::commands) allow: Vec<String>,
    /// What is known of the load.
    pub(in crate::commands) subject: Subject,
}

/// Agents that carry out the steps of a search.
pub(in crate::commands) struct Agents {
    plane: PlaneArgs,
    /// The local agents, if they were started for this search.
    _local: Option<Local>,
    signer: Option<Signer>,
    files: Option<Arc<Bundle>>,
    argv: Vec<String>,
    allow: Vec<String>,
    count: u32,
    weights: Weights,
    patience: Duration,
    subject: Subject,
    run: String,
    epoch: Cell<u32>,
    used: Cell<u64>,
}

/// Why a step was not carried out by all agents.
#[derive(Debug, thiserror::Error)]
enum StepError {
    #[error("{0}")]
    CalledOff(String),
    #[error("{0}: the search ends, because a step needs all agents")]
    Lost(String),
}

impl Agents {
    /// Starts agents, if they are on this machine; remote agents are looked up at each step.
    pub(in crate::commands) fn new(search: Search<'_>, world: &World) -> Result<Self, Refusal> {
        let Search { agents: requested, argv, allow, subject } = search;
        let whose = if requested.local.is_some() { Whose::Own } else { Whose::Others };
        shown(argv, whose, world).map_err(|why| Refusal::usage(format!("error: {why}")))?;
        let count = requested.agents.or(requested.local).unwrap_or(1);
        check_weights(requested.weights.as_ref(), count as usize)?;
        let weights = weights(requested.weights.as_ref(), &subject.operations);
        let seed_file = requested.sign.clone().or_else(|| key_file(&requested.plane, "order.seed"));
        let signer =
            seed_file.as_deref().map(Signer::from_seed_file).transpose().map_err(failed)?;
        let files =
            if requested.local.is_some() { None } else { Some(Arc::new(bundle(argv, world)?.0)) };
        let start = |count| Local::start(count, None, Lasting::ManyRuns);
        let local = requested.local.map(start).transpose()?;
        Ok(Self {
            plane: local.as_ref().map_or(&requested.plane, |local| &local.plane).clone(),
            _local: local,
            signer,
            files,
            argv: argv.to_vec(),
            allow,
            count,
            weights,
            patience: requested.patience.unwrap_or(Duration::from_secs(60)),
            // The maximum of one machine does not apply to several.
            subject: Subject { ceiling: None, ..subject },
            run: brunt_record::run_id(),
            epoch: Cell::new(0),
            used: Cell::new(0),
        })
    }

    fn run(&self, step: &Step) -> ClusterRun {
        let epoch = self.epoch.get();
        self.epoch.set(epoch.saturating_add(1));
        // A load of one session uses one agent.
        let alone = matches!(step.load, StepLoad::Alone | StepLoad::AloneUnder(_));
        ClusterRun {
            run: self.run.clone(),
            epoch,
            agents: if alone { 1 } else { self.count },
            weights: if alone { Weights::Even } else { self.weights.clone() },
            seed: self.subject.seed,
            argv: self.argv.clone(),
            files: manifest(self.files.as_deref()),
            step: Some(message::Step {
                rate: match step.load {
                    // Agents cannot be limited to a rate: a search with that limit uses one machine.
                    StepLoad::Alone | StepLoad::AloneUnder(_) => None,
                    StepLoad::Poisson(rate) => Some(rate),
                },
                warm_up: step.warm_up,
                lasting: step.lasting,
                drain: step.drain,
                interval: step.interval,
                first: step.first,
                all_cores: step.all_cores,
                allow: self.allow.clone(),
            }),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            on_loss: OnLoss::Stop,
            patience: self.patience,
        }
    }
}

impl Repeatable for Agents {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn carry_out(
        &self,
        step: &Step,
        observers: &mut [&mut dyn Observer],
        world: &World,
    ) -> Result<Finished, ExecutionError> {
        let failed = |error: Refusal| ExecutionError::Protocol(error.into());
        let requested = self.run(step);
        let agents = requested.agents;
        let (signer, files) = (self.signer.clone(), self.files.clone());
        let ordered = Ordered { requested, signer, files };
        let coordination = Coordination::start(&self.plane, ordered).map_err(failed)?;
        let gathered = gather(coordination, world, agents, &|_| {}).map_err(failed)?;
        let command = (self.subject.command.clone(), &world.files);
        let job =
            job(&RunOptions::default(), command, Progress::Quiet, &gathered).map_err(failed)?;
        let merged = Merged::new(gathered.coordination, gathered.labels, &world.console);
        let done = carry_out(&job, &merged, observers, world);
        self.used.set(merged.used.get());
        if let Some((why, _)) = merged.failed.borrow().as_ref() {
            let called_off = StepError::CalledOff(why.clone());
            return Err(ExecutionError::Protocol(called_off.into()));
        }
        match merged.lost.take() {
            Some(lost) => Err(ExecutionError::Protocol(StepError::Lost(lost).into())),
            None => done,
        }
    }

    fn used(&self, _: &Finished) -> u64 {
        self.used.get()
    }
}
