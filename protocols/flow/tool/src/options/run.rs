//! The options of `brunt run`, declared for clap.

use std::path::PathBuf;
use std::time::Duration;

use brunt_run::options::about::About;
use brunt_run::options::output::{OutputArgs, duration};
use clap::Args;

use super::trace::TraceArgs;

/// Options of `brunt run`.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct RunArgs {
    /// Plan to run, a TOML file; - reads standard input
    #[arg(required_unless_present = "schema")]
    pub plan: Option<PathBuf>,
    /// Send nothing; print the plan with its defaults and the first requests
    #[arg(long, conflicts_with_all = ["once", "trace"])]
    pub check: bool,
    /// Print the JSON schema of plans
    #[arg(long, conflicts_with_all = ["check", "plan", "once", "trace"])]
    pub schema: bool,
    /// Set a key of the plan, such as run.users=50; may be repeated
    ///
    /// Elements of an array are counted from 1, as in scenario.1.weight=3.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Leave a key out of the plan, such as run.rate; may be repeated
    ///
    /// It is left out before --set adds any. Elements of an array are counted from 1.
    #[arg(long, value_name = "KEY")]
    pub unset: Vec<String>,
    /// How long to run, in place of the plan's duration
    ///
    /// It also takes the place of `iterations = { each = 1 }`, with which imported plans are tried out.
    #[arg(long, value_name = "DURATION", value_parser = duration, conflicts_with = "once")]
    pub duration: Option<Duration>,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArgs,
    /// Which exchanges are shown in full.
    #[command(flatten)]
    pub trace: TraceArgs,
}

/// The help and the page of `brunt run` beside its options.
pub const ABOUT: About = About {
    description: include_str!("run.txt").trim_ascii_end(),
    examples: &[
        ("Run a plan and write the record:", "brunt run login.toml --record run.json"),
        ("Check a plan without sending anything:", "brunt run login.toml --check"),
        (
            "Do each scenario once and print every request and answer:",
            "brunt run login.toml --once",
        ),
        (
            "Keep the first failed requests, for a browser's tools:",
            "brunt run login.toml --trace failed.har",
        ),
        (
            "Override values of the plan:",
            "brunt run login.toml --duration 1m --set run.users=50 \\\n\
             \x20 --set http.base=https://id.example.com",
        ),
        ("Run the second of three shares, one per machine:", "brunt run login.toml --node 1/3"),
    ],
    short: &[
        ("plan", "Plan to run, a TOML file"),
        ("check", "Send nothing; print the first requests"),
        ("once", "Do each scenario once; print all requests"),
        ("set", "Set a key of the plan: run.users=50"),
        ("duration", "How long to run, such as 5m"),
        ("node", "Share of this node, such as 0/3"),
        ("objectives", ""),
        ("record", "Write the record of the run as JSON"),
        ("hlog", "Write an HdrHistogram interval log"),
        ("seed", "Seed for all random values"),
        ("quiet", "Write to standard error only what needs attention"),
    ],
};
