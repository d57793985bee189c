//! What a cell is made for: which backend, tuned how, holding whom.
//!
//! It is data, made by the controller and read by the cell on the other side of a pipe, so every part of it can be
//! written as JSON. It says what is wanted in the words of the field; how the text of a configuration file says it is
//! the business of the file that writes it.

use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Where the directory of LDAP keeps what it holds.
pub(crate) const SUFFIX: &str = "dc=bench";
/// Whom changes are made as. The password guards nothing: the directory lives in a network of its own.
pub(crate) const ADMIN: &str = "cn=admin,dc=bench";
/// The administrator's password.
pub(crate) const PASSWORD: &str = "secret";
/// Where the accounts stand.
pub(crate) const PEOPLE: &str = "ou=people,dc=bench";
/// Where the groups stand.
pub(crate) const GROUPS: &str = "ou=groups,dc=bench";
/// The uid, and the gid, of user 0.
pub(crate) const FIRST_ID: u32 = 10_000;

/// The name of a user, and of the group of its own, by the id of both.
pub(crate) fn name(id: u32) -> String {
    format!("u{id}")
}

/// The uid of the user of this number, and the gid of its group.
pub(crate) const fn id(number: u32) -> u32 {
    FIRST_ID + number
}

/// The users of these numbers. Each is an account and a group of its own, with the same id and the same name.
pub(crate) type Users = Range<u32>;

/// What a private world is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Spec {
    /// Where what must last is kept.
    pub(crate) data: Data,
    /// How much of the world is private.
    pub(crate) walls: Walls,
    /// Set in the environment of every process of the cell as `BRUNT_CELL`, by which they can be told apart.
    pub(crate) mark: String,
}

/// Where what must last is kept: a database, the copy of `/etc`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Data {
    /// In memory, where to synchronise costs nothing.
    Memory,
    /// In a directory of its own below this one.
    Below(PathBuf),
}

/// How much of the world is private.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Walls {
    /// Mounts, processes, network and IPC, as root may have them.
    Root,
    /// The same in a user namespace, in which one id is mapped: files of many owners cannot be made.
    User,
    /// None: a directory and a port of the cell's own. What would need the system's name service is refused.
    None,
}

/// What answers a question for a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Backend {
    /// Where the users are.
    pub(crate) source: Source,
    /// What remembers answers before the source is asked.
    pub(crate) cache: Option<Cache>,
    /// Replaces the lines `passwd:` and `group:` of `nsswitch.conf`.
    pub(crate) switch: Option<String>,
}

/// Where the users are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Source {
    /// `/etc/passwd` and `/etc/group`.
    Files,
    /// A directory, read by a daemon of the name service.
    Ldap {
        /// The server.
        server: Server,
        /// How it is tuned.
        variant: Variant,
        /// What reads it.
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

/// What stands between the name service and a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reader {
    /// nslcd, which remembers nothing.
    Nslcd,
    /// sssd, which is a cache as well.
    Sssd,
    /// Nothing: only the directory itself is asked.
    Nobody,
}

/// What remembers answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Cache {
    /// glibc's nscd.
    Nscd(Nscd),
    /// The unscd of `BusyBox`'s author, which reads the same file.
    Unscd(Nscd),
}

/// How nscd is tuned, for accounts and groups alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Nscd {
    /// Buckets of the hash table.
    pub(crate) suggested_size: u32,
    /// Seconds an answer is remembered; 600 and 3600 where it is not said, as the article had them.
    pub(crate) positive_ttl_s: Option<u32>,
    /// Seconds an absence is remembered; 20 and 60 where it is not said.
    pub(crate) negative_ttl_s: Option<u32>,
    /// Whether clients may look into the cache's memory themselves.
    pub(crate) shared: bool,
    /// Whether the cache outlives the daemon.
    pub(crate) persistent: bool,
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

/// How a directory is tuned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Variant {
    /// What it is called.
    pub(crate) name: String,
    /// Which attributes are indexed, and how.
    pub(crate) indices: Vec<Index>,
    /// The most that the database may grow to, in bytes.
    pub(crate) max_size: Option<u64>,
    /// Threads that serve.
    pub(crate) threads: Option<u32>,
    /// Whether a change is not made to last before it is answered.
    pub(crate) no_sync: bool,
    /// Kilobytes and minutes after which an unsynchronised database is made to last.
    pub(crate) checkpoint: Option<(u32, u32)>,
    /// The power of two at which a list of candidates becomes a range.
    pub(crate) idl_exponent: Option<u32>,
    /// Entries in the server's own cache. mdb has none, so slapd refuses it.
    pub(crate) cache_size: Option<u64>,
    /// The most entries that a search may return; unlimited unless it is said, since the default of 500 cuts lists
    /// of users short without a word.
    pub(crate) size_limit: Option<u32>,
    /// Further lines of slapd.conf within the database, as they are.
    pub(crate) lines: Vec<String>,
}

/// An index of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Index {
    /// The attributes.
    pub(crate) attributes: Vec<String>,
    /// The kinds: `eq`, `pres`, `sub`.
    pub(crate) kinds: Vec<String>,
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
    /// is made on purpose.
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

    /// What Debian's package of slapd sets up by itself.
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
