//! The options of `brunt names lookup`, declared for clap. Their doc comments are their help; there is no logic here.

use std::path::PathBuf;

use brunt_names_driver::{By, Distribution};
use brunt_run::options::about::About;
use brunt_run::options::output::OutputArgs;
use brunt_run::options::resend::Resending;
use brunt_run::options::spelled::{Spelled, ToolSpelling};
use brunt_run::options::spelling::{Own, Spelling};
use clap::{Args, ValueEnum};

/// The default number of lookups a second: that of a busy machine, which any daemon can handle.
pub const USUAL_RATE: f64 = 1_000.0;
/// The default number of threads.
pub const USUAL_THREADS: u32 = 4;

/// The end of the help.
const AFTER: &str = "\
The command is read-only. It checks each answer: a name that should exist and is not found counts as unresolved, and \
one that is found with another number or name counts as wrong. Both are failures, not fast lookups.

Keys:
  host         every user and group that getent lists on this machine
  10000-10999  a range of numbers; --pattern gives their names
  10000..11000 the same range, without its end
  FILE         a file in the format of /etc/passwd or /etc/group

Directories are often set up not to list their users, so host may find local users only. Use a range or a file then.

Caches:
  The first lookup of a name is slow and later ones are fast. brunt never empties a cache. To start with a cold one, \
empty it first: sss_cache -E for sssd; nscd -i passwd and nscd -i group for nscd. --distribution once looks each name \
up once, so it measures first lookups. uniform and zipf mostly measure the cache.";

/// Options of `brunt names lookup`.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(after_long_help = AFTER)]
pub struct LookupArgs {
    /// Kinds of lookup, with weights, such as uid=3,user=1
    ///
    /// Kinds: uid, gid, user, group, and groups (the groups of a user, as a login asks for them).
    #[arg(long, value_name = "KIND[=WEIGHT],...", value_delimiter = ',', default_value = "uid", value_parser = kind)]
    pub by: Vec<(By, u32)>,
    /// Layer to query
    #[arg(long, value_enum, default_value_t)]
    pub through: Through,
    /// Which users to look up: host, a range such as 10000-12999, or a file
    ///
    /// The groups of a range are looked up as well.
    #[arg(long, value_name = "KEYS", default_value = "host")]
    pub keys: String,
    /// User names of a range, such as u%d: %d is the number, %i the position from 0
    #[arg(long, value_name = "PATTERN")]
    pub pattern: Option<String>,
    /// Which groups to look up, if not the same range or host: host, a range or a file
    #[arg(long, value_name = "KEYS")]
    pub group_keys: Option<String>,
    /// How often each key is used: uniform, zipf:S or once
    ///
    /// zipf:1.1 uses the k-th key in proportion to 1/k^1.1. once uses each key exactly once, in an order that is spread
    /// over all of them.
    #[arg(long, value_name = "DISTRIBUTION", default_value = "uniform", value_parser = distribution)]
    pub distribution: Option<Distribution>,
    /// Fraction of lookups for names that do not exist, such as 0.1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub negative: f64,
    /// When, how many and how long.
    #[command(flatten)]
    pub load: LookupLoad,
    /// Sources to use in place of those in nsswitch.conf, such as 'files sss'
    ///
    /// They apply to this process only, and bypass nscd.
    #[arg(long, value_name = "SOURCES")]
    pub source: Option<String>,
    /// Socket of nscd or nslcd, if it is not in the usual place
    #[arg(long, value_name = "PATH")]
    pub socket: Option<PathBuf>,
    /// The directory.
    #[command(flatten)]
    pub directory: DirectoryArgs,
    /// Number of keys to look up in each source after the run
    ///
    /// Each source is asked for them separately, without caches, to report which sources know them. 0 asks for none.
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = up_to(0, 1000))]
    pub probe: u32,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// When, how many and how long.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Load")]
pub struct LookupLoad {
    /// What every load takes.
    #[command(flatten)]
    pub options: Spelled<Lookups>,
    /// Closed loop without a rate limit
    ///
    /// Each thread starts its next lookup as soon as it has an answer. Other users of the daemons will notice.
    #[arg(long, conflicts_with_all = ["rate", "stages", "rate_file", "backlog"])]
    pub unlimited: bool,
}

/// The names of `brunt names lookup` for the options that loads have in common.
#[derive(Debug)]
pub struct Lookups;

impl ToolSpelling for Lookups {
    const SPELLING: &'static Spelling = &Spelling {
        noun: "lookup",
        nouns: "lookups",
        session: "thread",
        is_open: true,
        own: &[
            Own::new("rate", "rate").help(
                "Lookups per second (open loop), such as 500 or 10k. Default: 1000",
            ),
            Own::new("think", "think").help(
                "Think time of each thread between an answer and its next lookup, such as 10ms. Needs --unlimited\n\n\
                 It is a time, or drawn from a distribution: 'exponential 1s', 'uniform 50ms..150ms' or 'normal \
                 100ms±20ms'.",
            ),
            Own::new("duration", "duration").shorts(&['d']).help(
                "How long to run, such as 30s or 2m\n\nWithout this and without -n, a run lasts 10 s.",
            ),
            Own::new("count", "lookups").shorts(&['n']),
            Own::new("timeout", "timeout").default("5s").help(
                "How long to wait before a lookup counts as timed out; 0 waits forever",
            ),
            Own::new("workers", "threads").shorts(&['c']).default("4").help(
                "Concurrent threads, one lookup in flight on each",
            ),
        ],
        lacks: &[("no_pin", "each call waits on a thread of its own, and these are not pinned")],
    };
}

/// The directory that is asked with `--through ldap`.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Directory")]
pub struct DirectoryArgs {
    /// Directory for --through ldap: `ldap://HOST`, `ldaps://HOST` or `ldapi://PATH`
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Base DN of users and groups, such as dc=example,dc=com
    #[arg(long, value_name = "DN", default_value = "")]
    pub base: String,
    /// Base DN of users, if not --base
    #[arg(long, value_name = "DN")]
    pub users_base: Option<String>,
    /// Base DN of groups, if not --base
    #[arg(long, value_name = "DN")]
    pub groups_base: Option<String>,
    /// Search scope
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t)]
    pub scope: ScopeChoice,
    /// Filter that all users match
    #[arg(long, value_name = "FILTER", default_value = "(objectClass=posixAccount)")]
    pub users_filter: String,
    /// Filter that all groups match
    #[arg(long, value_name = "FILTER", default_value = "(objectClass=posixGroup)")]
    pub groups_filter: String,
    /// DN to bind as. Default: no bind
    #[arg(long, value_name = "DN", requires = "bind_password_file")]
    pub bind_dn: Option<String>,
    /// File that holds the password of --bind-dn
    #[arg(long, value_name = "FILE", requires = "bind_dn")]
    pub bind_password_file: Option<PathBuf>,
    /// Which searches to send again, once, if a reused connection closes before any answer arrives
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub resend: Resending,
    /// CA certificates (PEM) to trust for ldaps, in place of the system's
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub cacert: Option<PathBuf>,
    /// Do not verify the server's certificate; for test servers only
    #[arg(long)]
    pub insecure: bool,
}

/// Whom to ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Through {
    /// The C library, as every program uses it: all sources of nsswitch.conf and their caches
    #[default]
    Nss,
    /// The socket of nscd, without its shared memory
    Nscd,
    /// The socket of nslcd, as its NSS module uses it
    Nslcd,
    /// A directory, with the searches that nslcd makes
    Ldap,
}

/// How far below the base.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ScopeChoice {
    /// The base entry only
    Base,
    /// Entries directly below the base
    One,
    /// The base and everything below it
    #[default]
    Sub,
}

fn up_to(least: i64, most: i64) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(least..=most)
}

/// Why a word is not a value of its option.
#[derive(Debug, thiserror::Error)]
enum ValueError {
    #[error("write uid, gid, user, group or groups")]
    Kind,
    #[error("write a weight from 1 to 1000, as in uid=3")]
    Weight,
    #[error("write an exponent from 0 to 20, as in zipf:1.1")]
    Exponent,
    #[error("write uniform, zipf:1.1 or once")]
    Distribution,
}

fn kind(text: &str) -> Result<(By, u32), ValueError> {
    let (word, weight) = text.split_once('=').unwrap_or((text, "1"));
    let by = By::ALL.into_iter().find(|by| by.word() == word);
    let by = by.ok_or(ValueError::Kind)?;
    let weight = weight.parse().ok().filter(|weight| (1..=1000).contains(weight));
    Ok((by, weight.ok_or(ValueError::Weight)?))
}

fn distribution(text: &str) -> Result<Distribution, ValueError> {
    let exponent = |text: &str| text.parse().ok().filter(|s| (0.0..=20.0).contains(s));
    match text.split_once(':') {
        None if text == "once" => Ok(Distribution::Once),
        None if text == "uniform" => Ok(Distribution::Uniform),
        None if text == "zipf" => Ok(Distribution::Zipf(1.0)),
        Some(("zipf", text)) => exponent(text).map(Distribution::Zipf).ok_or(ValueError::Exponent),
        _ => Err(ValueError::Distribution),
    }
}

/// The help and the page of `brunt names lookup` beside its options.
pub const ABOUT: About = About {
    description: include_str!("../lookup/page.txt").trim_ascii_end(),
    examples: &[
        (
            "The users and groups of this machine, 1,000 lookups per second for 10 s:",
            "brunt names lookup --by uid,gid,user,group,groups",
        ),
        (
            "As fast as 8 threads can, through the C library and then through nslcd only:",
            "brunt names lookup --threads 8 --unlimited --duration 5s\n\
             brunt names lookup --threads 8 --unlimited --duration 5s --through nslcd",
        ),
        (
            "A directory of 3,000 users: some more popular, one lookup in ten for a name\n\
             that does not exist:",
            "brunt names lookup --keys 10000-12999 --pattern u%d --by uid=3,user \\\n\
             \x20 --distribution zipf:1.1 --negative 0.1",
        ),
        (
            "The same searches, sent to the directory itself:",
            "brunt names lookup --through ldap --url ldap://127.0.0.1 \\\n\
             \x20 --base dc=example,dc=com --keys 10000-12999",
        ),
        (
            "A rising rate, to find where the daemon stops keeping up:",
            "brunt names lookup --stages 'ramp 100..20000 over 2m' --record names.json",
        ),
    ],
    short: &[
        ("by", "uid, gid, user, group, groups [default: uid]"),
        ("through", "nss, nscd, nslcd or ldap [default: nss]"),
        ("keys", "host, 10000-12999 or a file [default: host]"),
        ("negative", "Fraction of names that do not exist, as 0.1"),
        ("workers", "Concurrent threads [default: 4]"),
        ("duration", "How long to run, such as 30s [default: 10s]"),
        ("rate", "Lookups per second [default: 1000]"),
        ("unlimited", "Closed loop without a rate limit"),
        ("record", "Write the record of the run as JSON"),
    ],
};

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        lookup: LookupArgs,
    }

    fn args(line: &str) -> Result<LookupArgs, clap::Error> {
        let words = std::iter::once("lookup").chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.lookup)
    }

    #[test]
    fn lookup_kinds_and_distributions_are_parsed() {
        let read = args("--by uid=3,groups --distribution zipf:1.1").unwrap();
        assert_eq!(read.by, [(By::Uid, 3), (By::Memberships, 1)]);
        assert_eq!(read.distribution, Some(Distribution::Zipf(1.1)));
        let usual = args("").unwrap();
        assert_eq!((usual.by, usual.load.options.workers), (vec![(By::Uid, 1)], Some(4)));
        assert_eq!(usual.load.options.timeout, Some(Duration::from_secs(5)));
    }

    #[test]
    fn lookup_option_conflicts_are_refused() {
        for line in [
            "--by uidd",
            "--by uid=0",
            "--distribution zipf:x",
            "--distribution once:1",
            "--rate 5 --unlimited",
            "--rate 5 --stages 5/s",
            "--rate 5 --think 1s",
            "--backlog 5 --unlimited",
            "--no-pin",
            "--arrival poisson",
            "--rate-file x --stages 5/s",
            "--bind-dn cn=x",
            "--threads 0",
            "--through dns",
            "--cacert f --insecure",
        ] {
            assert!(args(line).is_err(), "{line}");
        }
    }
}
