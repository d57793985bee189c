//! The options of `brunt names matrix` and `brunt names sweep`, declared for clap. Their doc comments are their help;
//! there is no logic here.
//!
//! Both start private environments and measure in them, so what an environment is made of is declared once. Without an
//! option, the matrix is the article's four back ends at the two sizes that take minutes and not hours.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::output::duration;

/// What the help of the matrix ends with.
const AFTER_MATRIX: &str = "\
A back end is SOURCE[:VARIANT][+index[=ATTRIBUTE:KIND,...]][+uid][+sssd][+nscd|+unscd]. SOURCE is files; ldap, which is
slapd with nothing indexed, read by nslcd; sssd, which is slapd as Debian sets it up, read by sssd; or 389ds. +index
indexes uidNumber and gidNumber, as the article did, or what it is given; +uid also names (uid, cn, memberUid), which
the article forgot. ldap:stock has Debian's indices, ldap:NAME those of --variant. Each gets private namespaces with its
own /etc and daemons; the host's files are never touched, and whatever ends the program ends them.

As root everything can be measured. Without, user namespaces serve for all but ls -l of files with many owners; without
those only files and the directory itself. What cannot be run is named, and the rest is run; the exit code is then 1, as
it is where a name was not resolved.

Examples:
  The article's four back ends with 1,000 and 3,000 users:
    brunt names matrix
  Its whole table, kept as a page and to be compared later:
    brunt names matrix --users 1000,3000,6000,9000,11000 --html names.html --record names.json
  What an index on names and more threads do to a directory:
    brunt names matrix --variant 'fast=index uidNumber,gidNumber,uid,cn eq; maxsize 2g; threads 8; nosync' \\
      --backend ldap:stock,ldap:fast,ldap+index+uid
  sssd beside nscd, looked up through the C library alone:
    brunt names matrix --backend sssd,ldap+index+nscd --road nss --passes 5";

/// What the help of a sweep ends with.
const AFTER_SWEEP: &str = "\
A value of --ttl is the time for which nscd remembers that a name exists. nscd looks for what has expired only every
fifteen seconds or so and asks again by itself for what is wanted, so times below that show little.

The hit ratio is that of the directory: one less the searches that reached it for each lookup. nscd's own figure leaves
out what its clients find in its memory by themselves.

Examples:
  What the article says of primes and of twice the number of users:
    brunt names sweep --suggested-size 211,1009,2003,2004,4001,4002,32011 --users 1000
  How long an answer has to be remembered at 500 lookups a second:
    brunt names sweep --ttl 1s,5s,20s,60s --rate 500 --duration 60s --html ttl.html";

/// Options of `brunt names matrix`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
#[command(after_help = AFTER_MATRIX)]
pub(crate) struct MatrixArgs {
    /// Numbers of users, separated by commas.
    #[arg(
        long,
        value_name = "NUMBER,...",
        value_delimiter = ',',
        default_value = "1000,3000",
        value_parser = up_to(1_000_000)
    )]
    pub(crate) users: Vec<u32>,
    /// What is compared; may be given several times.
    #[arg(
        long = "backend",
        value_name = "BACKEND,...",
        default_value = "files,ldap,ldap+index,ldap+index+nscd"
    )]
    pub(crate) backends: Vec<String>,
    /// How users are inserted and deleted. The last of several ways is how those come there that are looked up.
    /// Without this: a process for each user, as in the article, but sampled for files with more than 3000 users, which
    /// would take an hour.
    #[arg(long, value_enum, value_name = "WAY,...", value_delimiter = ',')]
    pub(crate) insert: Vec<InsertWay>,
    /// Estimate from samples what a process for each of more users than this would take, for all back ends.
    #[arg(long, value_name = "NUMBER", conflicts_with = "insert", value_parser = up_to(1_000_000))]
    pub(crate) sample_above: Option<u32>,
    /// Make the group of each user with groupadd, in place of useradd's own.
    #[arg(long)]
    pub(crate) groupadd: bool,
    /// Files that are listed, and names that are looked up each way: as many as there are users at most.
    #[arg(long, value_name = "NUMBER", default_value_t = 1000, value_parser = up_to(1_000_000))]
    pub(crate) lookups: u32,
    /// How often everything is looked up, one back end after the other each time.
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    pub(crate) passes: u32,
    /// Ways to look up, from ls -l down to the directory; those that a back end has not got are left out.
    #[arg(
        long = "road",
        value_enum,
        value_name = "ROAD,...",
        value_delimiter = ',',
        default_value = "ls,nss,nscd,nslcd,ldap"
    )]
    pub(crate) roads: Vec<RoadChoice>,
    /// What is looked up through the C library. uid+gid is what ls asks, each owner's both.
    #[arg(
        long = "by",
        value_enum,
        value_name = "KEY,...",
        value_delimiter = ',',
        default_value = "uid+gid,name,group,groups,absent"
    )]
    pub(crate) keys: Vec<KeyChoice>,
    /// How many threads ask at once; each number is a measurement of its own, beside that of one.
    #[arg(
        long,
        value_name = "NUMBER,...",
        value_delimiter = ',',
        default_value = "1",
        value_parser = up_to(1_024)
    )]
    pub(crate) threads: Vec<u32>,
    /// Say what would be measured, and what is missing for the rest; measure nothing.
    #[arg(long)]
    pub(crate) check: bool,
    /// What environments are made of.
    #[command(flatten)]
    pub(crate) cells: CellsArgs,
    /// Where results go.
    #[command(flatten)]
    pub(crate) output: NamesOutputArgs,
    /// The command line as a record may show it: secrets starred.
    #[arg(skip)]
    pub(crate) typed: Vec<String>,
}

/// Options of `brunt names sweep`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
#[command(after_help = AFTER_SWEEP)]
#[command(group(clap::ArgGroup::new("axis").required(true).multiple(true).args(["suggested_size", "ttl"])))]
pub(crate) struct SweepArgs {
    /// Numbers of buckets of nscd's tables (for unscd, of entries).
    #[arg(long, value_name = "NUMBER,...", value_delimiter = ',', value_parser = up_to(10_000_000))]
    pub(crate) suggested_size: Vec<u32>,
    /// Times for which an answer is remembered.
    #[arg(long, value_name = "DURATION,...", value_delimiter = ',', value_parser = duration)]
    pub(crate) ttl: Vec<Duration>,
    /// Numbers of users, separated by commas.
    #[arg(
        long,
        value_name = "NUMBER,...",
        value_delimiter = ',',
        default_value = "3000",
        value_parser = up_to(1_000_000)
    )]
    pub(crate) users: Vec<u32>,
    /// Back ends with nscd or unscd; may be given several times.
    #[arg(long = "backend", value_name = "BACKEND,...", default_value = "ldap+index+nscd")]
    pub(crate) backends: Vec<String>,
    /// Ask through the C library, which looks into nscd's memory itself, or nscd's socket.
    #[arg(
        long = "road",
        value_enum,
        value_name = "ROAD,...",
        value_delimiter = ',',
        default_value = "nss,nscd"
    )]
    pub(crate) roads: Vec<CacheRoad>,
    /// Lookups a second; as many as possible without this.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rate: Option<u32>,
    /// How long each value is measured, once every name has been looked up.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "5s")]
    pub(crate) duration: Option<Duration>,
    /// Which names are asked for: uniform, or zipf:S, as in zipf:1.1.
    #[arg(long, value_name = "DISTRIBUTION", default_value = "uniform")]
    pub(crate) distribution: String,
    /// How often each value is measured, one value after the other each time.
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    pub(crate) passes: u32,
    /// What environments are made of.
    #[command(flatten)]
    pub(crate) cells: CellsArgs,
    /// Where results go.
    #[command(flatten)]
    pub(crate) output: NamesOutputArgs,
    /// The command line as a record may show it: secrets starred.
    #[arg(skip)]
    pub(crate) typed: Vec<String>,
}

/// What environments are made of.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellsArgs {
    /// A directory's settings under a name, for use as ldap:NAME; separated by semicolons: index ATTRIBUTE,...
    /// KIND,...; maxsize SIZE; threads NUMBER; nosync; checkpoint KB MINUTES; idlexp NUMBER; sizelimit NUMBER; conf
    /// LINE.
    #[arg(long = "variant", value_name = "NAME=SETTINGS")]
    pub(crate) variants: Vec<String>,
    /// Settings of nscd, separated by semicolons: suggested-size NUMBER; positive-ttl SECONDS; negative-ttl SECONDS;
    /// shared yes|no; persistent yes|no. Without this those of the article, with 32011 buckets.
    #[arg(long, value_name = "SETTINGS")]
    pub(crate) nscd: Option<String>,
    /// Sources of passwd and group for nsswitch.conf, in place of those that fit the back end.
    #[arg(long, value_name = "SOURCES")]
    pub(crate) nsswitch: Option<String>,
    /// Where databases and the private /etc are kept: tmpfs, where a sync costs nothing, or a directory.
    #[arg(long, value_name = "tmpfs|DIR", default_value = "tmpfs")]
    pub(crate) data: String,
    /// How long one lookup may take before it counts as timed out.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "30s")]
    pub(crate) timeout: Option<Duration>,
    /// How long a listing or a pass of lookups may take before it is ended.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "10m")]
    pub(crate) limit: Option<Duration>,
}

/// Where results go.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NamesOutputArgs {
    /// Write everything that was measured, with its histograms, to this JSON file, which brunt report reads.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Write a page with tables and charts to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Seed of everything random; without it each time has its own, which the record says.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Show no progress.
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// How users are inserted and deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InsertWay {
    /// A process for each: useradd and userdel, ldapadd and ldapdelete.
    Process,
    /// One connection to the directory; for files, both rewritten for each user.
    Connection,
    /// One process for all: newusers, ldapadd -f, ldapdelete -f.
    Batch,
    /// slapadd -q, or the whole file written.
    Bulk,
    /// Estimated from some calls of a process for each at several sizes.
    Sample,
}

/// A way to look up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoadChoice {
    /// ls -l of files with as many owners.
    Ls,
    /// The C library, as every program does.
    Nss,
    /// The socket of nscd or unscd.
    Nscd,
    /// The socket of nslcd.
    Nslcd,
    /// A search in the directory.
    Ldap,
}

/// A way to ask a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CacheRoad {
    /// The C library, as every program does.
    Nss,
    /// The cache's socket.
    Nscd,
}

/// What is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyChoice {
    /// Users and groups by number, as ls does.
    #[value(name = "uid+gid")]
    UidGid,
    /// Users by name.
    Name,
    /// Groups by name.
    Group,
    /// The groups of a user, as a login asks for them.
    Groups,
    /// Users and groups by numbers that nobody has.
    Absent,
}

fn up_to(most: i64) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=most)
}
