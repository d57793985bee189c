//! The options of `brunt run`, declared for clap.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::output::{OutputArgs, duration};

/// Options of `brunt run`.
#[derive(Args, Clone, Debug, PartialEq)]
pub(crate) struct RunArgs {
    /// The plan, a TOML file; - reads it from standard input.
    #[arg(required_unless_present = "schema")]
    pub(crate) plan: Option<PathBuf>,
    /// Send nothing: print the plan with its defaults, what it comes to, and the first requests.
    #[arg(long)]
    pub(crate) check: bool,
    /// Print the JSON schema of plans.
    #[arg(long, conflicts_with_all = ["check", "plan"])]
    pub(crate) schema: bool,
    /// Set a key of the plan, as in run.users=50 or scenario.1.weight=3. May be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// This node's place among those that share the run, counted from 0, as in 0/3.
    #[arg(long, value_name = "RANK/NODES", value_parser = node)]
    pub(crate) node: Option<(u32, u32)>,
    /// How long to run, in place of what the plan says.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) duration: Option<Duration>,
    /// Where results go.
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// The command line as a record may show it: secrets starred.
    #[arg(skip)]
    pub(crate) typed: Vec<String>,
}

fn node(text: &str) -> Result<(u32, u32), String> {
    let read = text.split_once('/').and_then(|(rank, world)| {
        let (rank, world) = (rank.parse::<u32>().ok()?, world.parse::<u32>().ok()?);
        (rank < world).then_some((rank, world))
    });
    read.ok_or_else(|| {
        "write the number of this node and that of all, such as 0/3 for the first of three"
            .to_owned()
    })
}
