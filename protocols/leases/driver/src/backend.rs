//! What every lease backend can do: a [`Backend`] and its [`Connection`]s.
//!
//! A backend stores leases: in a file, a directory, or a database on a server. It creates the tables, counts the rows
//! with the store's own query and removes everything again. A connection is used by one thread. The trait is as small
//! as what a DHCP server needs from its lease backend, so that all compared stores do the same work. Nothing here
//! depends on a clock, a schedule or what is measured.

use super::error::BackendError;
use super::leases::{Identity, Lease};
use brunt_exchange::Meaning;
use std::time::Duration;

/// One thread's access to a backend: a connection, an open file.
pub trait Connection {
    /// Writes a lease that does not exist yet. An address that is taken is a [`BackendError`].
    fn create(&mut self, lease: &Lease) -> Result<(), BackendError>;

    /// Looks for a lease and fetches all of its columns; returns whether there was one.
    fn find(&mut self, by: &Identity) -> Result<bool, BackendError>;

    /// Gives the lease of an address another lifetime and the time of its client's last transaction; returns whether
    /// there was one.
    fn renew(&mut self, renewal: &Renewal) -> Result<bool, BackendError>;

    /// Deletes the lease of an address; returns whether there was one.
    fn release(&mut self, address: u128) -> Result<bool, BackendError>;

    /// Searches at most `limit` leases that had expired at `now`, the longest expired first, and deletes them, as a
    /// server reclaims them; returns how many there were.
    fn expire(&mut self, now: i64, limit: u32) -> Result<u32, BackendError>;

    /// Begins a transaction: what follows reaches the disk with [`commit`](Self::commit), or not at all.
    fn begin(&mut self) -> Result<(), BackendError>;

    /// Ends a transaction.
    fn commit(&mut self) -> Result<(), BackendError>;

    /// Rolls a transaction back after a failure within it. If that fails as well, the connection is opened again.
    fn roll_back(&mut self) -> Result<(), BackendError>;

    /// Whether the server closed the connection while it was idle for this long. It may cost system calls or a round
    /// trip to the server, so it is called only after a pause.
    fn has_lapsed(&mut self, idle: Duration) -> bool {
        let _ = idle;
        false
    }

    /// Whether the connection is lost, so that it must be opened again.
    fn broken(&self) -> bool {
        false
    }
}

/// A store of leases.
pub trait Backend: Send + Sync {
    /// Creates the tables, empty. Refuses if that would destroy tables that brunt did not create, unless the backend
    /// was configured to allow it.
    fn prepare(&self) -> Result<(), BackendError>;

    /// Opens a connection for one thread.
    fn open(&self) -> Result<Box<dyn Connection>, BackendError>;

    /// How many leases there are, counted by the store itself (`SELECT COUNT(*)`), over a separate connection.
    fn count(&self) -> Result<u64, BackendError>;

    /// Writes many leases as fast as the store can take them, before anything is measured.
    fn preload(&self, leases: &mut dyn Iterator<Item = Lease>) -> Result<(), BackendError>;

    /// Deletes what [`prepare`](Self::prepare) made, and nothing else.
    fn clear(&self) -> Result<(), BackendError>;

    /// What remains if [`clear`](Self::clear) fails, and how to remove it by hand.
    fn left_behind(&self) -> String;

    /// Whether the store runs in this process, so that its processor time is part of brunt's own.
    fn in_process(&self) -> bool {
        false
    }

    /// The name of the store and its version: `SQLite 3.50.2`.
    fn version(&self) -> Result<String, BackendError>;

    /// What has reached the disk when a change is answered, exactly: the settings and what they mean.
    fn durability(&self) -> String;

    /// The name of a code of this store's, for reports: `SQLITE_BUSY`, `1062 (ER_DUP_ENTRY)`, `23505`.
    fn name_of(&self, code: u32) -> String;

    /// What a code of this store's means, where that is more than a refusal.
    fn meaning_of(&self, code: u32) -> Option<Meaning> {
        let _ = code;
        None
    }
}

/// What a renewal changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renewal {
    /// The address of the lease.
    pub address: u128,
    /// The new valid lifetime, in seconds.
    pub valid_lifetime: u32,
    /// The time of the client's last transaction, in seconds since 1970.
    pub cltt: i64,
}
