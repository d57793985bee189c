//! The options of `brunt run`, declared for clap.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::output::{OutputArgs, duration};
use super::trace::TraceArgs;

/// Options of `brunt run`.
#[derive(Args, Clone, Debug, PartialEq)]
pub(crate) struct RunArgs {
    /// Plan to run, a TOML file; - reads standard input
    #[arg(required_unless_present = "schema")]
    pub(crate) plan: Option<PathBuf>,
    /// Send nothing; print the plan with its defaults and the first requests
    #[arg(long, conflicts_with_all = ["once", "trace"])]
    pub(crate) check: bool,
    /// Print the JSON schema of plans
    #[arg(long, conflicts_with_all = ["check", "plan", "once", "trace"])]
    pub(crate) schema: bool,
    /// Set a key of the plan, such as run.users=50; may be repeated
    ///
    /// Elements of an array are counted from 1, as in scenario.1.weight=3.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// How long to run, in place of the plan's duration
    #[arg(long, value_name = "DURATION", value_parser = duration, conflicts_with = "once")]
    pub(crate) duration: Option<Duration>,
    /// Where results go.
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Which exchanges are shown in full.
    #[command(flatten)]
    pub(crate) trace: TraceArgs,
    /// The command line as a record may show it: secrets starred.
    #[arg(skip)]
    pub(crate) typed: Vec<String>,
}
