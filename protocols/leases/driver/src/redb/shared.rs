//! What all connections to a backend share: a [`Shared`] database, its tables, and the conversion of its failures.

use crate::BackendError;
use crate::leases::{Durability, Lease, Schema};
use brunt_exchange::Class;
use redb::{Database, TableDefinition, WriteTransaction};
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) const LEASES: TableDefinition<'_, u128, &[u8]> = TableDefinition::new("leases");
pub(super) const BY_CLIENT: TableDefinition<'_, (&[u8], u128), ()> =
    TableDefinition::new("by_client");
pub(super) const BY_HARDWARE: TableDefinition<'_, (&[u8], u128), ()> =
    TableDefinition::new("by_hardware");
pub(super) const OVER: TableDefinition<'_, (i64, u128), ()> = TableDefinition::new("over");

/// After this number of commits one is flushed even if durability does not require it: pages that a commit replaced are
/// released only by a commit that is on the disk, so without any the file would grow forever.
pub(super) const FLUSHED_EVERY: u64 = 1_000;

/// The code of an address that is taken; redb has no codes of its own.
pub(super) const TAKEN: u32 = 1;

/// What all connections to a backend share: a database can be opened once.
pub(super) struct Shared {
    pub(super) database: Database,
    pub(super) schema: Schema,
    durability: Durability,
    commits: AtomicU64,
}

impl Shared {
    pub(super) fn new(database: Database, schema: Schema, durability: Durability) -> Self {
        Self { database, schema, durability, commits: AtomicU64::new(0) }
    }

    pub(super) fn begin(&self) -> Result<WriteTransaction, BackendError> {
        self.database.begin_write().map_err(backend_error)
    }

    pub(super) fn commit(&self, mut transaction: WriteTransaction) -> Result<(), BackendError> {
        let flushed = match self.durability {
            Durability::Sync => true,
            Durability::Async => {
                self.commits.fetch_add(1, Ordering::Relaxed) % FLUSHED_EVERY == FLUSHED_EVERY - 1
            }
        };
        transaction.set_durability(if flushed {
            redb::Durability::Immediate
        } else {
            redb::Durability::None
        });
        transaction.commit().map_err(backend_error)
    }

    /// Flushes what was committed without a flush to the disk.
    pub(super) fn flush(&self) -> Result<(), BackendError> {
        match self.durability {
            Durability::Sync => Ok(()),
            Durability::Async => self.begin()?.commit().map_err(backend_error),
        }
    }
}

/// A failure with the message of the library. After a failed read or write of the file the database must be opened
/// again.
pub(super) fn backend_error(error: impl Into<redb::Error>) -> BackendError {
    let error = error.into();
    let (class, code) = match &error {
        redb::Error::Io(io) => (Class::Closed, io.raw_os_error().unwrap_or(0).cast_unsigned()),
        redb::Error::PreviousIo | redb::Error::Corrupted(_) => (Class::Closed, 0),
        _ => (Class::Result, 0),
    };
    BackendError::new(class, code, error.to_string())
}

pub(super) fn taken(lease: &Lease) -> BackendError {
    BackendError::refused(TAKEN, format!("create a lease: {} is taken", lease.notation()))
}
