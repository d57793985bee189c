//! `brunt cluster run`: one run that several agents share.
//!
//! The agents are gathered, connect to the target and wait. From then on the run is like any other: [`Merged`] supplies
//! its intervals, in place of an engine.

mod beginnings;
mod coordination;
mod feed;
mod local;
mod merged;
mod steps;

use std::sync::Arc;
use std::time::Duration;

use brunt_cluster::bundle::{Bundle, Manifest};
use brunt_cluster::coordinator::{self, ClusterRun, CoordinatorEvent, OnLoss};
use brunt_cluster::signature::Signer;
use brunt_engine::{Plan, Settings, ThinkTime};
use brunt_net::Network;
use brunt_record::Head;
use brunt_run::options::exit::Exit;
use brunt_run::options::output::{Output, Progress};
use brunt_run::options::refusal::Refusal;
use brunt_run::options::run_options::{Addresses, RunOptions};
use brunt_run::options::weights::Weights;
use brunt_run::signals::Urgency;
use brunt_run::summary::{Ending, Stream};
use brunt_run::{
    ExecutionError, ExitPolicy, Files, Job, World, carry_out, check_files, console, exit,
    objectives,
};

use super::agent::{Agents, shown};
use super::cluster_check::{Needs, StandIns, variables};
use super::failed;
use super::plane::key_file;
use crate::cli::cluster_run::{self, ClusterRunArgs};
use crate::cli::plane::PlaneArgs;

use coordination::{Coordination, CoordinationReport, CoordinationRequest, Ordered};
use feed::StreamPart;
pub(crate) use local::broker_child;
use local::{Lasting, Local};
use merged::{Merged, whole_plan};
pub(super) use steps::{Agents as StepAgents, Search};

/// How often the program checks for reports.
const TICK: Duration = Duration::from_millis(20);

/// Agents that are connected to their target and wait.
struct Gathered {
    coordination: Coordination,
    labels: Arc<[String]>,
    heads: Vec<Head>,
}

/// A run whose caller knows what it needs.
#[cfg(feature = "website")]
pub(in crate::commands) struct Commission {
    /// Its name, as agents see it.
    pub(in crate::commands) run: String,
    /// The files that its command reads, relative to the current directory; none of them is a secret.
    pub(in crate::commands) files: Vec<std::path::PathBuf>,
}

/// What is known of a run before any agent is contacted.
struct Intent {
    /// The command as a record shows it.
    shown: Vec<String>,
    run: String,
    files: Option<Arc<Bundle>>,
    operations: Vec<String>,
}

/// Carries out a run with several agents.
pub(crate) fn cluster_run(args: &ClusterRunArgs, world: &World) -> Result<Exit, Refusal> {
    let shown = examined(args, world)?;
    let start = |count| Local::start(count, args.records.as_deref(), Lasting::OneRun);
    let local = args.local.map(start).transpose()?;
    let plane = local.as_ref().map_or(&args.plane, |local| &local.plane);
    // Agents that this command starts can read its files.
    let (files, operations) = if local.is_some() {
        (None, Vec::new())
    } else {
        let (files, needs) = bundle(&args.command, world)?;
        (Some(Arc::new(files)), needs.operations)
    };
    let intent = Intent { shown, run: brunt_record::run_id(), files, operations };
    coordinate(args, plane, intent, world)
}

/// Carries out a run without examining its command: the files that it reads are known.
#[cfg(feature = "website")]
pub(in crate::commands) fn commissioned(
    args: &ClusterRunArgs,
    commission: &Commission,
    world: &World,
) -> Result<Exit, Refusal> {
    let shown = examined(args, world)?;
    let here = std::env::current_dir().map_err(failed)?;
    let files: Vec<_> = commission.files.iter().map(|name| (name.clone(), false)).collect();
    let files = Some(Arc::new(Bundle::new(&here, &files).map_err(failed)?));
    let intent = Intent { shown, run: commission.run.clone(), files, operations: Vec::new() };
    coordinate(args, &args.plane, intent, world)
}

/// The command as a record shows it. A command that no agent can carry out is refused before any agent is contacted.
fn examined(args: &ClusterRunArgs, world: &World) -> Result<Vec<String>, Refusal> {
    refuse_what_agents_decide(args)?;
    let whose = if args.local.is_some() { Agents::Own } else { Agents::Others };
    let shown = shown(&args.command, whose, world);
    let shown = shown.map_err(|why| Refusal::usage(format!("error: {why}")))?;
    check_files(&args.run.paths()).map_err(Refusal::failed)?;
    world.signals.listen().map_err(|error| failed(format!("listen for signals: {error}")))?;
    Ok(shown)
}

/// Gathers agents and makes them carry out the run.
fn coordinate(
    args: &ClusterRunArgs,
    plane: &PlaneArgs,
    intent: Intent,
    world: &World,
) -> Result<Exit, Refusal> {
    let seed_file = args.sign.clone().or_else(|| key_file(&args.plane, "order.seed"));
    let signer = seed_file.as_deref().map(Signer::from_seed_file).transpose().map_err(failed)?;
    let agents = args.agents.or(args.local).unwrap_or(1);
    let requested = requested(args, agents, &intent);
    let Intent { shown, files, .. } = intent;
    let coordination = Coordination::start(plane, Ordered { requested, signer, files })?;
    if args.local.is_none() {
        world.console.message(&format!("waiting for {agents} agents"));
    }
    let gathered = gather(coordination, world, agents, &|text| world.console.message(text))?;
    let command = [args.typed.clone(), vec!["--".to_owned()], shown].concat();
    let progress = if args.run.quiet.quiet { Progress::Quiet } else { Progress::Figures };
    let job = job(&args.run, (command, &world.files), progress, &gathered)?;
    let merged = Merged::new(gathered.coordination, gathered.labels, &world.console);
    let done = carry_out(&job, &merged, &mut [], world);
    if merged.plane_lost.get() && done.is_err() {
        return Err(plane_lost());
    }
    let mut done = done.map_err(|error| not_begun(&merged, &error))?;
    let ending = Ending::new(&args.run, Stream::Output, &world.console);
    ending.report(&done.record, &mut done.losses).map_err(Refusal::failed)?;
    ending
        .close(&done.record, done.written.as_deref(), &mut done.losses)
        .map_err(Refusal::failed)?;
    if merged.plane_lost.get() {
        return Err(plane_lost());
    }
    Ok(done.losses.report(exit(&done.record, done.early(), ExitPolicy::Ours)))
}

fn plane_lost() -> Refusal {
    Refusal {
        text: "error: the broker was away for more than 5 s, so the agents have stopped by themselves; their own \
               records are complete: merge them with 'brunt merge'\n"
            .to_owned(),
        exit: Exit::PlaneLost,
    }
}

fn not_begun(merged: &Merged, error: &ExecutionError) -> Refusal {
    match merged.failed.borrow().as_ref() {
        Some((why, refused)) => stopped(&format!("{why}; {}", merged.unsent()), *refused),
        None => Refusal::failed(error),
    }
}

fn stopped(why: &str, refused: bool) -> Refusal {
    let exit = if refused { Exit::Unsafe } else { Exit::Failed };
    let word = if refused { "refused" } else { "error: the run did not begin" };
    Refusal { text: format!("{word}: {why}\n"), exit }
}

/// Refuses options of every run that only an agent can apply, or that do not apply here.
fn refuse_what_agents_decide(args: &ClusterRunArgs) -> Result<(), Refusal> {
    let run = &args.run;
    let after = "give it after --, to the command that makes the load";
    let agents = args.agents.or(args.local).unwrap_or(1) as usize;
    check_weights(run.weights.as_ref(), agents)?;
    let given = [
        (
            "--weights ceiling",
            args.local.is_some() && run.weights == Some(Weights::Ceiling),
            "agents on one machine share one ceiling",
        ),
        ("--node", run.node.is_some(), "the coordinator assigns the shares"),
        ("--start-at", run.start_at.is_some(), "all agents begin when the last one is connected"),
        (
            "--monitor",
            !run.monitors.is_empty(),
            "a cluster run does not read the target's own figures",
        ),
        ("--canary", run.canary.is_some(), "a cluster run has no canary"),
        ("--targets", run.targets.is_some(), "the owner of each agent sets its targets"),
        ("--allow", !run.allow.is_empty(), after),
        ("--addresses", run.addresses != Addresses::default(), after),
        ("--dscp", run.dscp.is_some(), after),
        ("--yes", run.yes, "name the addresses with --allow, after --"),
    ];
    match given.into_iter().find(|(_, given, _)| *given) {
        Some((option, _, why)) => Err(Refusal::usage(format!("error: {option}: {why}"))),
        None => Ok(()),
    }
}

/// The files that the command reads, described and ready to be sent. Secrets are already on the agents and need not be
/// here.
fn bundle(command: &[String], world: &World) -> Result<(Bundle, Needs), Refusal> {
    let here = std::env::current_dir().map_err(failed)?;
    let needs = Needs::new(
        command,
        &here,
        &variables(&world.environment),
        StandIns::OfSecrets,
        &world.environment,
    )?;
    let files: Vec<_> = needs.files.iter().map(|file| (file.name.clone(), file.secret)).collect();
    Ok((Bundle::new(&here, &files).map_err(failed)?, needs))
}

/// Refuses weights whose number differs from that of the agents.
fn check_weights(weights: Option<&Weights>, agents: usize) -> Result<(), Refusal> {
    let Some(Weights::Given(given)) = weights else { return Ok(()) };
    if given.len() == agents {
        return Ok(());
    }
    let text = format!("{} weights for {agents} agents", given.len());
    Err(Refusal::usage(format!("error: --weights has {text}")))
}

/// How the load of these operations is divided.
fn weights(requested: Option<&Weights>, operations: &[String]) -> coordinator::Weights {
    match requested {
        None => coordinator::Weights::Even,
        Some(Weights::Given(weights)) => coordinator::Weights::Given(weights.clone()),
        Some(Weights::Ceiling) => coordinator::Weights::Ceiling(operations.to_vec()),
    }
}

fn manifest(files: Option<&Bundle>) -> Manifest {
    files.map(|files| files.manifest().clone()).unwrap_or_default()
}

fn requested(args: &ClusterRunArgs, agents: u32, intent: &Intent) -> ClusterRun {
    ClusterRun {
        run: intent.run.clone(),
        epoch: 0,
        agents,
        weights: weights(args.run.weights.as_ref(), &intent.operations),
        seed: args.seed.unwrap_or_else(console::seed),
        argv: args.command.clone(),
        files: manifest(intent.files.as_deref()),
        step: None,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        on_loss: match args.on_loss {
            cluster_run::OnLoss::Stop => OnLoss::Stop,
            cluster_run::OnLoss::GoOn => OnLoss::GoOn,
        },
        patience: args.patience.unwrap_or(Duration::from_secs(60)),
    }
}

/// Waits until all agents are connected to the target.
fn gather(
    mut coordination: Coordination,
    world: &World,
    agents: u32,
    message: &dyn Fn(&str),
) -> Result<Gathered, Refusal> {
    let (mut labels, mut ready, mut failed): (Arc<[String]>, _, _) = (Arc::new([]), false, None);
    let mut heads: Vec<Option<Head>> = vec![None; agents as usize];
    let mut stopping = false;
    loop {
        if !stopping && world.signals.stop().urgency() != Urgency::Run {
            stopping = true;
            coordination.request(CoordinationRequest::Stop);
        }
        match coordination.reports.recv_timeout(TICK) {
            Ok(CoordinationReport::Event(CoordinatorEvent::Ordered, now)) => {
                labels = now;
                message(&format!("agents: {}; connecting to the target", labels.join(", ")));
            }
            Ok(CoordinationReport::Event(CoordinatorEvent::Ready, _)) => ready = true,
            Ok(CoordinationReport::Event(CoordinatorEvent::Failed { why, refused }, _)) => {
                failed = Some(stopped(&why, refused));
            }
            Ok(CoordinationReport::Event(CoordinatorEvent::PlaneLost, _)) => {
                failed = Some(plane_lost());
            }
            Ok(CoordinationReport::Event(..)) | Err(_) => {}
            Ok(CoordinationReport::Over(_)) => {
                coordination.finish();
                let interrupted = world.signals.received().map(|signal| Refusal {
                    text: "ended before it began; nothing was sent\n".to_owned(),
                    exit: signal.exit(),
                });
                return Err(failed.or(interrupted).unwrap_or_else(|| {
                    Refusal::failed("error: the agents ended before the run began")
                }));
            }
            Ok(CoordinationReport::Failed(refusal)) => return Err(refusal),
        }
        for (rank, fed) in coordination.fed.try_iter() {
            if let (StreamPart::Head(head), Some(place)) = (fed, heads.get_mut(rank as usize)) {
                *place = Some(*head);
            }
        }
        if ready && heads.iter().all(Option::is_some) {
            let heads = heads.into_iter().flatten().collect();
            return Ok(Gathered { coordination, labels, heads });
        }
    }
}

/// The job of the whole run, from the agents' reports about their shares.
fn job(
    run: &RunOptions,
    (command, files): (Vec<String>, &Files),
    progress: Progress,
    gathered: &Gathered,
) -> Result<Job, Refusal> {
    let heads = &gathered.heads;
    let (Some(first), Some(plan)) = (heads.first(), whole_plan(heads)) else {
        return Err(Refusal::failed("error: there are no agents"));
    };
    if let Some(other) = heads.iter().find(|head| head.fingerprint != first.fingerprint) {
        return Err(Refusal::failed(format!(
            "error: the agents' shares are not of the same run ({} and {}): do the files of the command differ?",
            first.fingerprint, other.fingerprint
        )));
    }
    let measured: Vec<&str> = first.catalogue.measured().collect();
    let goals = objectives(&run.objectives, run, &measured);
    let mut goals = goals.map_err(|error| Refusal::usage(format!("error: {error}")))?;
    goals.extend(first.objectives.iter().cloned());
    let sessions = u32::try_from(plan.sessions).unwrap_or(u32::MAX).clamp(1, Plan::SESSIONS_MAX);
    let settings =
        Settings { pin: false, workers: Some(1), ..Settings::closed(ThinkTime::None, sessions) };
    let load = Plan::new(settings, 1).map_err(failed)?;
    Ok(Job {
        command,
        search: Vec::new(),
        load,
        catalogue: first.catalogue.clone(),
        requested: plan,
        objectives: goals,
        output: Output {
            run: run.clone(),
            percentiles: first.percentiles.clone(),
            progress,
            title: None,
            among: None,
        },
        ports: None,
        network: Network::nowhere(files),
        ceiling: heads.iter().map(|head| head.ceiling).sum(),
        endless: false,
        in_process: first.in_process,
        several: false,
        // The nodes know their requests; their heads have only names.
        semantics: Vec::new(),
    })
}
