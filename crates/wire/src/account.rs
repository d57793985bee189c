//! A user and a group as a name service tells of them, whatever it told it through, and how a reply can be wrong.
//!
//! The caches of users and groups speak different protocols about the same two structures of the C library, so they
//! share what stands in them and how long it may be. Text stays bytes, since nothing says in which charset it is.

use std::error::Error;
use std::fmt;

/// The longest text in a reply.
pub const TEXT_MAX: usize = 64 * 1024;
/// The most members of a group, and the most groups of a user.
pub const MEMBERS_MAX: usize = 64 * 1024;
/// The longest reply, which holds a group of ten thousands of members.
pub const REPLY_MAX: usize = 4 * 1024 * 1024;

/// What is told of a user: `struct passwd`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct User<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The password, as good as always `x` or `*`.
    pub password: &'a [u8],
    /// The number.
    pub uid: u32,
    /// The number of the user's own group.
    pub gid: u32,
    /// The name in full, and more.
    pub gecos: &'a [u8],
    /// The home directory.
    pub directory: &'a [u8],
    /// The shell.
    pub shell: &'a [u8],
}

/// What is told of a group: `struct group`, its members only counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The password, as good as always `x` or `*`.
    pub password: &'a [u8],
    /// The number.
    pub gid: u32,
    /// How many members it has.
    pub members: u32,
}

/// Why bytes are no reply. Offsets count from the first byte of the reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// Another version of the protocol.
    Version {
        /// The version it says.
        found: u32,
    },
    /// The reply to something that was not asked.
    Action {
        /// What it answers.
        found: u32,
    },
    /// A number that says neither that something was found nor that there is nothing.
    Verdict {
        /// Where it stands.
        offset: usize,
        /// The number.
        found: u32,
    },
    /// A text longer than [`TEXT_MAX`], or of a length that cannot be.
    Length {
        /// Where the length stands.
        offset: usize,
        /// The length.
        found: u32,
    },
    /// More members or groups than [`MEMBERS_MAX`], or a number of them that cannot be.
    Count {
        /// Where the number stands.
        offset: usize,
        /// The number.
        found: u32,
    },
    /// A text that does not end in a zero byte, where it must.
    Unterminated {
        /// Where its last byte stands.
        offset: usize,
    },
    /// More than [`REPLY_MAX`] bytes.
    TooLong {
        /// How many it would have at least.
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

/// How far a scan came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<T> {
    /// Nothing can be said before the reply has this many bytes in all.
    More(usize),
    /// What was there.
    Done(T),
}

/// The four bytes at `offset`.
pub(crate) fn word(bytes: &[u8], offset: usize) -> Option<[u8; 4]> {
    bytes.get(offset..)?.first_chunk().copied()
}
