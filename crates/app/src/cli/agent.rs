//! The options of `brunt agent` and `brunt agents`, declared for clap. Their doc comments are their help; there is no
//! logic here.

use std::path::PathBuf;

use brunt_cluster::message::Name;
use brunt_run::options::about::About;
use clap::Args;

use super::plane::{PlaneArgs, name};
use super::value_error::ValueError;

/// The end of the agent's help.
const AFTER: &str = "\
An agent waits until a coordinator gives it a share of a run, carries out the share in a separate process, and sends \
the figures during the run. All agents begin at the same time. If an agent hears nothing from the coordinator for 5 s, \
it stops the load by itself.

Without --policy it sends only to addresses of this machine.

Exit codes: 0 ended by a signal or after --once; 1 the broker cannot be reached; with --once: 5 not everything was \
delivered, 8 the order was refused.";

/// Options of `brunt agent`.
#[expect(clippy::doc_markdown, reason = "what stands here is shown on a terminal")]
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(after_long_help = AFTER)]
pub(crate) struct AgentArgs {
    /// Name of this agent. Default: the name in --keys, or that of this machine
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(crate) name: Option<Name>,
    /// Rank among the agents of a run. Default: from the launcher, or by name
    ///
    /// It is read from the environment of Kubernetes (JOB_COMPLETION_INDEX), Slurm (SLURM_PROCID) and Nomad
    /// (NOMAD_ALLOC_INDEX).
    #[arg(long, value_name = "NUMBER")]
    pub(crate) rank: Option<u32>,
    /// Policy of the owner: targets, rates, commands, coordinators (TOML). Default: agent.toml in --keys
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Directory for the records of its shares
    #[arg(long, value_name = "DIR", default_value = "brunt-agent")]
    pub(crate) records: PathBuf,
    /// Take part in one run, then exit
    #[arg(long)]
    pub(crate) once: bool,
    /// Exit when standard input ends, as it does when the ssh connection that started the agent closes
    #[arg(long)]
    pub(crate) with_stdin: bool,
    /// One of several agents that a coordinator has started for itself
    #[arg(long, value_name = "INDEX/COUNT", hide = true, value_parser = part)]
    pub(crate) local: Option<(usize, usize)>,
    /// How the broker is reached.
    #[command(flatten)]
    pub(crate) plane: PlaneArgs,
}

/// Options of `brunt agents`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgentsArgs {
    /// How the broker is reached.
    #[command(flatten)]
    pub(crate) plane: PlaneArgs,
}

fn part(text: &str) -> Result<(usize, usize), ValueError> {
    let parts = text
        .split_once('/')
        .and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    parts.filter(|(index, count)| index < count).ok_or(ValueError::Part)
}

/// The help and the page of `brunt agent` beside its options.
pub(super) const AGENT: About = About {
    description: "\
        Waits until [cluster run](cluster-run.md) gives it a share of a run, and carries out the share on this \
        machine. The agent connects to the broker, so it needs no open port. [Many machines as one run](cluster.md) \
        explains how to set up a cluster.",
    examples: &[
        (
            "Wait for orders, with the keys that cluster keys made:",
            "brunt agent --keys keys/agents/agent-0",
        ),
        (
            "The same on the machine of the broker, for a trial:",
            "brunt agent --nats nats://127.0.0.1:4222",
        ),
        (
            "Take part in one run, with a policy:",
            "brunt agent --nats tls://nats.lab:4222 --creds a.creds \\\n\
             \x20 --policy agent.toml --once",
        ),
    ],
    short: &[
        ("keys", "Directory that 'brunt cluster keys' made"),
        ("nats", "Address of nats-server"),
        ("policy", "Policy of the owner (TOML)"),
        ("once", "Take part in one run, then exit"),
    ],
};

/// The help and the page of `brunt agents` beside its options.
pub(super) const AGENTS: About = About {
    description: "\
        Lists the agents that wait for orders: their names, cores, versions and machines. Agents that are carrying \
        out a run are not listed.",
    examples: &[("List the waiting agents:", "brunt agents --keys keys/coordinator")],
    short: &[],
};
