//! `brunt agent`: waits for orders, and carries out shares of runs.
//!
//! [`brunt_cluster`] decides what is sent and when; this module has the sockets, the clock and the process. An order is
//! judged by its owner's policy before any connection is made. It is judged again by its rate once the run has reported
//! its share, which is before anything is sent.

mod carried;
mod child;
mod files;
mod judge;
mod order;

use std::path::Path;
use std::time::Duration;

use brunt_cluster::agent::Share;
use brunt_cluster::message::{
    Join, Name, Order, PROTOCOL, Sealed, SealedError, hello, write_report,
};
use brunt_cluster::plane::Nats;
use brunt_cluster::policy::Policy;
use brunt_exchange::{Clock as _, Monotonic};
use brunt_run::World;
use brunt_run::environment::Environment;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::signals::Urgency;
use brunt_run::{ceiling, console};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::failed;
use super::plane::{Ticks, connect, key_file, login, runtime};
use crate::cli::agent::AgentArgs;

pub(crate) use child::end_with_agent;
pub(crate) use order::{Agents, StepTask, shown};

/// How long an agent waits for an answer to a request for work, and for how long until it sends the next.
const ASK_EVERY: Duration = Duration::from_millis(500);

/// An agent.
struct Agent<'a> {
    args: &'a AgentArgs,
    name: Name,
    nats: Nats,
    world: &'a World,
}

/// How a share ended.
struct Carried {
    delivered: bool,
    refused: bool,
}

/// Waits for orders until it is ended.
pub(crate) fn agent(args: &AgentArgs, world: &World) -> Result<Exit, Refusal> {
    world.signals.listen().map_err(|error| failed(format!("listen for signals: {error}")))?;
    if args.with_stdin || args.local.is_some() {
        end_with_stdin(world)?;
    }
    if let Some((index, count)) = args.local {
        keep_to_part(index, count);
    }
    let host = brunt_record::Environment::read().host;
    let login = login(&args.plane)?.map(|login| Name::of_host(&login.name));
    let name = login.or_else(|| args.name.clone()).unwrap_or_else(|| Name::of_host(&host));
    brunt_cluster::bundle::sweep(&args.records);
    // A file that cannot be read is reported now and not with the first order.
    policy(args)?;
    runtime()?.block_on(async {
        let nats = connect(&args.plane, name.as_str()).await?;
        let agent = Agent { args, name, nats, world };
        agent.serve(host).await
    })
}

/// What the owner permits, by the present policy file.
fn policy(args: &AgentArgs) -> Result<Policy, Refusal> {
    let path = args.policy.clone().or_else(|| key_file(&args.plane, "agent.toml"));
    path.map_or_else(|| Ok(Policy::of_loopback()), |path| Policy::read(&path).map_err(failed))
}

impl Agent<'_> {
    async fn serve(&self, host: String) -> Result<Exit, Refusal> {
        let pool = self.args.plane.broker.pool();
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
        let mut join = Join {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            name: self.name.clone(),
            nonce: brunt_record::run_id(),
            host,
            cores,
            ceilings: ceiling::all(cores, &self.world.environment),
            rank: self.args.rank.or_else(|| launched(&self.world.environment)),
            wall_ms: None,
            permits: None,
        };
        if self.args.local.is_none() {
            self.world.console.message(&format!(
                "agent {} waits for orders in pool {pool}; ^C ends it",
                self.name
            ));
        }
        let mut ticks = Ticks::every(ASK_EVERY);
        let (mut complained, mut foreign) = (None, false);
        while self.world.signals.stop().urgency() == Urgency::Run {
            join.wall_ms = Some(console::now().as_millisecond());
            // The file as it is now, by which the next order is judged.
            join.permits = self.policy().ok().map(|policy| policy.brief());
            let question = serde_json::to_vec(&join).map_err(failed)?;
            let answer = self.nats.request(hello(&pool), question, ASK_EVERY).await;
            let complaint = self.nats.complaint();
            if let Some(why) = complaint.as_ref().filter(|_| complained != complaint) {
                self.world.console.note(&format!("the broker says: {why}"));
            }
            complained = complaint;
            let answer = answer.unwrap_or_default();
            let order = (!answer.is_empty()).then(|| self.read(&answer, &join.nonce));
            match order {
                Some(Ok(order)) => {
                    let carried = self.carry_out(order).await?;
                    if self.args.once {
                        return Ok(carried.exit());
                    }
                    // From here on neither this order nor any message about it is obeyed.
                    join.nonce = brunt_record::run_id();
                }
                Some(Err(why)) => {
                    if !std::mem::replace(&mut foreign, true) {
                        self.world.console.note(&format!("ignored an order: {why}"));
                    }
                    self.decline(&answer, &join.nonce, why.to_string()).await;
                }
                None => {}
            }
            ticks.next().await;
        }
        Ok(Exit::Ok)
    }

    /// An order for this agent, if it is one that the agent obeys.
    fn read(&self, answer: &[u8], nonce: &str) -> Result<Order, OrderIgnored> {
        let policy = self.policy()?;
        let order: Order =
            Sealed::open(answer, &|text, signature| policy.signer(text, signature).is_ok())
                .map_err(|error| match error {
                    SealedError::Signature => brunt_cluster::policy::unsigned().into(),
                    error => OrderIgnored::Sealed(error),
                })?;
        let ours = order.nonce == nonce && order.rank < order.of;
        if ours && brunt_cluster::message::is_run(&order.run) {
            Ok(order)
        } else {
            Err(OrderIgnored::Foreign)
        }
    }

    /// Reports to the sender of a refused order why it is refused. The order is used only to find out where to send
    /// this report.
    async fn decline(&self, answer: &[u8], nonce: &str, why: String) {
        let Ok(order) = Sealed::open::<Order>(answer, &|_, _| true) else { return };
        if order.nonce != nonce || !brunt_cluster::message::is_run(&order.run) {
            return;
        }
        let clock = Monotonic::new();
        let mut share = Share::new(order, self.name.clone(), clock.now().since_origin());
        share.refuse(why, clock.now().since_origin());
        let now = console::now().as_microsecond();
        let (report, piece) = share.report(clock.now().since_origin(), now);
        // If this is lost, the coordinator requests it again.
        self.nats.request(share.subject(), write_report(&report, &piece), ASK_EVERY).await;
    }

    fn policy(&self) -> Result<Policy, Refusal> {
        policy(self.args)
    }

    fn records(&self) -> &Path {
        &self.args.records
    }
}

impl Carried {
    fn exit(&self) -> Exit {
        match self {
            Self { refused: true, .. } => Exit::Unsafe,
            Self { delivered: false, .. } => Exit::Partial,
            _ => Exit::Ok,
        }
    }
}

/// Why an order is not carried out.
#[derive(Debug, thiserror::Error)]
enum OrderIgnored {
    #[error(transparent)]
    Policy(#[from] Refusal),
    #[error(transparent)]
    Unsigned(#[from] brunt_cluster::policy::Refusal),
    #[error(transparent)]
    Sealed(SealedError),
    #[error("it is for another agent")]
    Foreign,
}

/// The rank that a launcher assigns, by the variable names of Kubernetes, Slurm and Nomad.
fn launched(environment: &Environment) -> Option<u32> {
    let names = ["JOB_COMPLETION_INDEX", "SLURM_PROCID", "NOMAD_ALLOC_INDEX"];
    names.iter().find_map(|name| environment.text(name)?.parse().ok())
}

/// Ends this program as a signal would when standard input ends.
fn end_with_stdin(world: &World) -> Result<(), Refusal> {
    let stop = world.signals.stop();
    let wait = move || {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        stop.request();
    };
    let spawned = std::thread::Builder::new().name("stdin".to_owned()).spawn(wait);
    spawned.map(drop).map_err(|error| failed(format!("start a thread: {error}")))
}

/// Pins this process to its part of the machine's cores: otherwise all agents on one machine would pin their first
/// worker to the same core.
fn keep_to_part(index: usize, count: usize) {
    let Ok(all) = sched_getaffinity(None) else { return };
    let cores: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|core| all.is_set(*core)).collect();
    let (from, to) = (index * cores.len() / count, (index + 1) * cores.len() / count);
    let mine = cores.get(from..to).filter(|mine| !mine.is_empty());
    let Some(mine) =
        mine.or_else(|| cores.get(index % cores.len().max(1)..).and_then(|it| it.get(..1)))
    else {
        return;
    };
    let mut only = CpuSet::new();
    for core in mine {
        only.set(*core);
    }
    // Where this is not allowed, agents share cores.
    let _ = sched_setaffinity(None, &only);
}
