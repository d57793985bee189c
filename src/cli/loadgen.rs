//! Options of `brunt loadgen`, declared for clap. There is no logic here.

use std::path::PathBuf;

use clap::Args;

use super::output::OutputArgs;
use crate::cli::resend::Resending;

/// The name of the command, and of a link to the program that stands for it.
pub(crate) const NAME: &str = "loadgen";

/// Options of `brunt loadgen`.
#[derive(Args, Debug, PartialEq)]
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
    /// Write the job as a plan for brunt run to this file, or to standard output, and perform nothing.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = "-",
        conflicts_with_all = ["check", "compat"]
    )]
    pub(crate) to_plan: Option<PathBuf>,
    /// A file of certificates to trust, instead of those that this machine trusts.
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Trust any certificate, whoever made it.
    #[arg(long, conflicts_with = "ca")]
    pub(crate) insecure: bool,
    /// Send a request again, once, if its connection was used before and is closed before any answer comes. Java's
    /// client, and so LoadGen, does so with every request.
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Resending::Always)]
    pub(crate) resend: Resending,
    /// Where results go, and what they are held against.
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// The command line as a record may show it: secrets starred.
    #[arg(skip)]
    pub(crate) typed: Vec<String>,
}

/// How finely workloads are mixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Mixing {
    /// As many rounds as the least frequent workload has loops, as LoadGen makes them
    #[default]
    Rounds,
    /// As many rounds as the most frequent workload has loops, so that rare workloads are spread evenly
    Smooth,
}
