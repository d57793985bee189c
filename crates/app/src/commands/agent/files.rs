//! Receives the files of an order: requests them piece by piece, and puts them into a directory that is deleted with
//! the order.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use brunt_cluster::bundle::{BundleError, OrderDirectory, PendingFiles};
use brunt_cluster::message::{NoPiece, Order, Wanted, read_piece};
use brunt_cluster::policy::Policy;

/// Why the files of an order are not there.
#[derive(Debug, thiserror::Error)]
pub(super) enum FilesError {
    #[error("failed to write to the directory of records {}: {source}", path.display())]
    Records { path: PathBuf, source: io::Error },
    #[error("failed to {0}")]
    Pending(#[from] BundleError),
    #[error("its coordinator {0}")]
    Coordinator(#[from] NoPiece),
}

/// Files that are being received.
pub(super) struct Files {
    pending: PendingFiles,
    nonce: String,
}

impl Files {
    /// Starts to receive the files of an order.
    pub(super) fn new(order: &Order, policy: &Policy, records: &Path) -> Result<Self, FilesError> {
        let parent = directory(records)
            .map_err(|source| FilesError::Records { path: records.to_owned(), source })?;
        let pending = PendingFiles::begin(order.files.clone(), data(policy).as_deref(), &parent)?;
        Ok(Self { pending, nonce: order.nonce.clone() })
    }

    /// The next piece to request; none if all files are there.
    pub(super) fn wanted(&self) -> Option<Vec<u8>> {
        let wanted = Wanted { nonce: self.nonce.clone(), piece: self.pending.wanted()? };
        // Serialising a struct of numbers and texts to JSON cannot fail.
        Some(serde_json::to_vec(&wanted).unwrap_or_default())
    }

    /// Takes an answer. An answer that cannot be parsed is ignored, and the piece is requested again.
    pub(super) fn take(&mut self, answer: &[u8]) -> Result<(), FilesError> {
        let (Some(answer), Some(piece)) = (read_piece(answer), self.pending.wanted()) else {
            return Ok(());
        };
        Ok(self.pending.take(piece, answer?)?)
    }

    /// The directory, once all files are there.
    pub(super) fn finish(self) -> Option<OrderDirectory> {
        self.pending.finish()
    }
}

/// The directory that contains records and the directories of orders.
pub(super) fn directory(records: &Path) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(records)?;
    records.canonicalize()
}

/// The directory of files that are already on this machine. An agent without a policy belongs to its user, who started
/// it in the directory of the files; a policy names the directory, or there is none.
fn data(policy: &Policy) -> Option<PathBuf> {
    let own = || policy.orders_from().is_none().then(|| std::env::current_dir().ok()).flatten();
    policy.data().map(Path::to_owned).or_else(own)
}
