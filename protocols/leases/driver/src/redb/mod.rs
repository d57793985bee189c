//! Leases in a database of redb, an embedded key-value store: a [`RedbBackend`].
//!
//! Two embedded stores in pure Rust are maintained and free to use, redb and fjall, both under MIT or Apache-2.0. redb
//! was chosen because its design differs from the other stores here: it is a copy-on-write B-tree with a transaction
//! for each change, in contrast to SQLite's log and the append-only lease file; fjall's log-structured tree would be a
//! second store that appends. It also adds only one package and not a dozen.
//!
//! The keys of leases are their addresses. With Kea's tables, three more tables have the keys of its indexes: client
//! identifiers, hardware addresses and the ends of lifetimes, each followed by the address.

mod connection;
mod row;
mod shared;

use super::leases::{Durability, Family, Lease, Schema};
use super::{Backend, BackendError, Connection};
use brunt_exchange::Class;
use connection::RedbConnection;
use redb::{Database, ReadableTableMetadata as _};
use shared::{BY_CLIENT, BY_HARDWARE, FLUSHED_EVERY, LEASES, OVER, Shared, TAKEN, backend_error};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The version in the manifest; the library does not report its own.
const VERSION: &str = "redb 2.6";

/// Where a database is and how it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedbSetup {
    /// The file.
    pub path: PathBuf,
    /// The values by which leases can be found without reading each one: the address, or what Kea has indexes for.
    pub schema: Schema,
    /// The leases.
    pub family: Family,
    /// Whether each commit is on the disk before it is answered.
    pub durability: Durability,
    /// Whether a file that brunt did not create may be deleted.
    pub may_destroy: bool,
}

/// A database of redb.
pub struct RedbBackend {
    setup: RedbSetup,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    shared: Option<Arc<Shared>>,
    made: bool,
}

impl RedbBackend {
    /// A backend in this file, which is not opened or changed yet.
    pub fn new(setup: RedbSetup) -> Self {
        Self { setup, inner: Mutex::new(Inner::default()) }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Each change is a single assignment, so the state is consistent after a panic.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shared(&self) -> Result<Arc<Shared>, BackendError> {
        let mut inner = self.inner();
        if let Some(shared) = &inner.shared {
            return Ok(Arc::clone(shared));
        }
        let database = Database::open(&self.setup.path).map_err(|error| self.unopened(error))?;
        let shared = self.share(database);
        inner.shared = Some(Arc::clone(&shared));
        Ok(shared)
    }

    fn share(&self, database: Database) -> Arc<Shared> {
        let RedbSetup { schema, durability, .. } = self.setup;
        Arc::new(Shared::new(database, schema, durability))
    }

    fn unopened(&self, error: redb::DatabaseError) -> BackendError {
        let backend_error = backend_error(error);
        let text =
            format!("open the database {}: {}", self.setup.path.display(), backend_error.text);
        BackendError { class: Class::Connect, text, ..backend_error }
    }

    fn remove(&self) -> Result<(), BackendError> {
        let path = &self.setup.path;
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(BackendError::refused(0, format!("remove {}: {error}", path.display())))
            }
            _ => Ok(()),
        }
    }
}

impl Backend for RedbBackend {
    fn prepare(&self) -> Result<(), BackendError> {
        let mut inner = self.inner();
        let path = &self.setup.path;
        if !inner.made && !self.setup.may_destroy && path.exists() {
            let text = format!(
                "create the database: {} exists; name another file, or allow its deletion with --yes-destroy",
                path.display()
            );
            return Err(BackendError::new(Class::Check, 0, text));
        }
        inner.shared = None;
        self.remove()?;
        let database = Database::create(path).map_err(|error| self.unopened(error))?;
        inner.made = true;
        let transaction = database.begin_write().map_err(backend_error)?;
        transaction.open_table(LEASES).map_err(backend_error)?;
        transaction.open_table(BY_CLIENT).map_err(backend_error)?;
        transaction.open_table(BY_HARDWARE).map_err(backend_error)?;
        transaction.open_table(OVER).map_err(backend_error)?;
        transaction.commit().map_err(backend_error)?;
        inner.shared = Some(self.share(database));
        Ok(())
    }

    fn open(&self) -> Result<Box<dyn Connection>, BackendError> {
        Ok(Box::new(RedbConnection::new(self.shared()?)))
    }

    fn count(&self) -> Result<u64, BackendError> {
        let transaction = self.shared()?.database.begin_read().map_err(backend_error)?;
        transaction.open_table(LEASES).map_err(backend_error)?.len().map_err(backend_error)
    }

    fn preload(&self, leases: &mut dyn Iterator<Item = Lease>) -> Result<(), BackendError> {
        /// The number of leases per transaction, whose changes are kept in memory until it is committed.
        const LEASES_AT_ONCE: usize = 10_000;
        let shared = self.shared()?;
        let mut leases = leases.peekable();
        let mut value = Vec::new();
        while leases.peek().is_some() {
            let transaction = shared.begin()?;
            for lease in leases.by_ref().take(LEASES_AT_ONCE) {
                connection::create(&transaction, shared.schema, &mut value, &lease)?;
            }
            shared.commit(transaction)?;
        }
        shared.flush()
    }

    fn clear(&self) -> Result<(), BackendError> {
        let mut inner = self.inner();
        inner.shared = None;
        if std::mem::take(&mut inner.made) { self.remove() } else { Ok(()) }
    }

    fn in_process(&self) -> bool {
        true
    }

    fn left_behind(&self) -> String {
        format!("the file {}", self.setup.path.display())
    }

    fn version(&self) -> Result<String, BackendError> {
        Ok(VERSION.into())
    }

    fn durability(&self) -> String {
        match self.setup.durability {
            Durability::Sync => {
                "Durability::Immediate: the pages of each commit and then the root that points at \
                                 them are flushed to the disk (fsync) before it is answered"
                    .into()
            }
            Durability::Async => format!(
                "Durability::None: commits stay in this process; each {FLUSHED_EVERY}th and the last are flushed to \
                 the disk with all before them, so that the end of the process loses up to {}",
                FLUSHED_EVERY - 1
            ),
        }
    }

    fn name_of(&self, code: u32) -> String {
        match code {
            TAKEN => "taken".into(),
            0 => "0".into(),
            code => std::io::Error::from_raw_os_error(code.cast_signed()).to_string(),
        }
    }
}
