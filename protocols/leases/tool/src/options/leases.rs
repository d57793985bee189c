//! The options of `brunt leases`, declared for clap. Their doc comments are their help; there is no logic here.
//!
//! Without any option the command makes a useful measurement of this machine, so every option has a default.
//! Contradictions are refused by clap if it can express them, else where the plan is made.

use std::path::PathBuf;

use brunt_run::options::about::About;
use brunt_run::options::count::count;
use brunt_run::options::output::{Output, OutputArgs, Progress};
use brunt_run::options::quiet::Quiet;
use brunt_run::options::resend::Resending;
use brunt_run::options::run_options::RunOptions;
use brunt_run::options::selected::{Selected, Selects};
use brunt_run::options::spelled::{Spelled, ToolSpelling};
use brunt_run::options::spelling::{Own, Spelling};
use clap::{Args, ValueEnum};

/// Options of `brunt leases`.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct LeasesArgs {
    /// Store to measure: sqlite, memfile, redb or a database URL
    ///
    /// sqlite, memfile and redb take a file after a colon (`sqlite:/var/lib/leases.db`); without one they use a
    /// temporary file. A database is a URL: `mysql://kea@localhost/`, `postgres://kea@db.example.com/`. Without any
    /// store, sqlite and memfile are measured.
    #[arg(value_name = "STORE")]
    pub stores: Vec<String>,
    /// How much, how often and when.
    #[command(flatten)]
    pub load: LeaseLoadArgs,
    /// What is done.
    #[command(flatten)]
    pub work: LeaseWorkArgs,
    /// Where leases lie.
    #[command(flatten)]
    pub place: LeaseStorageArgs,
    /// Where results go.
    #[command(flatten)]
    pub output: Selected<Results>,
}

/// How much, how often and when.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Load")]
pub struct LeaseLoadArgs {
    /// What every load takes.
    #[command(flatten)]
    pub options: Spelled<Operations>,
    /// Operations in each synchronous phase, in place of --operations
    #[arg(long, value_name = "NUMBER", value_parser = count)]
    pub sync_operations: Option<u64>,
    /// Operations in each asynchronous phase, in place of --operations
    #[arg(long, value_name = "NUMBER", value_parser = count)]
    pub async_operations: Option<u64>,
    /// How often to measure everything. Default: 1, or 3 with --guide
    ///
    /// Differences smaller than the spread of the runs are not reported as differences.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: Option<u32>,
    /// Operations per transaction
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub group: u32,
    /// Which operations to send again, once, if the database closed an idle connection
    ///
    /// Of the operations, a search is safe to repeat.
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub resend: Resending,
}

/// The names of `brunt leases` for the options that loads have in common.
#[derive(Debug)]
pub struct Operations;

impl ToolSpelling for Operations {
    const SPELLING: &'static Spelling = &Spelling {
        noun: "operation",
        nouns: "operations",
        session: "thread",
        is_open: false,
        own: &[
            Own::new("rate", "rate").help(
                "Operations per second (open loop), such as 500 or 10k\n\n\
                 With --group this is the number of transactions per second. They become due at this rate whether or \
                 not earlier ones are done. Without a rate the load is a closed loop: each operation begins when the \
                 previous one is done.",
            ),
            Own::new("warm_up", "warm-up").help(
                "Work for this long in each phase before measuring\n\n\
                 The delete phase has no warm-up, because it can only delete what is there.",
            ),
            Own::new("duration", "duration").shorts(&['d']).help(
                "Stop each phase after this time, such as 30s\n\n\
                 A phase also stops when it reaches its number of operations.",
            ),
            Own::new("count", "operations").shorts(&['n']).help(
                "Operations in each phase, such as 5000 or 100k\n\n\
                 Default: 1000 in synchronous phases, 100000 in asynchronous ones.",
            ),
            Own::new("timeout", "timeout").default("30s").help(
                "How long an operation may take before it counts as timed out",
            ),
            Own::new("drain", "drain").help(
                "How long to wait for outstanding operations at the end of a phase. Default: the --timeout",
            ),
            Own::new("workers", "workers").default("1").help(
                "Concurrent threads, each with its own connection",
            ),
        ],
        lacks: &[("no_pin", "each call waits on a thread of its own, and these are not pinned")],
    };
}

/// What is done.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Operations")]
pub struct LeaseWorkArgs {
    /// Print tables 3.1 to 3.6 of the DHCP Performance Guide
    ///
    /// The tables stand beside the figures of 2012: each store with basic and with prepared statements, with the leases
    /// that the guide used.
    #[arg(
        long,
        conflicts_with_all = ["mix", "rate", "stages", "rate_file", "think", "backlog", "duration", "schema",
            "family", "group", "workers", "phases", "statements", "search_by", "hit_ratio", "preload", "warm_up"]
    )]
    pub guide: bool,
    /// Whether changes are durable before they are acknowledged
    #[arg(long, value_enum, value_name = "MODE", default_value_t)]
    pub durability: DurabilityChoice,
    /// How SQL statements are sent. memfile and redb have none
    #[arg(long, value_enum, default_value_t)]
    pub statements: StatementsChoice,
    /// Database schema
    #[arg(long, value_enum, default_value_t)]
    pub schema: SchemaChoice,
    /// Kind of lease
    #[arg(long, value_enum, default_value_t)]
    pub family: FamilyChoice,
    /// Phases to run, in this order
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "PHASE,...",
        conflicts_with = "mix"
    )]
    pub phases: Vec<PhaseChoice>,
    /// Run one phase that mixes all operations, by weight
    ///
    /// For example allocate=40,renew=45,release=10,expire=5,search=0: each operation is drawn in proportion to its
    /// number.
    #[arg(long, value_name = "WHAT=SHARE,...")]
    pub mix: Option<String>,
    /// Number of leases to store before measuring, such as 1m
    #[arg(long, value_name = "NUMBER", value_parser = count)]
    pub preload: Option<u64>,
    /// Key that searches use
    #[arg(long, value_enum, default_value_t)]
    pub search_by: SearchBy,
    /// Fraction of searches for leases that exist. Default: 0.9, as in 2012
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub hit_ratio: Option<f64>,
}

/// Where leases lie.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Storage")]
pub struct LeaseStorageArgs {
    /// Directory for temporary files. Default: the system's
    ///
    /// The disk below it decides what a synchronous operation costs.
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Keep the files, tables and databases that the run created
    #[arg(long)]
    pub keep: bool,
    /// Destroy lease tables or files that exist already. Without this they are never touched
    #[arg(long)]
    pub yes_destroy: bool,
    /// Measure asynchronous MySQL with InnoDB and this `innodb_flush_log_at_trx_commit`
    ///
    /// The setting is changed for the whole server while it is measured. Without this option asynchronous tables are
    /// MyISAM, as in 2012.
    #[arg(long, value_name = "0|2", value_parser = flush)]
    pub innodb_flush: Option<u8>,
    /// File whose first line is the database password
    #[arg(long, value_name = "FILE", conflicts_with = "ask_password")]
    pub password_file: Option<PathBuf>,
    /// Ask for the database password on the terminal
    ///
    /// The variable `BRUNT_LEASES_PASSWORD` may also hold it.
    #[arg(long)]
    pub ask_password: bool,
}

/// The options of results that a comparison of stores, which is many runs, has.
#[derive(Debug)]
pub struct Results;

impl Selects for Results {
    const FIELDS: &'static [&'static str] = &[
        "record",
        "html",
        "events",
        "quiet",
        "monitors",
        "objectives",
        "abort_on",
        "allow",
        "targets",
        "dscp",
        "yes",
        "live",
        "no_live",
        "percentiles",
        "interval",
        "seed",
    ];
    const HELP: &'static [(&'static str, &'static str)] = &[
        (
            "record",
            "Write all results, with their histograms, as JSON. brunt report prints them again",
        ),
        ("html", "Write an HTML page with the tables and the chart"),
        (
            "events",
            "Write each interval of each run as one line of JSON while they go on; - writes to standard output\n\n\
             'brunt report' makes the results of it, also if brunt was killed.",
        ),
        (
            "objectives",
            "Objective, such as 'create.p99<2ms'; may be repeated\n\nEach run of that phase is checked against it. \
             The exit code is 99 if an objective is missed, 4 if one is undecided.",
        ),
        (
            "percentiles",
            "Additional percentile to report in the records, such as 99.95; may be repeated",
        ),
        ("interval", "Length of the intervals in the records, such as 5s"),
    ];
}

/// The options of every run that a comparison of stores does not have, and why.
pub const LACKS: &[(&str, &str)] = &[
    ("hgrm", ONE_FILE),
    ("hlog", ONE_FILE),
    ("junit", ONE_FILE),
    ("prometheus", ONE_RUN),
    ("otlp", ONE_RUN),
    ("web", ONE_RUN),
    ("details", "its tables are all figures"),
    ("summary", "it is never started under the name of an older tool"),
    ("node", ONE_MACHINE),
    ("weights", ONE_MACHINE),
    ("start_at", ONE_MACHINE),
    ("traceparent", "stores take no trace id"),
    ("canary", "every store is tried before anything is measured"),
    ("addresses", "a connection to a database uses the first address that answers"),
];
const ONE_FILE: &str = "it is many runs, and this file holds one; --record has the figures of all";
const ONE_RUN: &str = "it is many short runs in turn, and this shows one";
const ONE_MACHINE: &str = "stores take turns on one machine";

/// The output options of each run of a comparison. Files and objectives belong to the comparison.
pub fn of_each_run(output: &OutputArgs) -> Output {
    let progress = if output.run.quiet.quiet { Progress::Quiet } else { Progress::Line };
    let run = RunOptions {
        record: None,
        html: None,
        events: None,
        objectives: Vec::new(),
        quiet: Quiet::default(),
        ..output.run.clone()
    };
    Output { run, percentiles: output.percentiles.clone(), progress, ..Output::default() }
}

/// Whether a change is safe before it is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DurabilityChoice {
    /// Durable before it is acknowledged
    Sync,
    /// Acknowledged first: the store or the system writes it to disk later
    Async,
    /// Measure both, one after the other
    #[default]
    Both,
}

/// How statements reach a database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum StatementsChoice {
    /// Parsed once, then executed with bound values
    #[default]
    Prepared,
    /// Sent as text that contains the values, and parsed each time
    Basic,
    /// Measure both, one after the other
    Both,
}

/// Which tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SchemaChoice {
    /// The guide's: one table with a unique address
    #[default]
    #[value(name = "2012")]
    Guide,
    /// Kea's current one: secondary indexes, and triggers that keep statistics
    Kea,
}

/// Which leases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FamilyChoice {
    /// IPv4 addresses
    #[default]
    #[value(name = "4")]
    V4,
    /// IPv6 addresses
    #[value(name = "6")]
    V6,
    /// Delegated IPv6 prefixes
    #[value(name = "pd")]
    Prefix,
}

/// A phase that does one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PhaseChoice {
    /// Insert new leases
    Create,
    /// Look leases up
    Search,
    /// Renew leases picked at random
    Update,
    /// Delete leases one after the other
    Delete,
}

/// What leases are looked for by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SearchBy {
    /// Address
    #[default]
    Address,
    /// Client identifier, or DUID
    ClientId,
    /// Hardware address
    Hardware,
}

/// Why a word is not a value of its option.
#[derive(Debug, thiserror::Error)]
enum ValueError {
    #[error("write a number from 0 to 1, such as 0.9")]
    Share,
    #[error("write 0 (flush once per second) or 2 (write at once, flush once per second)")]
    Flush,
}

fn share(text: &str) -> Result<f64, ValueError> {
    let read = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    read.ok_or(ValueError::Share)
}

fn flush(text: &str) -> Result<u8, ValueError> {
    let read = text.parse::<u8>().ok().filter(|level| matches!(level, 0 | 2));
    read.ok_or(ValueError::Flush)
}

/// The help and the page of `brunt leases` beside its options.
pub const ABOUT: About = About {
    description: include_str!("../page.txt").trim_ascii_end(),
    examples: &[
        (
            "SQLite and memfile in a temporary directory, synchronous and asynchronous:",
            "brunt leases",
        ),
        (
            "Three stores on a given disk, five runs to tell differences from noise:",
            "brunt leases sqlite memfile redb --directory /var/lib --runs 5",
        ),
        (
            "The tables of the DHCP Performance Guide beside its figures of 2012:",
            "brunt leases --guide --html guide.html",
        ),
        (
            "Kea's current schema in PostgreSQL, ten operations per transaction, with\n\
             searches by client identifier:",
            "brunt leases postgres://kea@db.example.com/ --schema kea --group 10 \\\n\
             \x20 --search-by client-id",
        ),
        (
            "The operations of a DHCP server with a million leases, over eight connections:",
            "brunt leases mysql://kea@db.example.com/ --schema kea --preload 1m \\\n\
             \x20 --workers 8 -d 1m --mix allocate=40,renew=45,release=10,expire=5",
        ),
        (
            "Open loop: 500 new leases per second, and an objective for a CI job:",
            "brunt leases sqlite --durability sync --phases create --rate 500 -d 30s \\\n\
             \x20 --slo 'create.p99<20ms'",
        ),
    ],
    short: &[
        ("stores", "sqlite, memfile, redb or a database URL"),
        ("count", "Operations per phase, such as 100k"),
        ("duration", "Stop each phase after this time: 30s"),
        ("rate", "Operations per second (open loop): 10k"),
        ("workers", "Concurrent threads [default: 1]"),
        ("runs", "How often to measure everything"),
        ("durability", "sync, async or both [default: both]"),
        ("schema", "2012 or kea [default: 2012]"),
        ("directory", "Directory for temporary files"),
        ("html", "Write an HTML page with tables and chart"),
        ("record", "Write all results as JSON"),
    ],
};

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        leases: LeasesArgs,
    }

    fn args(line: &str) -> Result<LeasesArgs, clap::Error> {
        let words = std::iter::once("leases").chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.leases)
    }

    #[test]
    fn options_are_all_optional() {
        let none = args("").unwrap();
        assert_eq!(none.stores, Vec::<String>::new());
        assert_eq!((none.load.options.workers, none.load.group), (Some(1), 1));
        assert_eq!(none.work.durability, DurabilityChoice::Both);
        assert_eq!(none.work.statements, StatementsChoice::Prepared);
        assert_eq!(none.load.options.timeout, Some(Duration::from_secs(30)));
    }

    #[test]
    fn options_are_parsed() {
        let some = args(
            "sqlite:/x memfile -n 10k --durability sync --family pd --schema kea --phases create,search --group 10 \
             --search-by client-id --hit-ratio 0.5 -d 1m --rate 10k --arrival poisson",
        )
        .unwrap();
        assert_eq!(some.stores, ["sqlite:/x", "memfile"]);
        assert_eq!(some.load.options.count, Some(10_000));
        assert_eq!(some.work.phases, [PhaseChoice::Create, PhaseChoice::Search]);
        assert_eq!(some.work.family, FamilyChoice::Prefix);
        assert_eq!(some.work.search_by, SearchBy::ClientId);
        assert_eq!(some.work.hit_ratio, Some(0.5));
        assert_eq!(some.load.options.duration, Some(Duration::from_secs(60)));
    }

    #[test]
    fn option_conflicts_are_refused() {
        for line in [
            "-n 0",
            "-n x",
            "--workers 0",
            "--group 0",
            "--hit-ratio 1.1",
            "--runs 0",
            "--durability maybe",
            "--statements none",
            "--schema 2013",
            "--family 5",
            "--phases create,destroy",
            "--search-by name",
            "--arrival poisson",
            "--backlog 5",
            "--rate 5 --think 1s",
            "--guide --think 1s",
            "--no-pin",
            "--rate 5 --stages x",
            "--mix a=1 --phases create",
            "--guide --rate 5",
            "--guide --family 6",
            "--guide --workers 2",
            "--password-file x --ask-password",
            "--innodb-flush 1",
            "-d soon",
            "--percentile 101",
            "--nonsense",
        ] {
            assert!(args(line).is_err(), "{line}");
        }
    }
}
