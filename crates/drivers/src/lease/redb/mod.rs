//! Leases in a database of redb, an embedded key-value store: a [`RedbDepot`].
//!
//! Of the embedded stores in pure Rust two are kept up and free to use, redb and fjall, both under MIT or Apache-2.0.
//! redb was chosen because it is the other answer to the question that a lease database asks: a copy-on-write B-tree with
//! a transaction for each change, beside SQLite's log and a lease file's appending; fjall's log-structured tree would be
//! a second store that appends. It also brings one package with it and not a dozen. The version is the newest that the
//! oldest supported toolchain builds.
//!
//! Leases lie under their addresses. Where the tables are Kea's, three more tables have the keys of its indexes: client
//! identifiers, hardware addresses and the ends of lifetimes, each with the address behind it.

mod row;
mod store;

use super::leases::{Durability, Family, Lease, Schema};
use super::{Depot, Store, Trouble};
use brunt_exchange::Class;
use redb::{Database, ReadableTableMetadata as _, TableDefinition, WriteTransaction};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::RedbStore;

const LEASES: TableDefinition<'_, u128, &[u8]> = TableDefinition::new("leases");
const BY_CLIENT: TableDefinition<'_, (&[u8], u128), ()> = TableDefinition::new("by_client");
const BY_HARDWARE: TableDefinition<'_, (&[u8], u128), ()> = TableDefinition::new("by_hardware");
const OVER: TableDefinition<'_, (i64, u128), ()> = TableDefinition::new("over");

/// The version in the manifest; the library does not say its own.
const VERSION: &str = "redb 2.6";

/// Every so many commits one is flushed where none has to be: pages that a commit replaced are given back only by a
/// commit that is on the disk, so a file without any would grow for ever.
const FLUSHED_EVERY: u64 = 1_000;

/// The code of an address that is taken; redb has no codes of its own.
const TAKEN: u32 = 1;

/// Where a database is and how it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedbSetup {
    /// The file.
    pub path: PathBuf,
    /// What leases can be found by without looking at each: the address, or what Kea has indexes for.
    pub schema: Schema,
    /// The leases.
    pub family: Family,
    /// Whether each commit is on the disk before it is answered.
    pub durability: Durability,
    /// Whether a file that somebody else made may be deleted.
    pub may_destroy: bool,
}

/// A database of redb.
pub struct RedbDepot {
    setup: RedbSetup,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    shared: Option<Arc<Shared>>,
    made: bool,
}

/// What all stores of a depot share: a database can be opened once.
struct Shared {
    database: Database,
    schema: Schema,
    durability: Durability,
    commits: AtomicU64,
}

impl Shared {
    fn begin(&self) -> Result<WriteTransaction, Trouble> {
        self.database.begin_write().map_err(trouble)
    }

    fn commit(&self, mut transaction: WriteTransaction) -> Result<(), Trouble> {
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
        transaction.commit().map_err(trouble)
    }

    /// Brings to the disk what was committed without it.
    fn flush(&self) -> Result<(), Trouble> {
        match self.durability {
            Durability::Sync => Ok(()),
            Durability::Async => self.begin()?.commit().map_err(trouble),
        }
    }
}

impl RedbDepot {
    /// A depot in this file, which is not touched yet.
    pub fn new(setup: RedbSetup) -> Self {
        Self { setup, inside: Mutex::new(Inside::default()) }
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        // Each change is a single assignment, so what a panic left is whole.
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shared(&self) -> Result<Arc<Shared>, Trouble> {
        let mut inside = self.inside();
        if let Some(shared) = &inside.shared {
            return Ok(Arc::clone(shared));
        }
        let database = Database::open(&self.setup.path).map_err(|error| self.unopened(error))?;
        let shared = self.share(database);
        inside.shared = Some(Arc::clone(&shared));
        Ok(shared)
    }

    fn share(&self, database: Database) -> Arc<Shared> {
        let RedbSetup { schema, durability, .. } = self.setup;
        Arc::new(Shared { database, schema, durability, commits: AtomicU64::new(0) })
    }

    fn unopened(&self, error: redb::DatabaseError) -> Trouble {
        let trouble = trouble(error);
        let text = format!("open the database {}: {}", self.setup.path.display(), trouble.text);
        Trouble { class: Class::Connect, text, ..trouble }
    }

    fn remove(&self) -> Result<(), Trouble> {
        let path = &self.setup.path;
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Trouble::refused(0, format!("remove {}: {error}", path.display())))
            }
            _ => Ok(()),
        }
    }
}

impl Depot for RedbDepot {
    fn prepare(&self) -> Result<(), Trouble> {
        let mut inside = self.inside();
        let path = &self.setup.path;
        if !inside.made && !self.setup.may_destroy && path.exists() {
            let text = format!(
                "make the database anew: {} is there; name another file, or let it be deleted with --yes-destroy",
                path.display()
            );
            return Err(Trouble { class: Class::Check, code: 0, text });
        }
        inside.shared = None;
        self.remove()?;
        let database = Database::create(path).map_err(|error| self.unopened(error))?;
        inside.made = true;
        let transaction = database.begin_write().map_err(trouble)?;
        transaction.open_table(LEASES).map_err(trouble)?;
        transaction.open_table(BY_CLIENT).map_err(trouble)?;
        transaction.open_table(BY_HARDWARE).map_err(trouble)?;
        transaction.open_table(OVER).map_err(trouble)?;
        transaction.commit().map_err(trouble)?;
        inside.shared = Some(self.share(database));
        Ok(())
    }

    fn open(&self) -> Result<Box<dyn Store>, Trouble> {
        Ok(Box::new(RedbStore::new(self.shared()?)))
    }

    fn count(&self) -> Result<u64, Trouble> {
        let transaction = self.shared()?.database.begin_read().map_err(trouble)?;
        transaction.open_table(LEASES).map_err(trouble)?.len().map_err(trouble)
    }

    fn preload(&self, leases: &mut dyn Iterator<Item = Lease>) -> Result<(), Trouble> {
        /// So many leases a transaction: what it changed is kept in memory until it is committed.
        const LEASES_AT_ONCE: usize = 10_000;
        let shared = self.shared()?;
        let mut leases = leases.peekable();
        let mut value = Vec::new();
        while leases.peek().is_some() {
            let transaction = shared.begin()?;
            for lease in leases.by_ref().take(LEASES_AT_ONCE) {
                store::create(&transaction, shared.schema, &mut value, &lease)?;
            }
            shared.commit(transaction)?;
        }
        shared.flush()
    }

    fn clear(&self) -> Result<(), Trouble> {
        let mut inside = self.inside();
        inside.shared = None;
        if std::mem::take(&mut inside.made) { self.remove() } else { Ok(()) }
    }

    fn version(&self) -> Result<String, Trouble> {
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

/// A failure in the words of the library. After a failed read or write of the file the database has to be opened anew.
fn trouble(error: impl Into<redb::Error>) -> Trouble {
    let error = error.into();
    let (class, code) = match &error {
        redb::Error::Io(io) => (Class::Closed, io.raw_os_error().unwrap_or(0).cast_unsigned()),
        redb::Error::PreviousIo | redb::Error::Corrupted(_) => (Class::Closed, 0),
        _ => (Class::Result, 0),
    };
    Trouble { class, code, text: error.to_string() }
}

fn taken(lease: &Lease) -> Trouble {
    Trouble::refused(TAKEN, format!("create a lease: {} is taken", lease.notation()))
}
