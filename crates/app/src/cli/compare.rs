//! `brunt compare`, `brunt ab` and `brunt trend`, declared for clap. Their doc comments are their help; there is no
//! logic here.

use std::path::PathBuf;

use brunt_report::comparison::Tolerance;
use brunt_run::options::about::About;
use brunt_run::options::quiet::Quiet;
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
    /// Whether it is quiet.
    #[command(flatten)]
    pub(crate) quiet: Quiet,
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

/// The help and the page of `brunt compare` beside its options.
pub(super) const COMPARE: About = About {
    description: include_str!("../commands/compare.txt").trim_ascii_end(),
    examples: &[
        (
            "Two runs of the same command, before and after a change of the server:",
            "brunt compare before.json after.json",
        ),
        (
            "Repeated runs, one directory for each side, with an HTML page:",
            "brunt compare before/ after/ --html compare.html",
        ),
        (
            "A check in CI: exit code 6 if p99 rose by more than 10 %, or any other\n\
             figure is worse by more than 5 %:",
            "brunt compare baseline.json run.json --tolerance 5%,p99=10%",
        ),
        (
            "A comment for a pull request:",
            "brunt compare baseline/ run/ --format markdown > comment.md",
        ),
    ],
    short: &[
        ("sides", "Records, event files or directories of runs"),
        ("anyway", "Compare runs that are unlike or not valid"),
        ("tolerances", "How much worse figures may be: 5%,p99=10%"),
        ("format", "text, markdown or json [default: text]"),
        ("html", "Write an HTML page with charts as well"),
    ],
};

/// The help and the page of `brunt ab` beside its options.
pub(super) const AB: About = About {
    description: include_str!("../commands/ab.txt").trim_ascii_end(),
    examples: &[
        (
            "Two servers, five runs each, in turn:",
            "brunt ab -- http -z 20s http://old.example.com/ \\\n\
             \x20 -- http -z 20s http://new.example.com/",
        ),
        (
            "An option of the load, with the records kept:",
            "brunt ab --runs 9 --keep trial -- http -z 20s http://127.0.0.1:8080/ \\\n\
             \x20 -- http -z 20s --http2 http://127.0.0.1:8080/",
        ),
    ],
    short: &[
        ("commands", "The two commands, each after --"),
        ("runs", "How often to run each [default: 5]"),
        ("keep", "Keep the records in this directory"),
        ("anyway", "Compare runs although they are not valid"),
        ("tolerances", "How much worse figures may be: 5%,p99=10%"),
        ("format", "text, markdown or json [default: text]"),
        ("html", "Write an HTML page with charts as well"),
    ],
};

/// The help and the page of `brunt trend` beside its options.
pub(super) const TREND: About = About {
    description: include_str!("../commands/trend.txt").trim_ascii_end(),
    examples: &[
        ("The records of nightly runs:", "brunt trend nightly/"),
        ("A page with a chart of every figure:", "brunt trend nightly/ --html trend.html"),
    ],
    short: &[
        ("runs", "Directories of records, or records"),
        ("anyway", "Follow runs that are unlike"),
        ("format", "text or json [default: text]"),
        ("html", "Write an HTML page with charts as well"),
    ],
};
