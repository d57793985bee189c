//! The options of `brunt names lookup`, declared for clap. Their doc comments are their help; there is no logic here.

use std::path::PathBuf;
use std::time::Duration;

use brunt_drivers::names::{By, Distribution};
use clap::{Args, ValueEnum};

use super::http::{Spread, count};
use super::output::{OutputArgs, duration};
use crate::cli::resend::Resending;

/// Lookups a second where nothing else is asked for: what a busy machine does, and no daemon minds.
pub(crate) const USUAL_RATE: f64 = 1_000.0;

/// What the help ends with.
const AFTER: &str = "\
Nothing is changed: names are looked up and compared with what is known of them. One that should be there and is not
found counts as unresolved, one that is found with another number or name as wrong; neither is ever a fast lookup.

KEYS is host, which asks getent for every user and group that the machine lists; a range of numbers, 10000-10999 or
10000..11000 without the last, with --pattern if there are names; or a file as /etc/passwd or /etc/group. A directory
often lists nobody, so that host finds local users alone: give a range or a file then.

A cache makes the first lookup of a name slow and the next ones fast. This program empties none. To begin with a cold
one, do it yourself: sss_cache -E for sssd; nscd -i passwd and nscd -i group for nscd. With --distribution once each
name is looked up once, and the figures are those of a first lookup; with uniform and zipf they are mostly those of the
cache.

Examples:
  What this machine's users and groups cost to look up, at 1,000 a second for ten seconds:
    brunt names lookup --by uid,gid,user,group,groups
  A directory of 3,000 users behind sssd, popular ones more often, one in ten unknown to anybody:
    brunt names lookup --keys 10000-12999 --pattern u%d --by uid=3,user=1 --distribution zipf:1.1 --negative 0.1
  As fast as 8 threads can, once through nscd and once past it:
    brunt names lookup --threads 8 --unlimited --duration 5s
    brunt names lookup --threads 8 --unlimited --duration 5s --through nslcd
  What the directory itself needs for the same lookups:
    brunt names lookup --through ldap --url ldap://127.0.0.1 --base dc=example,dc=com --keys 10000-12999";

/// Options of `brunt names lookup`.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(after_help = AFTER)]
pub(crate) struct LookupArgs {
    /// By what is looked up, and how often in comparison: uid, gid, user, group, groups (those of a user, as a login
    /// asks for them).
    #[arg(long, value_name = "KIND[=WEIGHT],...", value_delimiter = ',', default_value = "uid", value_parser = kind)]
    pub(crate) by: Vec<(By, u32)>,
    /// Whom to ask.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) through: Through,
    /// The users, and of a range also the groups: host, a range or a file.
    #[arg(long, value_name = "KEYS", default_value = "host")]
    pub(crate) keys: String,
    /// Their names where KEYS is a range: %d is the number, %i the place in the range counted from 0.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) pattern: Option<String>,
    /// The groups, if not the same range or host.
    #[arg(long, value_name = "KEYS")]
    pub(crate) group_keys: Option<String>,
    /// Which keys how often: uniform; zipf:S, the k-th in proportion to 1/k^S; once, each one time in an order that is
    /// spread over all.
    #[arg(long, value_name = "DISTRIBUTION", default_value = "uniform", value_parser = distribution)]
    pub(crate) distribution: Option<Distribution>,
    /// The share of lookups that are for what nobody has.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub(crate) negative: f64,
    /// When, how many and how long.
    #[command(flatten)]
    pub(crate) load: LookupLoad,
    /// Sources to ask in place of those of nsswitch.conf, for this process alone, past nscd: 'files sss'.
    #[arg(long, value_name = "SOURCES")]
    pub(crate) source: Option<String>,
    /// The socket of nscd or nslcd, if it is not where they listen.
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// The directory.
    #[command(flatten)]
    pub(crate) directory: DirectoryArgs,
    /// How many keys to ask each source for, one by one and past all caches, once the run is over, so that it can be
    /// said which source knows them; 0 for none.
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = up_to(0, 1000))]
    pub(crate) probe: u32,
    /// Where results go.
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// The command line as a record may show it: secrets starred.
    #[arg(skip)]
    pub(crate) typed: Vec<String>,
}

/// When, how many and how long.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct LookupLoad {
    /// Number of threads, each of which waits for one answer at a time.
    #[arg(short = 'c', long, value_name = "NUMBER", default_value_t = 4, value_parser = up_to(1, 1024))]
    pub(crate) threads: u32,
    /// End after so many lookups in all; k and m multiply, as in 100k.
    #[arg(short = 'n', long, value_name = "NUMBER", value_parser = count)]
    pub(crate) lookups: Option<u64>,
    /// How long to run, such as 30s or 2m; 10s if neither this nor a number of lookups is given.
    #[arg(short, long, value_name = "DURATION", value_parser = duration)]
    pub(crate) duration: Option<Duration>,
    /// Lookups a second in all, however long they take; 1000 without it.
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["stages", "unlimited"])]
    pub(crate) rate: Option<f64>,
    /// A rate that changes, such as 'ramp 100..5000 over 1m, 5000/s for 2m'.
    #[arg(long, value_name = "STAGES", conflicts_with = "unlimited")]
    pub(crate) stages: Option<String>,
    /// How lookups of --rate are spread.
    #[arg(long, value_enum, requires = "rate")]
    pub(crate) arrival: Option<Spread>,
    /// Ask again as soon as an answer is there: as fast as the threads can, whoever else wants the daemons.
    #[arg(long)]
    pub(crate) unlimited: bool,
    /// How long each thread pauses between lookups, such as 10ms or 'exponential 1s'.
    #[arg(long, value_name = "TIME", requires = "unlimited")]
    pub(crate) think: Option<String>,
    /// Run this long before figures count.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) warm_up: Option<Duration>,
    /// How long to wait for an answer before it counts as timed out; 0 waits for ever.
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
}

/// The directory that is asked with `--through ldap`.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct DirectoryArgs {
    /// The directory: `ldap://HOST`, `ldaps://HOST` or `ldapi://PATH`.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// The entry below which users and groups are.
    #[arg(long, value_name = "DN", default_value = "")]
    pub(crate) base: String,
    /// The entry below which users are, if not --base.
    #[arg(long, value_name = "DN")]
    pub(crate) users_base: Option<String>,
    /// The entry below which groups are, if not --base.
    #[arg(long, value_name = "DN")]
    pub(crate) groups_base: Option<String>,
    /// How far below they may be.
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t)]
    pub(crate) scope: ScopeChoice,
    /// What all users are.
    #[arg(long, value_name = "FILTER", default_value = "(objectClass=posixAccount)")]
    pub(crate) users_filter: String,
    /// What all groups are.
    #[arg(long, value_name = "FILTER", default_value = "(objectClass=posixGroup)")]
    pub(crate) groups_filter: String,
    /// Who binds; nobody does without it.
    #[arg(long, value_name = "DN", requires = "bind_password_file")]
    pub(crate) bind_dn: Option<String>,
    /// A file with the password.
    #[arg(long, value_name = "FILE", requires = "bind_dn")]
    pub(crate) bind_password_file: Option<PathBuf>,
    /// Search again, once, if the connection was used before and is closed before any answer comes.
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub(crate) resend: Resending,
    /// A file of certificates to trust for ldaps, in place of those of this machine.
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub(crate) cacert: Option<PathBuf>,
    /// Trust any certificate.
    #[arg(long)]
    pub(crate) insecure: bool,
}

/// Whom to ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Through {
    /// The C library, as every program does: whatever nsswitch.conf names, and the caches in front.
    #[default]
    Nss,
    /// The socket of nscd, without the memory it shares.
    Nscd,
    /// The socket of nslcd, as its NSS module does.
    Nslcd,
    /// A directory, with the searches of nslcd.
    Ldap,
}

/// How far below the base.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeChoice {
    /// The base alone.
    Base,
    /// Directly below it.
    One,
    /// Anywhere below it.
    #[default]
    Sub,
}

fn up_to(least: i64, most: i64) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(least..=most)
}

fn kind(text: &str) -> Result<(By, u32), String> {
    let (word, weight) = text.split_once('=').unwrap_or((text, "1"));
    let by = By::ALL.into_iter().find(|by| by.word() == word);
    let by = by.ok_or("write uid, gid, user, group or groups")?;
    let weight = weight.parse().ok().filter(|weight| (1..=1000).contains(weight));
    Ok((by, weight.ok_or("write a weight from 1 to 1000, as in uid=3")?))
}

fn distribution(text: &str) -> Result<Distribution, String> {
    let exponent = |text: &str| text.parse().ok().filter(|s| (0.0..=20.0).contains(s));
    match text.split_once(':') {
        None if text == "once" => Ok(Distribution::Once),
        None if text == "uniform" => Ok(Distribution::Uniform),
        None if text == "zipf" => Ok(Distribution::Zipf(1.0)),
        Some(("zipf", text)) => exponent(text)
            .map(Distribution::Zipf)
            .ok_or_else(|| "write an exponent from 0 to 20, as in zipf:1.1".to_owned()),
        _ => Err("write uniform, zipf:1.1 or once".to_owned()),
    }
}

#[cfg(test)]
mod tests {
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
    fn kinds_have_weights_and_distributions_exponents() {
        let read = args("--by uid=3,groups --distribution zipf:1.1").unwrap();
        assert_eq!(read.by, [(By::Uid, 3), (By::Memberships, 1)]);
        assert_eq!(read.distribution, Some(Distribution::Zipf(1.1)));
        let usual = args("").unwrap();
        assert_eq!((usual.by, usual.load.threads), (vec![(By::Uid, 1)], 4));
        assert_eq!(usual.load.timeout, Some(Duration::from_secs(5)));
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for line in [
            "--by uidd",
            "--by uid=0",
            "--distribution zipf:x",
            "--distribution once:1",
            "--rate 5 --unlimited",
            "--rate 5 --stages 5/s",
            "--think 1s",
            "--arrival poisson",
            "--bind-dn cn=x",
            "--threads 0",
            "--through dns",
            "--cacert f --insecure",
        ] {
            assert!(args(line).is_err(), "{line}");
        }
    }
}
