//! The options of `brunt cluster check`, declared for clap. Their doc comments are their help; there is no logic here.

use std::path::PathBuf;

use brunt_run::options::about::About;
use clap::{Args, ValueEnum};

/// Options of `brunt cluster check`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(crate) struct CheckArgs {
    /// Policy to check the command against, such as agent.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Number of agents that share the load evenly: the highest rate of the policy is compared with one share
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) agents: u32,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: CheckFormat,
    /// Take secrets that are missing here to be on the agents
    #[arg(long, hide = true)]
    pub(crate) stand_ins: bool,
    /// Command that makes the load, after --
    #[arg(required = true, last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// How the needs of a command are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// A short table
    #[default]
    Text,
    /// One JSON object; files and variables are those that agents would let the command use
    Json,
}

/// The help and the page of `brunt cluster check` beside its options.
pub(super) const ABOUT: About = About {
    description: include_str!("about/cluster-check.txt").trim_ascii_end(),
    examples: &[
        ("Show what a plan needs on agents:", "brunt cluster check -- run login.toml"),
        (
            "Check whether an agent's policy permits a quarter of a load:",
            "brunt cluster check --policy agent.toml --agents 4 \\\n\
             \x20 -- perfdhcp -4 -r 500 127.0.0.1",
        ),
    ],
    short: &[],
};
