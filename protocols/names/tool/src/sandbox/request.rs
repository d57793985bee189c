//! [`Request`]: what a sandbox does for its controller, and its answers.
//!
//! One line of JSON each way. A request is completed before the next is read; if it fails, the answer gives the reason,
//! and the sandbox continues. Figures of single calls are summed up inside the sandbox, so that an answer stays small
//! whatever the number of users.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::spec::{Backend, Users};

/// A request to a sandbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Request {
    /// Set the backend up and start its daemons. Daemons that ran before are stopped, and their data is dropped.
    Start(Backend),
    /// Add these users.
    Insert {
        /// How.
        way: Way,
        /// Which users.
        users: Users,
    },
    /// Remove these users.
    Delete {
        /// How.
        way: Way,
        /// Which users.
        users: Users,
    },
    /// Estimate the time to add and remove all of these users with one process each, from some calls at several sizes;
    /// afterwards all of them exist.
    Sample {
        /// Which users.
        users: Users,
        /// At how many sizes, both ends included.
        points: u32,
        /// How many calls at each.
        calls: u32,
    },
    /// Count the existing users, with the tools of the system.
    Count,
    /// Make files in a new directory, each owned by a different one of these users and its group. The owners are spread
    /// evenly over all of the users.
    MakeFiles {
        /// The owners.
        users: Users,
        /// How many; no more than the number of users.
        files: u32,
    },
    /// List that directory with `ls -l`.
    List {
        /// With numbers instead of names (`ls -ln`): the cost of listing without any name service.
        numeric: bool,
        /// Seconds after which it is ended; the names it has not shown by then count as unresolved.
        limit_s: f64,
    },
    /// Run this program with these words, in a separate process, and return the record it writes.
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
    /// Stop a daemon and start it with an empty cache.
    Restart(Daemon),
    /// Suspend a daemon, as an overloaded machine would.
    Pause(Daemon),
    /// Resume it.
    Resume(Daemon),
    /// Return the statistics of the daemons and the disk.
    Statistics,
}

/// How users are added and removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Way {
    /// One process per user, as in the article's script: `useradd`, `userdel`, `ldapadd`, `ldapdelete`.
    Process {
        /// Whether `useradd` creates the user's own group (`-U`), or a second process does (`groupadd`).
        own_group: bool,
    },
    /// One connection to the directory; for files, both are rewritten once per user.
    Connection,
    /// One system process for all: `newusers`, `ldapadd -f`, `ldapdelete -f`. Files have no such tool for deletion, and
    /// are changed as by `Bulk` then.
    Batch,
    /// All at once: `slapadd -q` while the directory is stopped, or the whole file written. Deletion from a directory
    /// works as by `Connection`.
    Bulk,
}

/// A daemon of a sandbox.
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

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// The backend is ready, for `Start`.
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
    /// Done, without a result.
    Done,
    /// The request failed; reads after "failed to".
    Failed(String),
}

/// A backend that is ready.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Started {
    /// Seconds from the start of each daemon to its first answer.
    pub seconds: BTreeMap<String, f64>,
    /// The version that each program reports.
    pub versions: BTreeMap<String, String>,
    /// The address of the directory, where there is one.
    pub url: Option<String>,
    /// Notes: how the backend differs from the requested one.
    pub notes: Vec<String>,
}

/// Users that were added or removed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Provisioned {
    /// The number of users.
    pub users: u32,
    /// How many of them failed.
    pub failed: u32,
    /// Why the first of these failed.
    pub first_failure: Option<String>,
    /// The time for all of them.
    pub seconds: f64,
    /// Processor time of the processes that did the work, and of this one if it did the work itself.
    pub cpu_s: f64,
    /// The time for each, if they were added or removed one at a time.
    pub each: Option<Spread>,
}

/// The distribution of figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "a figure in JSON says its unit")]
pub(crate) struct Spread {
    /// The mean.
    pub mean_us: f64,
    /// Half took no longer.
    pub p50_us: f64,
    /// 95 of 100 took no longer.
    pub p95_us: f64,
    /// 99 of 100 took no longer.
    pub p99_us: f64,
    /// None took longer.
    pub max_us: f64,
}

/// The estimated time for adding and removing, from samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sampled {
    /// To add all.
    pub insert: Estimate,
    /// To remove all.
    pub delete: Estimate,
}

/// A total that was not measured but calculated from samples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Estimate {
    /// The total: the mean at each size, integrated over the sizes.
    pub seconds: f64,
    /// The possible error: two standard errors of the means, and the change from leaving out every other size.
    pub error_s: f64,
    /// The samples.
    pub points: Vec<Point>,
}

/// Some calls at one size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Point {
    /// Users that existed.
    pub users: u32,
    /// Calls.
    pub calls: u32,
    /// The duration of the calls.
    pub each: Spread,
    /// The standard error of their mean.
    pub error_us: f64,
}

/// How many users there are, as counted by the tools of the system. Users outside the population (`root`) are not
/// counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counted {
    /// Accounts that `getent passwd` lists; none if the name service cannot be used.
    pub accounts: Option<u64>,
    /// Groups that `getent group` lists.
    pub groups: Option<u64>,
    /// Accounts that `ldapsearch` finds; none without a directory.
    pub ldap_accounts: Option<u64>,
    /// Groups that `ldapsearch` finds.
    pub ldap_groups: Option<u64>,
    /// Lines of `passwd`; none if users are stored elsewhere.
    pub file_accounts: Option<u64>,
    /// Lines of `group`.
    pub file_groups: Option<u64>,
}

/// A directory that was listed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Listed {
    /// How long `ls` took.
    pub seconds: f64,
    /// Names that had to be resolved: of each owner and of each group.
    #[serde(rename = "asked")]
    pub requested: u64,
    /// Names that were resolved correctly.
    pub resolved: u64,
}

/// A program that ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ran {
    /// Its exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// How long it took.
    pub seconds: f64,
    /// What it wrote to standard output.
    pub output: String,
    /// What it wrote to standard error.
    pub complaints: String,
    /// The record it wrote, if it had to write one and did.
    pub record: Option<String>,
}

/// Statistics of daemons and disk. Counters start with each daemon.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Statistics {
    /// By name of the daemon; its children are included.
    pub daemons: BTreeMap<String, ProcessUsage>,
    /// Searches that the directory has completed according to its own count, less those that this sandbox made.
    pub searches: Option<u64>,
    /// nscd's own statistics. Lookups that clients make directly in its shared memory are not in them, so its hits are
    /// not a measure; the searches that reach the directory are.
    pub nscd: Option<BTreeMap<String, NscdTable>>,
    /// How long it takes to write a block of 4 KiB durably where the data is.
    pub fsync: Spread,
    /// The load average of the machine over one minute.
    pub load: f64,
}

/// A process and its children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProcessUsage {
    /// Processor time.
    pub cpu_s: f64,
    /// Resident memory.
    pub rss_kib: u64,
}

/// One table of nscd, from its own statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct NscdTable {
    /// Buckets.
    pub suggested_size: u64,
    /// Hits on positive entries.
    pub positive_hits: u64,
    /// Hits on negative entries.
    pub negative_hits: u64,
    /// Misses on positive entries.
    pub positive_misses: u64,
    /// Misses on negative entries.
    pub negative_misses: u64,
    /// Values in the cache.
    pub values: u64,
    /// The longest chain of a bucket.
    pub longest_chain: u64,
}
