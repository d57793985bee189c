//! The specification of a sandbox: which backend, its settings, and its users.
//!
//! It is data, made by the controller and read by the sandbox at the other end of a pipe, so every part of it can be
//! written as JSON. It uses general terms; the module of each configuration file translates them into that file's
//! syntax.

use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The suffix of the LDAP directory.
pub(super) const SUFFIX: &str = "dc=bench";
/// The identity that makes changes. The password protects nothing: the directory is in a network of its own.
pub(super) const ADMIN: &str = "cn=admin,dc=bench";
/// The administrator's password.
pub(super) const PASSWORD: &str = "secret";
/// The entry above the accounts.
pub(crate) const PEOPLE: &str = "ou=people,dc=bench";
/// The entry above the groups.
pub(crate) const GROUPS: &str = "ou=groups,dc=bench";
/// The uid, and the gid, of user 0.
pub(crate) const FIRST_ID: u32 = 10_000;

/// The name of a user, and of the user's own group, by the id of both.
pub(super) fn name(id: u32) -> String {
    format!("u{id}")
}

/// The uid of the user of this number, and the gid of the user's group.
pub(super) const fn id(number: u32) -> u32 {
    FIRST_ID + number
}

/// The users of these numbers. Each has an account and a group, with the same id and the same name.
pub(super) type Users = Range<u32>;

/// The specification of a sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Spec {
    /// Where durable data is stored.
    pub data: Data,
    /// How much of the environment is isolated.
    pub isolation: Isolation,
    /// Set in the environment of every process of the cell as `BRUNT_CELL`, by which these processes can be identified.
    pub mark: String,
}

/// Where durable data is stored: a database, the copy of `/etc`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Data {
    /// In memory, where syncing costs nothing.
    Memory,
    /// In a new directory below this one.
    Below(PathBuf),
}

/// How much of the environment is isolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Isolation {
    /// Mounts, processes, network and IPC, as root can isolate them.
    Root,
    /// The same in a user namespace, in which one id is mapped: files of many owners cannot be made.
    User,
    /// Nothing: the sandbox has only a directory and a port of its own. Requests that need the system's name service
    /// are refused.
    None,
}

/// What answers a lookup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Backend {
    /// Where the users are stored.
    pub source: Source,
    /// What caches answers before the source is queried.
    pub cache: Option<Cache>,
    /// Replaces the lines `passwd:` and `group:` of `nsswitch.conf`.
    pub switch: Option<String>,
}

/// Where the users are stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Source {
    /// `/etc/passwd` and `/etc/group`.
    Files,
    /// A directory, read by a daemon of the name service.
    Ldap {
        /// The server.
        server: Server,
        /// Its settings.
        variant: Variant,
        /// The daemon that reads it.
        reader: Reader,
    },
}

/// A directory server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Server {
    /// OpenLDAP's slapd on its mdb database.
    Slapd,
    /// 389 Directory Server.
    DirectoryServer389,
}

/// The daemon between the name service and a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reader {
    /// nslcd, which has no cache.
    Nslcd,
    /// sssd, which is a cache as well.
    Sssd,
    /// None: only the directory itself is queried.
    Nobody,
}

/// What caches answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Cache {
    /// glibc's nscd.
    Nscd(Nscd),
    /// The unscd of `BusyBox`'s author, which reads the same file.
    Unscd(Nscd),
}

/// The settings of nscd, the same for accounts and groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Nscd {
    /// Buckets of the hash table.
    pub suggested_size: u32,
    /// Seconds for which an answer is cached; if unset, 600 and 3600 as in the article.
    pub positive_ttl_s: Option<u32>,
    /// Seconds for which a negative answer is cached; if unset, 20 and 60.
    pub negative_ttl_s: Option<u32>,
    /// Whether clients may read the cache's memory directly.
    pub shared: bool,
    /// Whether the cache is kept when the daemon ends.
    pub persistent: bool,
}

impl Default for Nscd {
    fn default() -> Self {
        Self {
            suggested_size: 32_011,
            positive_ttl_s: None,
            negative_ttl_s: None,
            shared: true,
            persistent: false,
        }
    }
}

/// The settings of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Variant {
    /// Its name.
    pub name: String,
    /// Which attributes are indexed, and how.
    pub indices: Vec<Index>,
    /// The maximum size of the database, in bytes.
    pub max_size: Option<u64>,
    /// Threads that serve requests.
    pub threads: Option<u32>,
    /// Whether a change is answered before it is durable.
    pub no_sync: bool,
    /// Kilobytes and minutes after which an unsynced database is written durably.
    pub checkpoint: Option<(u32, u32)>,
    /// The power of two at which a list of candidates becomes a range.
    pub idl_exponent: Option<u32>,
    /// Entries in the server's own cache. mdb has none, so slapd refuses it.
    pub cache_size: Option<u64>,
    /// The most entries that a search may return; unlimited if unset, since the default of 500 truncates lists of users
    /// without a message.
    pub size_limit: Option<u32>,
    /// Further lines of slapd.conf within the database, copied unchanged.
    pub lines: Vec<String>,
}

/// An index of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Index {
    /// The attributes.
    pub attributes: Vec<String>,
    /// The kinds: `eq`, `pres`, `sub`.
    pub kinds: Vec<String>,
}

impl Index {
    /// An index for equality.
    pub(crate) fn equality(attributes: &[&str]) -> Self {
        Self {
            attributes: attributes.iter().map(ToString::to_string).collect(),
            kinds: vec!["eq".to_owned()],
        }
    }
}

impl Variant {
    /// The article's first table: nothing indexed. Debian's own configuration has not been like that for years, so it
    /// is created explicitly.
    pub(crate) fn unindexed() -> Self {
        Self {
            name: "unindexed".to_owned(),
            indices: Vec::new(),
            max_size: None,
            threads: None,
            no_sync: false,
            checkpoint: None,
            idl_exponent: None,
            cache_size: None,
            size_limit: None,
            lines: Vec::new(),
        }
    }

    /// The article's second table: uid and gid indexed, by number.
    pub(crate) fn indexed() -> Self {
        Self {
            name: "index".to_owned(),
            indices: vec![
                Index::equality(&["objectClass"]),
                Index::equality(&["uidNumber"]),
                Index::equality(&["gidNumber"]),
            ],
            ..Self::unindexed()
        }
    }

    /// The default configuration of Debian's package of slapd.
    pub(crate) fn stock() -> Self {
        Self {
            name: "stock".to_owned(),
            indices: vec![
                Index::equality(&["objectClass"]),
                Index::equality(&["cn", "uid"]),
                Index::equality(&["uidNumber", "gidNumber"]),
                Index::equality(&["member", "memberUid"]),
            ],
            ..Self::unindexed()
        }
    }
}
