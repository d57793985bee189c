//! The options of `brunt names matrix` and `brunt names sweep`, declared for clap. Their doc comments are their help;
//! there is no logic here.
//!
//! Both start private environments and measure in them, so the options of an environment are declared once. Without
//! options, the matrix measures the article's four back ends at the two sizes that take minutes and not hours.

use std::path::PathBuf;
use std::time::Duration;

use brunt_run::options::about::About;
use brunt_run::options::output::duration;
use brunt_run::options::quiet::Quiet;
use clap::{Args, ValueEnum};

/// The end of the matrix's help.
const AFTER_MATRIX: &str = "\
Back ends:
  A back end is SOURCE[:VARIANT][+index[=ATTRIBUTE:KIND,...]][+uid][+sssd][+nscd|+unscd].

  files       /etc/passwd and /etc/group
  ldap        slapd without indexes, read by nslcd
  ldap:stock  slapd with the indexes that Debian sets up
  ldap:NAME   slapd with the settings of --variant NAME=...
  sssd        slapd with Debian's indexes, read by sssd
  389ds       389 Directory Server, if installed
  +index      index uidNumber and gidNumber, as the article did, or what is given
  +uid        index names too (uid, cn, memberUid), which the article did not
  +sssd       sssd instead of nslcd
  +nscd       a cache in front, also +unscd

Each back end runs in private namespaces with its own /etc and daemons. The host's files are never touched, and the \
daemons end with the program, however it ends.

Privileges:
  Root can measure everything. Other users can measure everything but ls -l if user namespaces are available, and \
otherwise only files and the directory itself. The program names what it cannot run and runs the rest. The exit code \
is then 1, as it is if a name was not resolved.";

/// The end of the sweep's help.
const AFTER_SWEEP: &str = "\
--ttl is the time for which nscd remembers that a name exists. nscd removes expired entries only about every fifteen \
seconds, and renews entries that are in use by itself, so shorter times show little difference.

The hit ratio is measured at the directory: one minus the searches per lookup that reached it. nscd's own figure does \
not include what clients find in its shared memory.";

/// Options of `brunt names matrix`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
#[command(after_long_help = AFTER_MATRIX)]
pub struct MatrixArgs {
    /// Numbers of users to measure
    #[arg(
        long,
        value_name = "NUMBER,...",
        value_delimiter = ',',
        default_value = "1000,3000",
        value_parser = up_to(1_000_000)
    )]
    pub users: Vec<u32>,
    /// Back ends to compare, such as files,ldap+index; may be repeated
    #[arg(
        long = "backend",
        value_name = "BACKEND,...",
        default_value = "files,ldap,ldap+index,ldap+index+nscd"
    )]
    pub backends: Vec<String>,
    /// How users are inserted and deleted
    ///
    /// The last of several ways inserts the users that are looked up. Default: one process for each user, as in the
    /// article; for files with more than 3000 users, which would take an hour, the total is estimated from samples.
    #[arg(long, value_enum, value_name = "WAY,...", value_delimiter = ',')]
    pub insert: Vec<InsertWay>,
    /// Above this number of users, estimate the times of one process per user from samples, for all back ends
    #[arg(long, value_name = "NUMBER", conflicts_with = "insert", value_parser = up_to(1_000_000))]
    pub sample_above: Option<u32>,
    /// Create each user's group with groupadd instead of by useradd
    #[arg(long)]
    pub groupadd: bool,
    /// Number of files to list and of names to look up; at most the number of users
    #[arg(long, value_name = "NUMBER", default_value_t = 1000, value_parser = up_to(1_000_000))]
    pub lookups: u32,
    /// How often to repeat all lookups; back ends take turns
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    pub passes: u32,
    /// Layers to look up through, from ls -l down to the directory
    ///
    /// Layers that a back end does not have are left out.
    #[arg(
        long = "through",
        alias = "road",
        value_enum,
        value_name = "LAYER,...",
        value_delimiter = ',',
        default_value = "ls,nss,nscd,nslcd,ldap"
    )]
    pub paths: Vec<PathChoice>,
    /// Kinds of lookup through the C library
    ///
    /// uid+gid looks up the owner and the group of each file, as ls does.
    #[arg(
        long = "by",
        value_enum,
        value_name = "KEY,...",
        value_delimiter = ',',
        default_value = "uid+gid,name,group,groups,absent"
    )]
    pub keys: Vec<Keys>,
    /// Numbers of concurrent threads, such as 1,4,16
    ///
    /// Each number is measured separately, in addition to one thread.
    #[arg(
        long,
        value_name = "NUMBER,...",
        value_delimiter = ',',
        default_value = "1",
        value_parser = up_to(1_024)
    )]
    pub threads: Vec<u32>,
    /// Show what would be measured and what is missing; measure nothing
    #[arg(long)]
    pub check: bool,
    /// What environments are made of.
    #[command(flatten)]
    pub cells: SandboxesArgs,
    /// Where results go.
    #[command(flatten)]
    pub output: NamesOutputArgs,
    /// The command line as a record may show it: secrets starred.
    #[arg(skip)]
    pub typed: Vec<String>,
}

/// Options of `brunt names sweep`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
#[command(after_long_help = AFTER_SWEEP)]
#[command(group(clap::ArgGroup::new("axis").required(true).multiple(true).args(["suggested_size", "ttl"])))]
pub struct SweepArgs {
    /// Hash table sizes of nscd to try (of unscd: numbers of entries), such as 211,1009
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = up_to(10_000_000))]
    pub suggested_size: Vec<u32>,
    /// Times to live of cached answers to try, such as 5s,20s,60s
    #[arg(long, value_name = "TIME,...", value_delimiter = ',', value_parser = duration)]
    pub ttl: Vec<Duration>,
    /// Numbers of users to measure
    #[arg(
        long,
        value_name = "NUMBER,...",
        value_delimiter = ',',
        default_value = "3000",
        value_parser = up_to(1_000_000)
    )]
    pub users: Vec<u32>,
    /// Back ends with nscd or unscd, such as ldap+index+nscd; may be repeated
    #[arg(long = "backend", value_name = "BACKEND,...", default_value = "ldap+index+nscd")]
    pub backends: Vec<String>,
    /// Layers to look up through: nss reads nscd's shared memory, nscd uses its socket
    #[arg(
        long = "through",
        alias = "road",
        value_enum,
        value_name = "LAYER,...",
        value_delimiter = ',',
        default_value = "nss,nscd"
    )]
    pub paths: Vec<CachePathChoice>,
    /// Lookups per second. Default: as many as possible
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub rate: Option<u32>,
    /// How long to measure each value, after every name has been looked up once
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "5s")]
    pub duration: Option<Duration>,
    /// How often each name is used: uniform, or zipf:S as in zipf:1.1
    #[arg(long, value_name = "DISTRIBUTION", default_value = "uniform")]
    pub distribution: String,
    /// How often to measure each value; values take turns
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    pub passes: u32,
    /// What environments are made of.
    #[command(flatten)]
    pub cells: SandboxesArgs,
    /// Where results go.
    #[command(flatten)]
    pub output: NamesOutputArgs,
    /// The command line as a record may show it: secrets starred.
    #[arg(skip)]
    pub typed: Vec<String>,
}

/// What environments are made of.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(next_help_heading = "Environment")]
pub struct SandboxesArgs {
    /// Named slapd settings, for use as the back end ldap:NAME
    ///
    /// Settings are separated by semicolons: index ATTRIBUTE,... KIND,...; maxsize SIZE; threads NUMBER; nosync;
    /// checkpoint KB MINUTES; idlexp NUMBER; sizelimit NUMBER; conf LINE. Example: 'fast=index uid eq; threads 8'.
    #[arg(long = "variant", value_name = "NAME=SETTINGS")]
    pub variants: Vec<String>,
    /// Settings of nscd, such as 'suggested-size 1009; positive-ttl 60'
    ///
    /// Settings are separated by semicolons: suggested-size NUMBER; positive-ttl SECONDS; negative-ttl SECONDS; shared
    /// yes|no; persistent yes|no. Default: those of the article, with 32011 buckets.
    #[arg(long, value_name = "SETTINGS")]
    pub nscd: Option<String>,
    /// Sources of passwd and group in nsswitch.conf, in place of those that fit the back end
    #[arg(long, value_name = "SOURCES")]
    pub nsswitch: Option<String>,
    /// Where to keep databases and the private /etc: tmpfs, where a sync costs nothing, or a directory
    #[arg(long, value_name = "tmpfs|DIR", default_value = "tmpfs")]
    pub data: String,
    /// How long one lookup may take before it counts as timed out
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "30s")]
    pub timeout: Option<Duration>,
    /// How long a listing or a pass of lookups may take before it is stopped
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "10m")]
    pub limit: Option<Duration>,
}

/// Where results go.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(next_help_heading = "Results")]
pub struct NamesOutputArgs {
    /// Write all results, with their histograms, as JSON. brunt report prints them again
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Write an HTML page with tables and charts
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Seed for all random values. Default: a new one for each run, stated in the record
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Whether it is quiet.
    #[command(flatten)]
    pub quiet: Quiet,
}

/// How users are inserted and deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InsertWay {
    /// One process per user: useradd and userdel, ldapadd and ldapdelete
    Process,
    /// One LDAP connection; for files, both files are rewritten for each user
    Connection,
    /// One process for all users: newusers, ldapadd -f, ldapdelete -f
    Batch,
    /// slapadd -q, or the whole file written at once
    Bulk,
    /// Estimated from a few one-process-per-user calls at several sizes
    Sample,
}

/// A way to look up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PathChoice {
    /// ls -l of files with as many owners
    Ls,
    /// The C library, as every program uses it
    Nss,
    /// The socket of nscd or unscd
    Nscd,
    /// The socket of nslcd
    Nslcd,
    /// A search in the directory
    Ldap,
}

/// A way to ask a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CachePathChoice {
    /// The C library, as every program uses it
    Nss,
    /// The cache's socket
    Nscd,
}

/// What is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Keys {
    /// Users and groups by number, as ls does
    #[value(name = "uid+gid")]
    UidGid,
    /// Users by name
    Name,
    /// Groups by name
    Group,
    /// The groups of a user, as a login asks for them
    Groups,
    /// Users and groups by numbers that do not exist
    Absent,
}

fn up_to(most: i64) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=most)
}

/// The help and the page of `brunt names matrix` beside its options.
pub const MATRIX: About = About {
    description: include_str!("../matrix/page.txt").trim_ascii_end(),
    examples: &[
        ("The article's four back ends with 1,000 and 3,000 users:", "brunt names matrix"),
        (
            "The article's whole table, as a page and as a record:",
            "brunt names matrix --users 1000,3000,6000,9000,11000 \\\n\
             \x20 --html names.html --record names.json",
        ),
        (
            "The effect of an index on names and of more threads in the directory:",
            "brunt names matrix --backend ldap:stock,ldap:fast,ldap+index+uid \\\n\
             \x20 --variant 'fast=index uidNumber,gidNumber,uid,cn eq; threads 8; nosync'",
        ),
        (
            "sssd compared with nscd, through the C library only:",
            "brunt names matrix --backend sssd,ldap+index+nscd --through nss --passes 5",
        ),
    ],
    short: &[
        ("users", "Numbers of users [default: 1000,3000]"),
        ("backends", "Back ends, such as files,ldap+index+nscd"),
        ("insert", "process, connection, batch, bulk or sample"),
        ("lookups", "Names to look up [default: 1000]"),
        ("passes", "Repetitions of all lookups [default: 3]"),
        ("paths", "Layers, of ls, nss, nscd, nslcd, ldap"),
        ("threads", "Concurrent threads, such as 1,4,16"),
        ("check", "Measure nothing; show what is possible"),
        ("record", "Write all results as JSON"),
        ("html", ""),
    ],
};

/// The help and the page of `brunt names sweep` beside its options.
pub const SWEEP: About = About {
    description: include_str!("../matrix/sweep.txt").trim_ascii_end(),
    examples: &[
        (
            "Prime and other hash table sizes, with 1,000 users:",
            "brunt names sweep --users 1000 \\\n\
             \x20 --suggested-size 211,1009,2003,2004,4001,4002,32011",
        ),
        (
            "Times to live at 500 lookups per second:",
            "brunt names sweep --ttl 1s,5s,20s,60s --rate 500 --duration 60s \\\n\
             \x20 --html ttl.html",
        ),
    ],
    short: &[
        ("suggested_size", "Hash table sizes of nscd, such as 211,1009"),
        ("ttl", "Times to live, such as 5s,20s,60s"),
        ("users", "Numbers of users [default: 3000]"),
        ("backends", "Back ends [default: ldap+index+nscd]"),
        ("rate", "Lookups per second, such as 500"),
        ("duration", "Time per value [default: 5s]"),
        ("passes", "Repetitions [default: 3]"),
        ("record", "Write all results as JSON"),
        ("html", ""),
    ],
};

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Matrix {
        #[command(flatten)]
        args: MatrixArgs,
    }

    #[derive(Debug, Parser)]
    struct Sweep {
        #[command(flatten)]
        args: SweepArgs,
    }

    #[test]
    fn through_option_is_also_accepted_as_road() {
        for option in ["--through", "--road"] {
            let matrix = Matrix::try_parse_from(["matrix", option, "nss,ldap"]).unwrap();
            assert_eq!(matrix.args.paths, [PathChoice::Nss, PathChoice::Ldap]);
            let sweep = Sweep::try_parse_from(["sweep", "--ttl", "1s", option, "nscd"]).unwrap();
            assert_eq!(sweep.args.paths, [CachePathChoice::Nscd]);
        }
    }
}
