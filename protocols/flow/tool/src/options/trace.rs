//! Options for inspecting single exchanges, for commands that run a flow: `--once`, `--trace`.

use std::path::PathBuf;

use brunt_run::load::{NO_LOAD, ONE_RUN, WRITES, never};
use brunt_run::options::traceparent::Traceparent;
use brunt_run::{Caller, Unsuitable};
use clap::Args;

/// The default number of failed exchanges in a trace.
const MOST: usize = 100;
/// The maximum number: each may take 100 KB of memory until the run is over.
const MOST_MAX: usize = 1_000;

/// Which exchanges are shown in full.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Debugging")]
pub struct TraceArgs {
    /// Do each scenario once and print each request and answer, the checks and the extracted values
    ///
    /// One user goes through the scenarios in turn. The load of the plan and its objectives do not apply, and pauses
    /// are shortened to a second. Secrets are starred. The exit code is 0 if every step passed, 3 if some failed, 1 if
    /// none passed. It has no live view.
    #[arg(long, conflicts_with_all = ["live", "objectives"])]
    pub once: bool,
    /// Write the first failed exchanges of the run: as HAR if FILE ends in .har, else as lines of JSON
    ///
    /// Each contains the request, the answer, and every check with the value that it saw. Secrets are starred. HAR
    /// contains exchanges over HTTP only.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Maximum number of failed exchanges that --trace keeps
    #[arg(
        long,
        value_name = "NUMBER",
        requires = "trace",
        default_value_t = MOST,
        value_parser = most
    )]
    pub trace_max: usize,
    /// The identity of exchanges.
    #[command(flatten)]
    pub identity: Traceparent,
}

impl TraceArgs {
    /// Why a caller cannot have this carried out.
    pub fn refuses(&self, caller: Caller) -> Result<(), Unsuitable> {
        never("--once", self.once, NO_LOAD)?;
        let why = match caller {
            Caller::Search => ONE_RUN,
            Caller::OwnAgents | Caller::AgentsOfOthers => WRITES,
        };
        never("--trace", self.trace.is_some(), why)
    }
}

/// Not a number of failed exchanges.
#[derive(Debug, thiserror::Error)]
#[error("write a number from 1 to {MOST_MAX}")]
struct TraceMaxError;

fn most(text: &str) -> Result<usize, TraceMaxError> {
    let read = text.parse().ok().filter(|most| (1..=MOST_MAX).contains(most));
    read.ok_or(TraceMaxError)
}
