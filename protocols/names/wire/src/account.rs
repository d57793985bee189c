//! A user and a group as described by a name service, through any protocol, and how a reply can be malformed.
//!
//! The caches of users and groups use different protocols for the same two structures of the C library, so they share
//! the fields and their limits. Text is kept as bytes, since its charset is unknown.

use std::error::Error;
use std::fmt;

/// The maximum length of a text in a reply.
pub const TEXT_MAX: usize = 64 * 1024;
/// The maximum number of members of a group, and of groups of a user.
pub const MEMBERS_MAX: usize = 64 * 1024;
/// The maximum length of a reply, which is sufficient for a group of tens of thousands of members.
pub const REPLY_MAX: usize = 4 * 1024 * 1024;

/// A user: `struct passwd`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct User<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The password, almost always `x` or `*`.
    pub password: &'a [u8],
    /// The user id.
    pub uid: u32,
    /// The id of the user's primary group.
    pub gid: u32,
    /// The full name, and more.
    pub gecos: &'a [u8],
    /// The home directory.
    pub directory: &'a [u8],
    /// The shell.
    pub shell: &'a [u8],
}

/// A group: `struct group`, without the members themselves, only their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The password, almost always `x` or `*`.
    pub password: &'a [u8],
    /// The group id.
    pub gid: u32,
    /// How many members it has.
    pub members: u32,
}

/// Why bytes are not a valid reply. Offsets count from the first byte of the reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// A different version of the protocol.
    Version {
        /// The version in the reply.
        found: u32,
    },
    /// The reply to a different request.
    Action {
        /// The action in the reply.
        found: u32,
    },
    /// A result code that means neither that an entry was found nor that there is none.
    Verdict {
        /// Its offset.
        offset: usize,
        /// The code.
        found: u32,
    },
    /// A text longer than [`TEXT_MAX`], or with an impossible length.
    Length {
        /// The offset of the length.
        offset: usize,
        /// The length.
        found: u32,
    },
    /// More members or groups than [`MEMBERS_MAX`], or an impossible number of them.
    Count {
        /// The offset of the number.
        offset: usize,
        /// The number.
        found: u32,
    },
    /// A text without the zero byte that must end it.
    Unterminated {
        /// The offset of its last byte.
        offset: usize,
    },
    /// More than [`REPLY_MAX`] bytes.
    TooLong {
        /// The minimum length it would have.
        length: usize,
    },
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Version { found } => {
                write!(f, "the reply is of version {found:#x}, which is not 2")
            }
            Self::Action { found } => {
                write!(f, "the reply answers request {found:#x}, which was not asked")
            }
            Self::Verdict { offset, found } => {
                write!(f, "the number {found:#x} at byte {offset} says neither found nor absent")
            }
            Self::Length { offset, found } => {
                write!(
                    f,
                    "the length {found:#x} at byte {offset} is none of a text of at most {TEXT_MAX} bytes"
                )
            }
            Self::Count { offset, found } => {
                write!(
                    f,
                    "the number {found:#x} at byte {offset} is none of at most {MEMBERS_MAX} members"
                )
            }
            Self::Unterminated { offset } => {
                write!(f, "the text that ends at byte {offset} has no zero byte at its end")
            }
            Self::TooLong { length } => {
                write!(f, "the reply has {length} bytes or more, and {REPLY_MAX} are allowed")
            }
        }
    }
}

impl Error for Malformed {}

/// The progress of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<T> {
    /// The reply must have at least this many bytes in total before the scan can continue.
    More(usize),
    /// The result.
    Done(T),
}

/// The four bytes at `offset`.
pub(crate) fn word(bytes: &[u8], offset: usize) -> Option<[u8; 4]> {
    bytes.get(offset..)?.first_chunk().copied()
}
