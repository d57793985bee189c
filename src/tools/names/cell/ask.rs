//! What a controller asks of a cell, and what it is answered.
//!
//! One line of JSON each way. An ask is carried out to its end before the next is read; what cannot be carried out is
//! answered by why, and the cell goes on. Figures of one call each are summed up inside, so that an answer stays small
//! whatever the number of users.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::spec::{Backend, Users};

/// Something to be done inside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Ask {
    /// Set the backend up and start its daemons. Whatever ran before is stopped and forgotten.
    Start(Backend),
    /// Add these users.
    Insert {
        /// How.
        way: Way,
        /// Whom.
        users: Users,
    },
    /// Remove these users.
    Delete {
        /// How.
        way: Way,
        /// Whom.
        users: Users,
    },
    /// Estimate what adding and removing all of these users a process each would take, from some calls at several
    /// sizes; afterwards all of them are there.
    Sample {
        /// Whom.
        users: Users,
        /// At how many sizes, both ends included.
        points: u32,
        /// How many calls at each.
        calls: u32,
    },
    /// Count the users there are, with the tools of the system.
    Count,
    /// Make files, each owned by another of these users and its group, in a fresh directory. The owners are spread
    /// evenly over all of the users.
    MakeFiles {
        /// To whom they belong.
        users: Users,
        /// How many; no more than there are users.
        files: u32,
    },
    /// List that directory with `ls -l`.
    List {
        /// With numbers for names (`ls -ln`): what listing costs without any name service.
        numeric: bool,
        /// Seconds after which it is ended; the names it has not shown by then are not resolved.
        limit_s: f64,
    },
    /// Run this program on these words, in a process of its own, and bring back the record it writes.
    Resolve {
        /// The words after `brunt`. The word `{record}` stands for the path of the record.
        words: Vec<String>,
        /// Seconds after which it is ended.
        limit_s: f64,
    },
    /// Run a program of the system.
    Run {
        /// The program and its words.
        words: Vec<String>,
        /// Seconds after which it is ended.
        limit_s: f64,
    },
    /// Stop a daemon and start it with nothing remembered.
    Restart(Daemon),
    /// Stop a daemon in its tracks, as an overloaded machine would.
    Pause(Daemon),
    /// Let it go on.
    Resume(Daemon),
    /// Say what there is to be said about the daemons and the disk.
    Statistics,
}

/// How users are added and removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Way {
    /// A process a user, as the article's script did: `useradd`, `userdel`, `ldapadd`, `ldapdelete`.
    Process {
        /// Whether `useradd` makes the group of the user's own (`-U`), or a second process does (`groupadd`).
        own_group: bool,
    },
    /// One connection to the directory; for files, one rewriting of both for each user.
    Connection,
    /// One process of the system's own for all: `newusers`, `ldapadd -f`, `ldapdelete -f`. Files have no such tool to
    /// delete with, and are deleted from as by `Bulk`.
    Batch,
    /// All at once: `slapadd -q` behind the stopped directory's back, the whole file written. A directory is deleted
    /// from as by `Connection`.
    Bulk,
}

/// A daemon of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Daemon {
    /// The directory.
    Directory,
    /// nslcd.
    Nslcd,
    /// sssd, with its children.
    Sssd,
    /// nscd or unscd.
    Nscd,
}

impl Daemon {
    /// Its name in figures.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Directory => "slapd",
            Self::Nslcd => "nslcd",
            Self::Sssd => "sssd",
            Self::Nscd => "nscd",
        }
    }
}

/// What an ask came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// It is there, for `Start`.
    Started(Started),
    /// `Insert`, `Delete`.
    Provisioned(Provisioned),
    /// `Sample`.
    Sampled(Sampled),
    /// `Count`.
    Counted(Counted),
    /// `List`.
    Listed(Listed),
    /// `Resolve`, `Run`.
    Ran(Ran),
    /// `Statistics`.
    Statistics(Statistics),
    /// Done, and nothing to say.
    Done,
    /// It could not be done; reads after "failed to".
    Failed(String),
}

/// A backend that is ready.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Started {
    /// Seconds from the start of each daemon to its first answer.
    pub(crate) seconds: BTreeMap<String, f64>,
    /// What each program says its version is.
    pub(crate) versions: BTreeMap<String, String>,
    /// The address of the directory, where there is one.
    pub(crate) url: Option<String>,
    /// What is worth knowing: how the backend differs from what was asked.
    pub(crate) notes: Vec<String>,
}

/// Users that were added or removed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Provisioned {
    /// Of these.
    pub(crate) users: u32,
    /// How many could not be.
    pub(crate) failed: u32,
    /// Why the first that could not be.
    pub(crate) first_failure: Option<String>,
    /// For all of them.
    pub(crate) seconds: f64,
    /// Processor time of the processes that did it, and of this one where it did it itself.
    pub(crate) cpu_s: f64,
    /// For each, where they were done one at a time.
    pub(crate) each: Option<Spread>,
}

/// How figures spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "a figure in JSON says its unit")]
pub(crate) struct Spread {
    /// The mean.
    pub(crate) mean_us: f64,
    /// Half took no longer.
    pub(crate) p50_us: f64,
    /// 95 of 100 took no longer.
    pub(crate) p95_us: f64,
    /// 99 of 100 took no longer.
    pub(crate) p99_us: f64,
    /// None took longer.
    pub(crate) max_us: f64,
}

/// What adding and removing would take, from samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sampled {
    /// To add all.
    pub(crate) insert: Estimate,
    /// To remove all.
    pub(crate) delete: Estimate,
}

/// A total that was not measured but summed up from samples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Estimate {
    /// The total: the mean at each size, integrated over the sizes.
    pub(crate) seconds: f64,
    /// How far it may be off: two standard errors of the means, and what leaving out every other size would change.
    pub(crate) error_s: f64,
    /// The samples.
    pub(crate) points: Vec<Point>,
}

/// Some calls at one size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Point {
    /// Users that were there.
    pub(crate) users: u32,
    /// Calls.
    pub(crate) calls: u32,
    /// How long they took.
    pub(crate) each: Spread,
    /// The standard error of their mean.
    pub(crate) error_us: f64,
}

/// How many users there are, as the tools of the system count them. Those that do not belong to the population
/// (`root`) are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counted {
    /// Accounts that `getent passwd` lists; nothing where the name service cannot be asked.
    pub(crate) accounts: Option<u64>,
    /// Groups that `getent group` lists.
    pub(crate) groups: Option<u64>,
    /// Accounts that `ldapsearch` finds; nothing without a directory.
    pub(crate) ldap_accounts: Option<u64>,
    /// Groups that `ldapsearch` finds.
    pub(crate) ldap_groups: Option<u64>,
    /// Lines of `passwd`; nothing where users are elsewhere.
    pub(crate) file_accounts: Option<u64>,
    /// Lines of `group`.
    pub(crate) file_groups: Option<u64>,
}

/// A directory that was listed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Listed {
    /// How long `ls` took.
    pub(crate) seconds: f64,
    /// Names that had to be found: of each owner and of each group.
    pub(crate) asked: u64,
    /// Names that were found and right.
    pub(crate) resolved: u64,
}

/// A program that ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ran {
    /// Its exit code; nothing where a signal ended it.
    pub(crate) code: Option<i32>,
    /// How long it took.
    pub(crate) seconds: f64,
    /// What it wrote to standard output.
    pub(crate) output: String,
    /// What it wrote to standard error.
    pub(crate) complaints: String,
    /// The record it wrote, where it was to write one and did.
    pub(crate) record: Option<String>,
}

/// What there is to be said about daemons and disk. Counters run from the start of each daemon.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Statistics {
    /// By name of the daemon; children count with it.
    pub(crate) daemons: BTreeMap<String, Vitals>,
    /// Searches the directory says it has completed, less those of this cell's own asking.
    pub(crate) searches: Option<u64>,
    /// What nscd says of itself. It does not see what clients find in its memory by themselves, so its hits are no
    /// measure; the searches that reach the directory are.
    pub(crate) nscd: Option<BTreeMap<String, NscdTable>>,
    /// How long it takes to make a block of 4 KiB last where the data is.
    pub(crate) fsync: Spread,
    /// The load average of the machine over a minute.
    pub(crate) load: f64,
}

/// A process and its children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Vitals {
    /// Processor time.
    pub(crate) cpu_s: f64,
    /// Resident memory.
    pub(crate) rss_kib: u64,
}

/// One table of nscd, as it says itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct NscdTable {
    /// Buckets.
    pub(crate) suggested_size: u64,
    /// Hits on positive entries.
    pub(crate) positive_hits: u64,
    /// Hits on negative entries.
    pub(crate) negative_hits: u64,
    /// Misses on positive entries.
    pub(crate) positive_misses: u64,
    /// Misses on negative entries.
    pub(crate) negative_misses: u64,
    /// Values that are remembered.
    pub(crate) values: u64,
    /// The longest chain of a bucket.
    pub(crate) longest_chain: u64,
}
