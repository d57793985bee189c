//! The options of `brunt agent` and `brunt agents`, declared for clap. Their doc comments are their help; there is no
//! logic here.

use std::path::PathBuf;

use brunt_cluster::message::Name;
use clap::Args;

use super::about::About;
use super::plane::{PlaneArgs, name};

/// What the help of the agent ends with.
const AFTER: &str = "\
An agent waits for a coordinator to give it a share of a run, carries it out in a process of its own, and sends the \
figures as they come. It begins when all agents begin. If it does not hear from the \
coordinator for 5 s, it stops the load by itself.

Without --policy it reaches addresses of this machine alone.

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
    /// Rank among the agents of a run. Default: what a launcher says, or by name
    ///
    /// Kubernetes (JOB_COMPLETION_INDEX), Slurm (SLURM_PROCID) and Nomad (NOMAD_ALLOC_INDEX) are asked through the
    /// environment.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) rank: Option<u32>,
    /// What its owner permits: targets, rates, commands, whose orders (TOML). Default: agent.toml in --keys
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Directory for the records of its shares
    #[arg(long, value_name = "DIR", default_value = "brunt-agent")]
    pub(crate) records: PathBuf,
    /// Take part in one run, and end
    #[arg(long)]
    pub(crate) once: bool,
    /// End when standard input ends, as it does with the ssh connection that started this
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

fn part(text: &str) -> Result<(usize, usize), String> {
    let parts = text
        .split_once('/')
        .and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    parts.filter(|(index, count)| index < count).ok_or_else(|| "write it as 0/4".to_owned())
}

/// What is said of `brunt agent` beside its options.
pub(super) const AGENT: About = About {
    description: "\
        Waits for [cluster run](cluster-run.md) to give it a share of a run, and carries it out on this machine. It \
        connects to the broker, so no port has to be open for it. [Many machines as one run](cluster.md) says how to \
        set it up.",
    examples: &[
        (
            "Wait for orders, with the keys that cluster keys made:",
            "brunt agent --keys keys/agents/agent-0",
        ),
        (
            "The same on the machine of the broker, for trying:",
            "brunt agent --nats nats://127.0.0.1:4222",
        ),
        (
            "Take part in one run, and permit what a file says:",
            "brunt agent --nats tls://nats.lab:4222 --creds a.creds \\\n\
             \x20 --policy agent.toml --once",
        ),
    ],
    short: &[
        ("keys", "Directory that 'brunt cluster keys' made"),
        ("nats", "Address of nats-server"),
        ("policy", "What its owner permits (TOML)"),
        ("once", "Take part in one run, and end"),
    ],
};

/// What is said of `brunt agents` beside its options.
pub(super) const AGENTS: About = About {
    description: "\
        Lists the agents that wait for orders: their names, cores, versions and machines. Agents that carry out a \
        run are not listed.",
    examples: &[("List who waits:", "brunt agents --keys keys/coordinator")],
    short: &[],
};
