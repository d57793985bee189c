//! The options of `brunt leases`, declared for clap. Their doc comments are their help; there is no logic here.
//!
//! Without a single option the command says something true about this machine, so every option has a value of its own
//! choosing. What contradicts itself is refused here where clap can say it, else where the plan is made.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::http::count;
use super::output::{duration, percentile};
use crate::cli::resend::Resending;

/// What `--help` ends with.
const AFTER: &str = "\
Examples:
  SQLite and memfile in a temporary directory, synchronous and asynchronous:
    brunt leases
  The tables of the DHCP Performance Guide, beside what it published in 2012:
    brunt leases --guide --html guide.html
  Five runs of three stores on the disk that matters, so that differences can be told from noise:
    brunt leases sqlite memfile redb --directory /var/lib --runs 5
  What a DHCP server does all day, with a million leases, from eight connections:
    brunt leases mysql://kea@localhost --schema kea --preload 1m --workers 8 -d 1m \\
      --mix allocate=40,renew=45,release=10,expire=5";

/// Options of `brunt leases`.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(after_help = AFTER)]
pub(crate) struct LeasesArgs {
    /// sqlite, memfile or redb, each with a file after a colon if it is not to be a temporary one, or mysql://... or
    /// postgres://...; sqlite and memfile if none is named.
    #[arg(value_name = "STORE")]
    pub(crate) stores: Vec<String>,
    /// How much, how often and when.
    #[command(flatten)]
    pub(crate) load: LeaseLoadArgs,
    /// What is done.
    #[command(flatten)]
    pub(crate) work: LeaseWorkArgs,
    /// Where leases lie.
    #[command(flatten)]
    pub(crate) place: LeasePlaceArgs,
    /// Where results go.
    #[command(flatten)]
    pub(crate) output: LeaseOutputArgs,
    /// The command line as a record may show it: secrets starred.
    #[arg(skip)]
    pub(crate) typed: Vec<String>,
}

/// How much, how often and when.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct LeaseLoadArgs {
    /// Operations of each phase; 1000 where they are synchronous and 100000 where they are not, without this. k and m
    /// multiply, as in 100k.
    #[arg(short = 'n', long, value_name = "NUMBER", value_parser = count)]
    pub(crate) operations: Option<u64>,
    /// Operations of each synchronous phase.
    #[arg(long, value_name = "NUMBER", value_parser = count)]
    pub(crate) sync_operations: Option<u64>,
    /// Operations of each asynchronous phase.
    #[arg(long, value_name = "NUMBER", value_parser = count)]
    pub(crate) async_operations: Option<u64>,
    /// End each phase after this time, if it has not come to its number of operations before.
    #[arg(short = 'd', long, value_name = "DURATION", value_parser = duration)]
    pub(crate) duration: Option<Duration>,
    /// Work this long in each phase before figures count; in all but delete, which has only so much to delete.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) warm_up: Option<Duration>,
    /// Make everything this often, so that a difference can be told from noise; 1, or 3 with --guide.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: Option<u32>,
    /// Threads that work at the same time, each with a connection of its own.
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) workers: u32,
    /// Operations that are committed together.
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) group: u32,
    /// Begin so many operations (with --group, transactions) a second, whatever the store does: 500, 10k, 200/s.
    /// Without it, each begins when the one before is done.
    #[arg(long, value_name = "RATE")]
    pub(crate) rate: Option<String>,
    /// How the operations of a rate are spread.
    #[arg(long, value_enum, requires = "rate")]
    pub(crate) arrival: Option<Spread>,
    /// A rate that changes, such as 'ramp 0..500/s 1m, hold 500/s 5m'.
    #[arg(long, value_name = "STAGES", conflicts_with = "rate")]
    pub(crate) stages: Option<String>,
    /// How long an operation may take until it counts as timed out.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "30s")]
    pub(crate) timeout: Option<Duration>,
    /// Ask a database again, once, if it closed the connection while that was idle; looking a lease up is safe.
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub(crate) resend: Resending,
}

/// What is done.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct LeaseWorkArgs {
    /// Print tables 3.1 to 3.6 of the DHCP Performance Guide beside the figures of 2012: each store with basic and with
    /// prepared statements, the leases as they were.
    #[arg(
        long,
        conflicts_with_all = ["mix", "rate", "stages", "duration", "schema", "family", "group", "workers", "phases",
            "statements", "search_by", "hit_ratio", "preload", "warm_up"]
    )]
    pub(crate) guide: bool,
    /// Whether a change is on the disk before it is answered.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) durability: DurabilityChoice,
    /// How statements reach a database; memfile and redb have none.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) statements: StatementsChoice,
    /// Which tables.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) schema: SchemaChoice,
    /// Which leases.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) family: FamilyChoice,
    /// The phases, in this order.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "PHASE,...",
        conflicts_with = "mix"
    )]
    pub(crate) phases: Vec<PhaseChoice>,
    /// One phase of everything a DHCP server does, each as often as its share says, such as
    /// allocate=40,renew=45,release=10,expire=5,search=0.
    #[arg(long, value_name = "WHAT=SHARE,...")]
    pub(crate) mix: Option<String>,
    /// Leases that are there before anything is measured.
    #[arg(long, value_name = "NUMBER", value_parser = count)]
    pub(crate) preload: Option<u64>,
    /// What leases are looked for by.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) search_by: SearchBy,
    /// The share of searches that find something; 0.9 without this, as in 2012.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) hit_ratio: Option<f64>,
}

/// Where leases lie.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct LeasePlaceArgs {
    /// Where the temporary files are made; its disk decides what synchronous costs. The system's directory for
    /// temporary files without this.
    #[arg(long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Leave the files, tables and databases that were made.
    #[arg(long)]
    pub(crate) keep: bool,
    /// Where tables of leases or a file of leases are there already, destroy them. Without this they are never touched.
    #[arg(long)]
    pub(crate) yes_destroy: bool,
    /// Where MySQL is asynchronous, keep InnoDB, and set `innodb_flush_log_at_trx_commit` of the whole server to this
    /// while it is measured; without this the tables are MyISAM, as in 2012.
    #[arg(long, value_name = "0|2", value_parser = flush)]
    pub(crate) innodb_flush: Option<u8>,
    /// A file whose first line is the password of the database.
    #[arg(long, value_name = "FILE", conflicts_with = "ask_password")]
    pub(crate) password_file: Option<PathBuf>,
    /// Ask for the password of the database on the terminal. The variable `BRUNT_LEASES_PASSWORD` may hold it
    /// as well.
    #[arg(long)]
    pub(crate) ask_password: bool,
}

/// Where results go.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct LeaseOutputArgs {
    /// Write everything that was measured, with its histograms, to this JSON file, which brunt report reads.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Write a page with the tables and the chart to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// An objective such as 'create.p99<2ms', which each run of that phase is held against; where one is missed the
    /// exit code is 99, where one is undecided 4. May be given several times.
    #[arg(long = "slo", value_name = "OBJECTIVE")]
    pub(crate) objectives: Vec<String>,
    /// A percentile to put into the records beside the usual ones. May be given several times.
    #[arg(long = "percentile", value_name = "NUMBER", value_parser = percentile)]
    pub(crate) percentiles: Vec<f64>,
    /// Length of the intervals in the records.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "1s")]
    pub(crate) interval: Option<Duration>,
    /// Seed of everything random; without it each time has its own, which the record says.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Show no progress.
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// How the operations of a rate are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Spread {
    /// Evenly.
    Uniform,
    /// Independently of each other.
    Poisson,
}

/// Whether a change is safe before it is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DurabilityChoice {
    /// It is.
    Sync,
    /// It is not: the disk is written when the store or the system sees fit.
    Async,
    /// One after the other.
    #[default]
    Both,
}

/// How statements reach a database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatementsChoice {
    /// Parsed once, then bound to values.
    #[default]
    Prepared,
    /// As text with the values in it, parsed each time.
    Basic,
    /// One after the other.
    Both,
}

/// Which tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaChoice {
    /// The guide's: one table, the address unique.
    #[default]
    #[value(name = "2012")]
    Guide,
    /// Kea's of today: secondary indexes, and triggers that keep statistics.
    Kea,
}

/// Which leases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FamilyChoice {
    /// Addresses of IPv4.
    #[default]
    #[value(name = "4")]
    V4,
    /// Addresses of IPv6.
    #[value(name = "6")]
    V6,
    /// Delegated prefixes of IPv6.
    #[value(name = "pd")]
    Prefix,
}

/// A phase that does one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PhaseChoice {
    /// New leases.
    Create,
    /// Looks for leases.
    Search,
    /// Renews leases, at random.
    Update,
    /// Deletes leases, one after the other.
    Delete,
}

/// What leases are looked for by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchBy {
    /// The address.
    #[default]
    Address,
    /// The client identifier, or the DUID.
    ClientId,
    /// The hardware address.
    Hardware,
}

fn share(text: &str) -> Result<f64, String> {
    let read = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    read.ok_or_else(|| "write a number from 0 to 1, such as 0.9".to_owned())
}

fn flush(text: &str) -> Result<u8, String> {
    let read = text.parse::<u8>().ok().filter(|level| matches!(level, 0 | 2));
    read.ok_or_else(|| {
        "write 0 (once a second) or 2 (written at once, to the disk once a second)".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

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
    fn nothing_has_to_be_said() {
        let none = args("").unwrap();
        assert_eq!(none.stores, Vec::<String>::new());
        assert_eq!((none.load.workers, none.load.group), (1, 1));
        assert_eq!(none.work.durability, DurabilityChoice::Both);
        assert_eq!(none.work.statements, StatementsChoice::Prepared);
        assert_eq!(none.load.timeout, Some(Duration::from_secs(30)));
    }

    #[test]
    fn what_is_said_is_read() {
        let some = args(
            "sqlite:/x memfile -n 10k --durability sync --family pd --schema kea --phases create,search --group 10 \
             --search-by client-id --hit-ratio 0.5 -d 1m --rate 10k --arrival poisson",
        )
        .unwrap();
        assert_eq!(some.stores, ["sqlite:/x", "memfile"]);
        assert_eq!(some.load.operations, Some(10_000));
        assert_eq!(some.work.phases, [PhaseChoice::Create, PhaseChoice::Search]);
        assert_eq!(some.work.family, FamilyChoice::Prefix);
        assert_eq!(some.work.search_by, SearchBy::ClientId);
        assert_eq!(some.work.hit_ratio, Some(0.5));
        assert_eq!(some.load.duration, Some(Duration::from_secs(60)));
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
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
