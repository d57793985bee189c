//! The options of `brunt cluster run`, declared for clap. Their doc comments are their help; there is no logic here.

use std::path::PathBuf;
use std::time::Duration;

use brunt_run::options::about::About;
use brunt_run::options::output::duration;
use brunt_run::options::run_options::RunOptions;
use clap::{Args, ValueEnum};

use super::plane::PlaneArgs;

/// The end of the help.
const AFTER: &str = "\
The command after -- makes the load: an LDAP rate tool, perfdhcp, http, run or names lookup. Its rates, counts, \
connections and users are those of the whole run, which the agents share; no two agents use the same value, user or \
row.

Give the files that the command reads by relative names; they are sent to the agents. Give secrets by reference, such \
as -w:env NAME or -w:file FILE; each agent looks them up.

Exit codes: those of a run, and 1 the run did not begin; 5 an agent was lost; 7 the broker was unreachable for more \
than 5 s; 8 an agent's owner does not permit the run.";

/// Options of `brunt cluster run`.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(after_long_help = AFTER)]
pub(crate) struct ClusterRunArgs {
    /// Number of agents that share the run
    #[arg(
        long,
        value_name = "NUMBER",
        required_unless_present = "local",
        value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    pub(crate) agents: Option<u32>,
    /// Start this number of agents and a broker on this machine, for trials and tests
    ///
    /// It needs nats-server. The run is no faster than one process.
    #[arg(
        long,
        value_name = "NUMBER",
        conflicts_with_all = ["agents", "keys", "nats", "creds", "token", "tls_ca"],
        value_parser = clap::value_parser!(u32).range(1..=64)
    )]
    pub(crate) local: Option<u32>,
    /// What happens to the others when an agent is lost
    #[arg(long, value_enum, default_value_t)]
    pub(crate) on_loss: OnLoss,
    /// How long to wait for agents, and then for their connections, such as 2m
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = duration)]
    pub(crate) patience: Option<Duration>,
    /// File with the key that signs orders. Default: order.seed in --keys
    #[arg(long, value_name = "FILE")]
    pub(crate) sign: Option<PathBuf>,
    /// Seed for all random values. Default: a new one for each run, stated in the record
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// With --local: keep the agents' own records in this directory
    #[arg(long, value_name = "DIR", requires = "local")]
    pub(crate) records: Option<PathBuf>,
    /// Where results go.
    #[command(flatten)]
    pub(crate) run: RunOptions,
    /// How the broker is reached.
    #[command(flatten)]
    pub(crate) plane: PlaneArgs,
    /// The command that makes the load
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// The command line as a record may show it: secrets starred.
    #[arg(skip)]
    pub(crate) typed: Vec<String>,
}

/// What happens to the others when an agent is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnLoss {
    /// They finish the exchanges in flight and stop
    #[default]
    Stop,
    /// They continue with their shares
    GoOn,
}

/// The help and the page of `brunt cluster run` beside its options.
pub(super) const ABOUT: About = About {
    description: include_str!("about/cluster-run.txt").trim_ascii_end(),
    examples: &[
        (
            "Try it on this machine, with two agents and a private broker:",
            "brunt cluster run --local 2 -- http -q 2000 -z 30s http://127.0.0.1:8080/",
        ),
        (
            "Share 20,000 searches per second among four agents on other machines:",
            "brunt cluster run --keys keys/coordinator --agents 4 --record all.json -- \\\n\
             \x20 searchrate -h ldap.lab -b dc=example,dc=com -M 20000 -c 400 '(uid=u)'",
        ),
        (
            "Continue with the other agents if one is lost:",
            "brunt cluster run --keys keys/coordinator --agents 4 --on-loss go-on \\\n\
             \x20 -- run login.toml",
        ),
    ],
    short: &[
        ("keys", "Directory that 'brunt cluster keys' made"),
        ("nats", "Address of nats-server"),
        ("agents", "Number of agents that share the run"),
        ("local", "Start this number of agents here, for trials"),
        ("on_loss", "If an agent is lost [default: stop]"),
        ("objectives", "Objective, such as 'p99<20ms'"),
        ("record", "Write the record of the run as JSON"),
        ("html", "Write the run as one HTML page"),
        ("seed", "Seed for all random values"),
        ("command", "The command that makes the load"),
    ],
};
