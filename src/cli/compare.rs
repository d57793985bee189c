//! `brunt compare`, `brunt ab` and `brunt trend`, declared for clap. Their doc comments are their help; there is no
//! logic here.

use std::path::PathBuf;

use brunt_report::comparison::Tolerance;
use clap::{Args, ValueEnum};

/// Options of `brunt compare`.
#[derive(Args, Debug, PartialEq)]
pub(crate) struct CompareArgs {
    /// Records, event files, or directories with repeated runs of one thing; the first is the baseline
    #[arg(required = true, num_args = 2..=26, value_name = "FILE|DIR")]
    pub(crate) sides: Vec<PathBuf>,
    /// Compare runs although they are unlike, or not valid
    #[arg(long)]
    pub(crate) anyway: bool,
    #[command(flatten)]
    pub(crate) results: ComparedArgs,
}

/// Options of `brunt ab`.
#[derive(Args, Debug, PartialEq)]
pub(crate) struct AbArgs {
    /// How often to run each command
    #[arg(long, value_name = "NUMBER", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: u32,
    /// Keep the records in this directory, as a/01.json and b/01.json. Default: they are deleted
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
    /// Compare runs although they are not valid
    #[arg(long)]
    pub(crate) anyway: bool,
    #[command(flatten)]
    pub(crate) results: ComparedArgs,
    /// The two commands, each after --
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) commands: Vec<String>,
}

/// How a comparison is shown, and what it is held against.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct ComparedArgs {
    /// How much worse a figure may be: 5%, p99=10% or bind.p99=10%. Default: any worse figure is a regression
    ///
    /// The exit code is 6 if a figure is worse by more than that. The figures are achieved, goodput, errors (in
    /// percentage points), cpu, target-cpu, mean, p50, p90, p99, p99.9, service-mean, service-p50 and service-p99. May
    /// be repeated, or hold several with commas between them; the most specific one counts.
    #[arg(long = "tolerance", value_name = "CHANGE", value_delimiter = ',', value_parser = str::parse::<Tolerance>)]
    pub(crate) tolerances: Vec<Tolerance>,
    /// Output format
    #[arg(long, value_enum, default_value_t = ComparedFormat::Text)]
    pub(crate) format: ComparedFormat,
    /// Write an HTML page with charts as well
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// How a comparison is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ComparedFormat {
    /// Tables
    #[default]
    Text,
    /// Tables for a pull request
    Markdown,
    /// The comparison as a JSON document
    Json,
}

/// Options of `brunt trend`.
#[derive(Args, Debug, PartialEq)]
pub(crate) struct TrendArgs {
    /// Directories of records or event files, or such files
    #[arg(required = true, value_name = "DIR|FILE")]
    pub(crate) runs: Vec<PathBuf>,
    /// Follow runs although not all were asked for the same load
    #[arg(long)]
    pub(crate) anyway: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = TrendFormat::Text)]
    pub(crate) format: TrendFormat,
    /// Write an HTML page with charts as well
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// How a trend is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TrendFormat {
    /// A table, and charts of what changed
    #[default]
    Text,
    /// The trend as a JSON document
    Json,
}
