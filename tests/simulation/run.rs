//! Carries a [`Script`] out, through all that a run passes: [`carry_out`], the record and the exit code.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::SystemTime;

use brunt_engine::virtual_time::{VirtualMachine, VirtualTime};
use brunt_engine::{Node, Plan, RunClock};
use brunt_exchange::Moment;
use brunt_net::Network;
use brunt_record::{Catalogue, Interval, Measured, Record, Slo, merge};
use brunt_run::environment::Environment;
use brunt_run::options::exit::Exit;
use brunt_run::options::value_error::ValueError;
use brunt_run::{ExitPolicy, Job, Observer, ObserverFailure, World, carry_out, exit};

use crate::script::Script;
use crate::session::{Log, Simulated};

/// What came of one node's share.
pub(crate) struct Share {
    pub(crate) record: Record,
    pub(crate) logs: Vec<Log>,
    pub(crate) intervals: Vec<Interval>,
    pub(crate) exit: Exit,
    /// When the run began of which the record is.
    pub(crate) origin: Moment,
    pub(crate) is_canary: bool,
}

/// What came of a script.
pub(crate) struct Outcome {
    pub(crate) shares: Vec<Share>,
    /// Of all nodes together.
    pub(crate) merged: Option<Record>,
}

impl Outcome {
    /// All of it as text, by which two outcomes are compared.
    pub(crate) fn text(&self) -> String {
        let json = |record: &Record| serde_json::to_string(record).expect("JSON");
        let share = |share: &Share| {
            let Share { logs, exit, origin, .. } = share;
            format!("{}\n{logs:?}\n{exit:?}\n{origin:?}", json(&share.record))
        };
        let shares = self.shares.iter().map(share);
        shares.chain(self.merged.iter().map(json)).collect::<Vec<_>>().join("\n")
    }
}

/// Keeps the intervals of the last run.
#[derive(Default)]
struct Kept(Vec<Interval>);

impl Observer for Kept {
    fn is_quiet(&self) -> bool {
        true
    }

    fn interval(&mut self, interval: &Interval, _: &Measured) -> Result<(), ObserverFailure> {
        self.0.push(interval.clone());
        Ok(())
    }
}

/// Carries a script out on each of its nodes. The error is what a command line would be refused with.
pub(crate) fn run(script: &Script) -> Result<Outcome, String> {
    let nodes = script.weights.len() as u32;
    let shares = (0..nodes).map(|rank| share(script, rank)).collect::<Result<Vec<_>, _>>()?;
    let merged = if nodes > 1 && shares.iter().all(|share| !share.is_canary) {
        let files = shares.iter().enumerate();
        let files: Vec<_> = files
            .map(|(rank, share)| (PathBuf::from(format!("{rank}")), share.record.clone()))
            .collect();
        let mut merged = merge(&files).map_err(|error| format!("failed to {error}"))?;
        merged.run = None;
        Some(merged)
    } else {
        None
    };
    Ok(Outcome { shares, merged })
}

fn share(script: &Script, rank: u32) -> Result<Share, String> {
    let settings = script.load.settings(script.seed);
    let nodes = script.weights.len() as u32;
    let settings = if nodes > 1 {
        let node = Node::weighted(rank, &script.weights).map_err(|error| error.to_string())?;
        settings.shared(node, 1).map_err(|error| error.to_string())?
    } else {
        settings
    };
    let plan = Plan::new(settings, 1).map_err(|error| error.to_string())?;
    let catalogue = Catalogue::new(["exchange"], ["connect"]);
    let (target, command) = ("a script".to_owned(), vec!["simulation".to_owned()]);
    let mut job = Job::new(command, catalogue, target, plan, Network::private());
    let objectives = script.load.objectives.iter().map(|text| text.parse::<Slo>());
    job.objectives = objectives.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    job.output.run.canary = script.load.canary;
    if nodes > 1 {
        let weights: Vec<String> = script.weights.iter().map(ToString::to_string).collect();
        job.output.run.node = Some(brunt_record::Node::even(rank, nodes));
        let weights = weights.join(",").parse();
        job.output.run.weights = Some(weights.map_err(|error: ValueError| error.to_string())?);
    }
    let mut machine = VirtualMachine::new(script.machine.pauses.clone());
    machine.late = script.machine.late;
    let time = VirtualTime::on_machine(machine, script.seed ^ u64::from(rank) << 32);
    let mut world = World::kept(Environment::default());
    world.clock = RunClock::standing(SystemTime::UNIX_EPOCH);
    world.time = Some(time.clone().into());
    let protocol = Simulated { script, rank, time, logs: Mutex::default() };
    let mut kept = Kept::default();
    let finished = carry_out(&job, &protocol, &mut [&mut kept], &world);
    let finished = finished.map_err(|error| error.to_string())?;
    let logs = protocol.logs();
    let from = logs.last().map_or(Moment::ZERO, |log| log.from);
    let exit = exit(&finished.record, finished.early(), ExitPolicy::Ours);
    Ok(Share {
        origin: from + finished.engine.prepared_in,
        is_canary: finished.is_canary,
        record: Record { run: None, ..finished.record },
        logs,
        intervals: kept.0,
        exit,
    })
}
