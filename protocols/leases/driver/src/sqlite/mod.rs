//! Leases in a database of SQLite, which is built into this program: a [`SqliteBackend`].
//!
//! In order of depth: the backend makes the tables, `connection` executes the templates of [`sql`](super::sql),
//! `statement` keeps them parsed, `fault` names what goes wrong. For SQLite, two pragmas define what "sync" means, and
//! the backend reports in [`Backend::durability`] their effects, not only their names.

mod connection;
mod fault;
mod statement;

use super::leases::{Durability, Family, Lease, Schema, Statements};
use super::sql::{Dialect, SqlConnection, Table, in_the_way};
use super::{Backend, BackendError, Connection};
use brunt_exchange::{Class, Meaning};
use connection::SqliteConnection;
use rusqlite::OpenFlags;
use statement::{Reuse, Statement};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How SQLite keeps what it needs to roll a change back (`PRAGMA journal_mode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Journal {
    /// Changes are written to a log next to the database, and moved into the database from time to time.
    #[default]
    Wal,
    /// What a change overwrites is kept in a file that is deleted with the commit.
    Delete,
    /// The same file, emptied and not deleted.
    Truncate,
    /// The same file, marked as done.
    Persist,
    /// The same content, in memory.
    Memory,
    /// Nothing is kept, as in 2012: an interrupted change leaves the database corrupt.
    Off,
}

/// Where a database is and how it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqliteSetup {
    /// The file.
    pub path: PathBuf,
    /// The tables.
    pub schema: Schema,
    /// The leases.
    pub family: Family,
    /// Whether each commit is on the disk before it is answered: `synchronous` `FULL` or `OFF`.
    pub durability: Durability,
    /// How statements reach it.
    pub statements: Statements,
    /// How changes can be rolled back.
    pub journal: Journal,
    /// How long a connection waits for another's lock before it gives up.
    pub timeout: Duration,
    /// Whether tables that brunt did not create may be dropped.
    pub may_destroy: bool,
}

/// A database of SQLite.
pub struct SqliteBackend {
    setup: SqliteSetup,
    table: Table,
    made: Mutex<Option<Preparation>>,
    /// A connection that is open from `prepare` to `clear`: the last one to close would delete the write-ahead log, and
    /// the next phase would begin with making another.
    open: Mutex<Option<rusqlite::Connection>>,
}

/// What `prepare` found, so that `clear` can restore it.
#[derive(Clone, Debug)]
struct Preparation {
    /// The journal mode of the database before; `None` if there was no file.
    journal_before: Option<String>,
}

impl SqliteBackend {
    /// A backend in this database, which is not opened or changed yet.
    pub fn new(setup: SqliteSetup) -> Self {
        let Ok(path) = std::path::absolute(&setup.path) else { return Self::at(setup) };
        // An absolute path cannot be interpreted as a URI.
        Self::at(SqliteSetup { path, ..setup })
    }

    fn at(setup: SqliteSetup) -> Self {
        let table = Table { dialect: Dialect::Sqlite, schema: setup.schema, family: setup.family };
        Self { setup, table, made: Mutex::new(None), open: Mutex::new(None) }
    }

    fn connect(&self, flags: OpenFlags) -> Result<rusqlite::Connection, BackendError> {
        let flags = flags | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let path = &self.setup.path;
        let connect = || {
            let connection = rusqlite::Connection::open_with_flags(path, flags)?;
            connection.busy_timeout(self.setup.timeout)?;
            statement::extend_codes(&connection);
            Ok::<_, rusqlite::Error>(connection)
        };
        connect().map_err(|error| {
            let backend_error = BackendError::from(error);
            let class = Class::Connect;
            let text = format!("open the database {}: {}", path.display(), backend_error.text);
            BackendError { class, text, ..backend_error }
        })
    }

    /// Applies the settings that a connection needs each time it is opened.
    fn instruct(&self, connection: &rusqlite::Connection) -> Result<(), BackendError> {
        let wanted = self.setup.journal.word();
        let mode: String =
            connection.pragma_update_and_check(None, "journal_mode", wanted, |row| row.get(0))?;
        if !mode.eq_ignore_ascii_case(wanted) {
            let path = self.setup.path.display();
            let text = format!(
                "set journal_mode={wanted} for {path}: it stays {mode}; the file system may not allow it"
            );
            return Err(BackendError::refused(0, text));
        }
        connection.pragma_update(None, "synchronous", self.synchronous())?;
        Ok(())
    }

    fn synchronous(&self) -> &'static str {
        match self.setup.durability {
            Durability::Sync => "FULL",
            Durability::Async => "OFF",
        }
    }

    /// Refuses if a table with one of our names exists that brunt did not make.
    fn guard(&self, connection: &rusqlite::Connection) -> Result<(), BackendError> {
        let mut found = Vec::new();
        for table in self.table.tables() {
            let there: bool = connection.query_row(
                "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1)",
                [table],
                |row| row.get(0),
            )?;
            if there {
                let count = format!("SELECT COUNT(*) FROM {table}");
                let rows: i64 = connection.query_row(&count, [], |row| row.get(0))?;
                found.push((*table, rows as u64));
            }
        }
        if found.is_empty() {
            return Ok(());
        }
        Err(in_the_way(&format!("the file {}", self.setup.path.display()), &found))
    }

    fn drop_tables(&self, connection: &rusqlite::Connection) -> Result<(), BackendError> {
        for table in self.table.tables() {
            connection.execute_batch(&format!("DROP TABLE IF EXISTS {table}"))?;
        }
        Ok(())
    }

    fn made(&self) -> Option<Preparation> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep_open(&self, connection: Option<rusqlite::Connection>) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = connection;
    }

    fn remember(&self, made: Option<Preparation>) {
        *self.made.lock().unwrap_or_else(PoisonError::into_inner) = made;
    }
}

impl Backend for SqliteBackend {
    fn prepare(&self) -> Result<(), BackendError> {
        self.keep_open(None);
        let was_there = self.setup.path.exists();
        let connection = self.connect(OpenFlags::SQLITE_OPEN_CREATE)?;
        if self.made().is_none() {
            if !self.setup.may_destroy {
                self.guard(&connection)?;
            }
            let mode = || connection.pragma_query_value(None, "journal_mode", |row| row.get(0));
            let journal_before = if was_there { Some(mode()?) } else { None };
            self.remember(Some(Preparation { journal_before }));
        }
        self.instruct(&connection)?;
        self.drop_tables(&connection)?;
        for text in self.table.ddl() {
            connection.execute_batch(&text)?;
        }
        self.keep_open(Some(connection));
        Ok(())
    }

    fn open(&self) -> Result<Box<dyn Connection>, BackendError> {
        let connection = self.connect(OpenFlags::empty())?;
        self.instruct(&connection)?;
        // The first read opens the log: it happens here, and not within the first exchange.
        connection.query_row(
            &format!("SELECT EXISTS (SELECT 1 FROM {})", self.table.name()),
            [],
            |_| Ok(()),
        )?;
        let journaled = self.setup.journal != Journal::Off;
        let statements = self.setup.statements;
        let store = SqliteConnection::new(connection, self.table, statements, journaled)?;
        Ok(Box::new(SqlConnection::new(store, self.table)))
    }

    fn count(&self) -> Result<u64, BackendError> {
        let connection = self.connect(OpenFlags::empty())?;
        let rows: i64 =
            connection.query_row(&self.table.templates().count, [], |row| row.get(0))?;
        Ok(rows.unsigned_abs())
    }

    fn preload(&self, leases: &mut dyn Iterator<Item = Lease>) -> Result<(), BackendError> {
        /// The number of rows per transaction: enough to make the commit cheap, few enough to limit the log.
        const ROWS: usize = 10_000;
        let connection = Rc::new(self.connect(OpenFlags::empty())?);
        self.instruct(&connection)?;
        let mut text = self.table.templates().create.placeholders();
        let mut create = Statement::prepare(&connection, &mut text, Reuse::Always)?;
        let mut leases = leases.peekable();
        while leases.peek().is_some() {
            connection.execute_batch("BEGIN IMMEDIATE")?;
            for lease in leases.by_ref().take(ROWS) {
                let at = self.table.address(lease.address);
                let mut binding = create.bind();
                self.table.bind_create(&lease, &at, &mut binding);
                binding.run()?;
            }
            connection.execute_batch("COMMIT")?;
        }
        Ok(())
    }

    fn clear(&self) -> Result<(), BackendError> {
        self.keep_open(None);
        let Some(made) = self.made() else { return Ok(()) };
        if let Some(mode) = made.journal_before {
            let connection = self.connect(OpenFlags::empty())?;
            self.drop_tables(&connection)?;
            // If another process has the database open, the journal mode is not changed, and that process can continue
            // reading.
            let back: rusqlite::Result<String> =
                connection.pragma_update_and_check(None, "journal_mode", mode, |row| row.get(0));
            drop(back);
        } else {
            for ending in ["", "-wal", "-shm", "-journal"] {
                remove(&self.setup.path, ending)?;
            }
        }
        self.remember(None);
        Ok(())
    }

    fn in_process(&self) -> bool {
        true
    }

    fn left_behind(&self) -> String {
        format!("the file {}", self.setup.path.display())
    }

    fn version(&self) -> Result<String, BackendError> {
        Ok(format!("SQLite {}", rusqlite::version()))
    }

    fn durability(&self) -> String {
        let (journal, synchronous) = (self.setup.journal.word(), self.synchronous());
        let meaning = match (self.setup.durability, self.setup.journal) {
            (Durability::Sync, Journal::Wal) => {
                "each commit is appended to the write-ahead log and the log flushed to the disk (fsync) before it is \
                 answered; the database file follows at checkpoints"
            }
            (Durability::Sync, Journal::Off | Journal::Memory) => {
                "each commit is written to the database file and flushed to the disk (fsync) before it is answered, \
                 but nothing on the disk could take back a change that was interrupted"
            }
            (Durability::Sync, _) => {
                "what a commit overwrites is flushed to a journal and the database file flushed to the disk (fsync) \
                 before it is answered"
            }
            (Durability::Async, _) => {
                "each commit is handed to the system before it is answered and nothing is ever flushed: it survives \
                 the end of the process and not that of the machine"
            }
        };
        format!("journal_mode={journal}, synchronous={synchronous}: {meaning}")
    }

    fn name_of(&self, code: u32) -> String {
        fault::name_of(code)
    }

    fn meaning_of(&self, code: u32) -> Option<Meaning> {
        fault::meaning_of(code)
    }
}

impl Journal {
    /// The name in the pragma.
    pub fn word(self) -> &'static str {
        match self {
            Self::Wal => "WAL",
            Self::Delete => "DELETE",
            Self::Truncate => "TRUNCATE",
            Self::Persist => "PERSIST",
            Self::Memory => "MEMORY",
            Self::Off => "OFF",
        }
    }
}

/// Removes the file of this name with this ending, if it is there.
fn remove(path: &Path, ending: &str) -> Result<(), BackendError> {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    match std::fs::remove_file(&name) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            let code = error.raw_os_error().unwrap_or(0) as u32;
            Err(BackendError::refused(
                code,
                format!("remove {}: {error}", Path::new(&name).display()),
            ))
        }
        _ => Ok(()),
    }
}
