//! Options of `brunt loadgen`, declared for clap. There is no logic here.

use std::path::PathBuf;

use brunt_run::options::about::About;
use brunt_run::options::output::OutputArgs;
use brunt_run::options::resend::Resending;
use clap::Args;

use super::trace::TraceArgs;

/// The name of the command, and of a link to the program that runs it.
pub const NAME: &str = "loadgen";

/// Options of `brunt loadgen`.
#[derive(Args, Debug, PartialEq)]
pub struct LoadgenArgs {
    /// Job file, such as jobs/morning.json
    #[arg(long, short, value_name = "FILE")]
    pub config: PathBuf,
    /// Reproduce the faults of LoadGen that its figures depend on
    #[arg(long)]
    pub compat: bool,
    /// How finely workloads are interleaved
    #[arg(long, value_enum, default_value_t = Mixing::Rounds, conflicts_with = "compat")]
    pub mix: Mixing,
    /// Send nothing; print the plan of the run and its first requests
    #[arg(long, conflicts_with_all = ["once", "trace"])]
    pub check: bool,
    /// Convert the job into a plan for brunt run; - or no value prints it
    ///
    /// Nothing is sent.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = "-",
        conflicts_with_all = ["check", "compat", "once", "trace"]
    )]
    pub to_plan: Option<PathBuf>,
    /// CA certificates (PEM) to trust, in place of the system's
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// Do not verify the server's certificate; for test servers only
    #[arg(long, conflicts_with = "ca")]
    pub insecure: bool,
    /// Which requests to send again, once, if a reused connection closes before any answer arrives
    ///
    /// The default is what LoadGen does: Java's HTTP client sends every such request again.
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Resending::Always)]
    pub resend: Resending,
    /// Where results go, and what they are held against.
    #[command(flatten)]
    pub output: OutputArgs,
    /// Which exchanges are shown in full.
    #[command(flatten)]
    pub trace: TraceArgs,
}

/// How finely workloads are mixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Mixing {
    /// As many rounds as the least frequent workload has loops, as in LoadGen
    #[default]
    Rounds,
    /// As many rounds as the most frequent workload has loops, which spreads rare workloads evenly
    Smooth,
}

/// The help and the page of `brunt loadgen` beside its options.
pub const ABOUT: About = About {
    description: include_str!("loadgen.txt").trim_ascii_end(),
    examples: &[
        (
            "Run a job against the in-memory identity API:",
            "brunt loadgen --config examples/loadgen/jobs/sessions.json",
        ),
        (
            "Show what the job would do, and send nothing:",
            "brunt loadgen --config examples/loadgen/jobs/sessions.json --check",
        ),
        (
            "Reproduce the figures of LoadGen itself:",
            "brunt loadgen --config examples/loadgen/jobs/sessions.json --compat",
        ),
        (
            "Convert the job into a plan:",
            "brunt loadgen --config examples/loadgen/jobs/sessions.json \\\n  --to-plan sessions.toml",
        ),
    ],
    short: &[
        ("config", ""),
        ("check", "Send nothing; print the first requests"),
        ("compat", "Reproduce LoadGen's own figures"),
        ("mix", "How to interleave workloads: rounds or smooth"),
        ("to_plan", "Convert the job into a plan for brunt run"),
        ("ca", "CA certificates (PEM) to trust"),
        ("insecure", "Do not verify the server's certificate"),
        ("objectives", ""),
        ("record", "Write the record of the run as JSON"),
        ("quiet", "Write to standard error only what needs attention"),
    ],
};
