//! Options of `brunt loadgen`, declared for clap. There is no logic here.

use std::path::PathBuf;

use clap::Args;

use crate::loadgen::Mixing;

/// The name of the command, and of a link to the program that stands for it.
pub(crate) const NAME: &str = "loadgen";

/// Options of `brunt loadgen`.
#[derive(Args, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch, independent of the others")]
pub(crate) struct LoadgenArgs {
    /// The job file.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) config: PathBuf,
    /// Perform and report the job with those faults of LoadGen that its figures depend on.
    #[arg(long)]
    pub(crate) compat: bool,
    /// How finely workloads are mixed.
    #[arg(long, value_enum, default_value_t = Mixing::Rounds, conflicts_with = "compat")]
    pub(crate) mix: Mixing,
    /// Read everything, print what would be done and the first requests, and send nothing.
    #[arg(long)]
    pub(crate) check: bool,
    /// Write the job as a plan for brunt run, to this file or to standard output, and send nothing.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", conflicts_with = "check")]
    pub(crate) to_plan: Option<PathBuf>,
    /// A file in PEM with the certificates to trust, instead of those that this machine trusts.
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Trust any certificate, whoever made it.
    #[arg(long, conflicts_with = "ca")]
    pub(crate) insecure: bool,
    /// Write a record of the run to this file, for brunt report.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Write the percentile distribution of all response times to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) hgrm: Option<PathBuf>,
    /// Write a log of histograms, one an interval and operation, to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) hlog: Option<PathBuf>,
    /// An objective such as 'login.p99<20ms'; one that is missed ends the program with exit code 99.
    #[arg(long, value_name = "OBJECTIVE")]
    pub(crate) slo: Vec<String>,
    /// The number that every random value follows from; without it, one is drawn.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Show nothing while the job runs.
    #[arg(long)]
    pub(crate) quiet: bool,
}
