//! The files of an order: described by a [`Manifest`] in the signed order, pulled by agents in pieces, and written into
//! a private directory that is removed with the order.
//!
//! Agents pull, so a slow agent delays no other, and a piece that was lost is requested again. Received files must have
//! the hash that the order gives, so pieces need no signature of their own. Files that are too large to send, and
//! secrets, which are never sent, are looked up in the directory of the agent's owner. For a secret not even the hash
//! is sent, because a short password can be found from its hash.

mod lay;
mod name;
mod pack;

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use lay::{OrderDirectory, PendingFiles, sweep};
pub use name::FileName;
pub use pack::Bundle;

/// The most bytes that are sent with an order.
pub const BUNDLE_MAX: u64 = 64 << 20;
/// The most bytes of a piece: half of what a broker accepts by default.
pub const PIECE_MAX: usize = 512 << 10;
/// The most files of an order.
pub const FILES_MAX: usize = 1_000;

/// The files of an order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Each file, in the order of the names.
    pub files: Vec<Entry>,
}

/// A file of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name, as the command has it.
    pub name: FileName,
    /// Where an agent takes it from.
    #[serde(flatten)]
    pub from: From,
}

/// Where an agent takes a file from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum From {
    /// The coordinator, piece by piece.
    Coordinator(Content),
    /// The directory of its owner, where it has this content.
    Owner(Content),
    /// The directory of its owner, with whatever content the file has there.
    OwnerSecret,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Its length in bytes.
    pub size: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
}

/// A piece that an agent requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The number of the file in the manifest.
    pub file: u32,
    /// The position at which the piece begins.
    pub at: u64,
}

/// What is wrong with the files of an order. It reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// A file or a directory could not be used.
    #[error("{act} {path}: {source}")]
    File {
        /// What was attempted.
        act: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file name that no order may have.
    #[error(
        "take the file {0:?} along: orders name files by relative names without '..', of printable characters"
    )]
    Name(String),
    /// Two entries have the same name.
    #[error("take the file {0} along: it is named twice")]
    Twice(String),
    /// There are too many files.
    #[error("take {0} files along: an order has at most {FILES_MAX}")]
    TooMany(usize),
    /// More bytes than an order may send.
    #[error(
        "take the files along: {0} bytes are to travel, and an order brings at most {BUNDLE_MAX}"
    )]
    TooLarge(u64),
    /// The piece that an agent requested does not exist.
    #[error("give a piece of a file: there is none at byte {at} of file {file}")]
    NoPiece {
        /// The number of the file.
        file: u32,
        /// The position.
        at: u64,
    },
    /// The received piece is not the one that was requested.
    #[error("take a piece of {0}: it is not the one that was asked for, or too long")]
    Piece(String),
    /// A file's content differs from the one that the order names.
    #[error("use {0}: it has other content than the order says")]
    Content(String),
    /// A file must already be on the agent, but its owner named no directory.
    #[error(
        "find {0}, which has to be on this agent already: its owner has named no directory of files (data in \
         agent.toml)"
    )]
    NoData(String),
    /// A file must already be on the agent, and is missing.
    #[error("find {name}, which has to be on this agent already: {path}: {source}")]
    Missing {
        /// Its name in the order.
        name: String,
        /// Where it should be.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl Manifest {
    /// Whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Checks a manifest received over the network: the number of files, their names, and how many bytes must be sent.
    fn check(&self) -> Result<(), BundleError> {
        if self.files.len() > FILES_MAX {
            return Err(BundleError::TooMany(self.files.len()));
        }
        let mut seen = std::collections::BTreeSet::new();
        if let Some(entry) = self.files.iter().find(|entry| !seen.insert(&entry.name)) {
            return Err(BundleError::Twice(entry.name.to_string()));
        }
        let travels = self.files.iter().filter_map(|entry| match &entry.from {
            From::Coordinator(content) => Some(content.size),
            From::Owner(_) | From::OwnerSecret => None,
        });
        let total = travels.fold(0_u64, u64::saturating_add);
        if total > BUNDLE_MAX { Err(BundleError::TooLarge(total)) } else { Ok(()) }
    }
}

/// Octets in hexadecimal.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests;
