//! [`Store`]: the SQLite file of a site: people, tokens, the audit trail, and an index of the runs.
//!
//! There is one writer, so that no thread waits for SQLite's own lock, and a few readers, which can read at the same
//! time in WAL mode. The file has a version. A newer program migrates it step by step and keeps a copy of the old
//! version; a file from a newer program is refused. The directory of runs is the source of truth: the index of it can
//! be rebuilt.

mod annotations;
mod audit;
mod drafts;
mod followed;
mod hooks;
mod identities;
mod keyed;
mod membership;
mod people;
mod plans;
mod projects;
mod provider;
mod runs;
mod schedules;
mod secrets;
mod sessions;
mod shares;
mod steps;
mod targets;
mod test;
mod tokens;
mod visibility;

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction};

pub(crate) use annotations::{Annotation, Window};
pub(crate) use audit::{AUDIT_KEY, AuditKey, BrokenAt};
pub(crate) use drafts::Draft;
pub(crate) use followed::FollowedRun;
pub(crate) use hooks::Hook;
pub(crate) use identities::{Identity, Vouched};
pub(crate) use keyed::{KEPT_FOR, KEPT_MAX, KeptAnswer, Keyed};
pub(crate) use membership::{REVISION, key_of_plan};
pub(crate) use people::User;
pub(crate) use plans::Plan;
pub(crate) use projects::{Members, Project};
pub(crate) use provider::ProviderSettings;
pub(crate) use runs::{
    Filter, Kind, Listed, Order, PageStart, Position, SortBy, name, outcome_key,
};
pub(crate) use schedules::{DueRun, Schedule, UnreportedRun};
pub(crate) use secrets::SecretRow;
pub(crate) use sessions::{LiveSession, SessionRow, Visitor};
pub(crate) use shares::Share;
pub(crate) use steps::Step;
pub(crate) use targets::Target;
pub(crate) use test::{LastRuns, Point, Test};
pub(crate) use tokens::TokenRow;
pub(crate) use visibility::Visibility;

/// The migrations that bring a file to its version. A released migration never changes.
const MIGRATIONS: [&str; 13] = [
    include_str!("001_begin.sql"),
    include_str!("002_build.sql"),
    include_str!("003_secrets.sql"),
    include_str!("004_hooks.sql"),
    include_str!("005_run_scope.sql"),
    include_str!("006_schedule_agents.sql"),
    include_str!("007_outcome.sql"),
    include_str!("008_api.sql"),
    include_str!("009_tests.sql"),
    include_str!("010_drafts.sql"),
    include_str!("011_team.sql"),
    include_str!("012_provider.sql"),
    include_str!("013_projects.sql"),
];
/// How many readers are kept open.
const READERS_KEPT: usize = 4;
const PATIENCE: Duration = Duration::from_secs(10);
/// The file of the database.
pub(crate) const DATABASE: &str = "brunt.db";
/// The bytes that are written to find out whether the disk is full: more than the database writes for most changes.
const TRIED: usize = 64 << 10;

/// Why an operation of the store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file could not be read or written.
    #[error("use brunt.db: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The file could not be created.
    #[error("open {}: {source}", path.display())]
    Make {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The disk is full.
    #[error("write brunt.db: {0}")]
    Full(#[source] io::Error),
    /// The file was written by a newer program.
    #[error("open {}: it has version {found} and this program knows {known}; use a newer brunt", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version that this program knows.
        known: usize,
    },
}

impl StoreError {
    /// Whether the disk is full.
    pub(crate) fn is_full(&self) -> bool {
        match self {
            Self::Full(_) => true,
            Self::Make { source, .. } => brunt_record::is_full(source),
            Self::Sqlite(error) => error.sqlite_error_code() == Some(ErrorCode::DiskFull),
            Self::Newer { .. } => false,
        }
    }
}

/// The newest version of the database that this program knows.
pub(crate) const fn version_known() -> usize {
    MIGRATIONS.len()
}

type Result<T> = std::result::Result<T, StoreError>;

/// The database of a site; reads find only what is visible.
#[derive(Clone)]
pub(crate) struct Store {
    file: Arc<Database>,
    visibility: Visibility,
}

/// The file and its connections.
struct Database {
    path: PathBuf,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
    /// Readers that find what may be seen.
    limited: Mutex<Vec<Connection>>,
}

impl Store {
    /// Opens the file of a directory, creates it if it does not exist, and migrates it. All tests are seen.
    pub(crate) fn open(directory: &Path) -> Result<Self> {
        let path = directory.join(DATABASE);
        private(&path)?;
        let mut writer = Connection::open(&path)?;
        writer.busy_timeout(PATIENCE)?;
        writer.pragma_update(None, "journal_mode", "wal")?;
        writer.pragma_update(None, "synchronous", "normal")?;
        writer.pragma_update(None, "foreign_keys", true)?;
        migrate(&mut writer, &path)?;
        let (readers, limited) = (Mutex::default(), Mutex::default());
        let file = Database { path, writer: Mutex::new(writer), readers, limited };
        Ok(Self { file: Arc::new(file), visibility: Visibility::All })
    }

    /// Runs a change in a transaction.
    pub(crate) fn write<T>(&self, act: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        self.transact(act).map_err(|error| self.explained(error))
    }

    fn transact<T>(&self, act: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let mut writer = locked(&self.file.writer);
        let transaction = writer.transaction()?;
        let done = act(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }

    /// Notes something that may be missing: a full disk does not prevent what is done beside it.
    pub(crate) fn note_use(&self, act: impl FnOnce(&Transaction<'_>) -> Result<()>) -> Result<()> {
        match self.write(act) {
            Err(error) if error.is_full() => Ok(()),
            noted => noted,
        }
    }

    /// SQLite reports a used up quota like a broken disk. Whether a file of that directory can be written distinguishes
    /// them.
    fn explained(&self, error: StoreError) -> StoreError {
        let StoreError::Sqlite(cause) = &error else { return error };
        if cause.sqlite_error_code() != Some(ErrorCode::SystemIoFailure) {
            return error;
        }
        let tried = self.file.path.with_extension("room");
        let written = brunt_record::replace(&tried, |out| out.write_all(&vec![0; TRIED]));
        drop(std::fs::remove_file(&tried));
        match written {
            Err(why) if brunt_record::is_full(&why) => StoreError::Full(why),
            _ => error,
        }
    }

    /// Runs a query, which finds only what may be seen.
    pub(crate) fn read<T>(&self, act: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let pool =
            if self.visibility.is_limited() { &self.file.limited } else { &self.file.readers };
        let kept = locked(pool).pop();
        let reader = match kept {
            Some(reader) => reader,
            None => self.reader()?,
        };
        self.visibility.apply(&reader)?;
        let done = act(&reader);
        let mut readers = locked(pool);
        if readers.len() < READERS_KEPT {
            readers.push(reader);
        }
        done
    }

    /// The bytes of the file, with what is not merged into it yet.
    pub(crate) fn bytes(&self) -> u64 {
        let files = [self.file.path.clone(), self.file.path.with_extension("db-wal")];
        files.iter().filter_map(|path| Some(std::fs::metadata(path).ok()?.len())).sum()
    }

    fn reader(&self) -> Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let reader = Connection::open_with_flags(&self.file.path, flags)?;
        reader.busy_timeout(PATIENCE)?;
        if self.visibility.is_limited() {
            Visibility::limit(&reader)?;
        }
        Ok(reader)
    }
}

/// Creates the file if it does not exist, readable only by its owner; SQLite gives its companion files the same mode.
fn private(path: &Path) -> Result<()> {
    let made = File::options().append(true).create(true).mode(0o600).open(path);
    made.map(drop).map_err(|source| StoreError::Make { path: path.to_owned(), source })
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

fn migrate(writer: &mut Connection, path: &Path) -> Result<()> {
    let found: i64 = writer.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let known = MIGRATIONS.len();
    let Some(missing) = usize::try_from(found).ok().and_then(|found| MIGRATIONS.get(found..))
    else {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    };
    if missing.is_empty() {
        return Ok(());
    }
    if found > 0 {
        let copy = path.with_extension(format!("db.{found}"));
        // Left by an earlier migration that did not finish.
        let _ = std::fs::remove_file(&copy);
        private(&copy)?;
        writer.execute("VACUUM INTO ?1", [copy.display().to_string()])?;
    }
    // All steps or none: a file is never left at a version that no program wrote.
    let transaction = writer.transaction()?;
    for (version, step) in (found + 1..).zip(missing) {
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", version)?;
    }
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn database_is_created_once_and_a_newer_one_refused() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let role = crate::auth::Role::Admin;
        store.add_user("ada", role, 1).unwrap();
        for file in std::fs::read_dir(directory.path()).unwrap() {
            let mode = file.unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "only its owner reads it");
        }
        drop(store);
        let store = Store::open(directory.path()).unwrap();
        assert_eq!(store.user_named("ADA").unwrap().map(|user| user.role), Some(role));
        store.write(|file| Ok(file.pragma_update(None, "user_version", 99)?)).unwrap();
        drop(store);
        let why = Store::open(directory.path()).err().unwrap().to_string();
        assert!(why.contains("version 99") && why.contains("newer brunt"), "{why}");
    }

    #[test]
    fn database_of_an_older_version_is_copied_and_migrated() {
        let directory = tempfile::tempdir().unwrap();
        let older = Connection::open(directory.path().join(DATABASE)).unwrap();
        older.execute_batch(MIGRATIONS[0]).unwrap();
        older.pragma_update(None, "user_version", 1).unwrap();
        let add = "INSERT INTO user (name, role, created) VALUES ('ada', 'admin', 1)";
        older.execute(add, []).unwrap();
        let add = "INSERT INTO token (hash, user, name, scope, created, expires) VALUES (x'01', 1, 'ci', 'push', 1, 9)";
        older.execute(add, []).unwrap();
        drop(older);
        let store = Store::open(directory.path()).unwrap();
        assert_eq!(store.users().unwrap().len(), 1);
        let tokens = store.tokens(None).unwrap();
        assert_eq!((tokens.len(), tokens[0].scope), (1, crate::auth::Scope::Push));
        assert_eq!(store.secrets().unwrap(), []);
        drop(store);
        let version = |name: &str| -> i64 {
            let file = Connection::open(directory.path().join(name)).unwrap();
            file.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
        };
        assert_eq!(version(DATABASE), i64::try_from(MIGRATIONS.len()).unwrap());
        assert_eq!(version("brunt.db.1"), 1);
        assert!(!directory.path().join("brunt.db.2").exists(), "nobody had that version");
        let copy = directory.path().join("brunt.db.1").metadata().unwrap();
        assert_eq!(copy.permissions().mode() & 0o077, 0);
    }

    /// A user may have any released version.
    #[test]
    fn migration_works_from_every_version_and_is_atomic() {
        let file_of = |version: usize| {
            let directory = tempfile::tempdir().unwrap();
            let older = Connection::open(directory.path().join(DATABASE)).unwrap();
            MIGRATIONS[..version].iter().for_each(|step| older.execute_batch(step).unwrap());
            let number = i64::try_from(version).unwrap();
            older.pragma_update(None, "user_version", number).unwrap();
            let add = "INSERT INTO user (name, role, created) VALUES ('ada', 'admin', 1)";
            older.execute(add, []).unwrap();
            (directory, older)
        };
        for version in 1..=MIGRATIONS.len() {
            let (directory, _) = file_of(version);
            let store = Store::open(directory.path()).unwrap();
            assert_eq!(store.users().unwrap().len(), 1, "{version}");
            let copy = directory.path().join(format!("brunt.db.{version}"));
            assert_eq!(copy.exists(), version < MIGRATIONS.len(), "{version}");
        }
        // The last steps find a table that is in their way.
        let (directory, older) = file_of(1);
        older.execute_batch("CREATE TABLE annotation (id INTEGER PRIMARY KEY) STRICT").unwrap();
        assert!(Store::open(directory.path()).is_err());
        let version: i64 =
            older.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        let tables = "SELECT count(*) FROM sqlite_schema WHERE name IN ('step', 'hook', 'draft')";
        let tables: i64 = older.query_row(tables, [], |row| row.get(0)).unwrap();
        assert_eq!((version, tables), (1, 0));
    }

    #[test]
    fn full_disk_fails_writes_but_not_notes() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        // SQLite's error for a full disk.
        store.write(|file| Ok(file.pragma_update(None, "max_page_count", 1)?)).unwrap();
        let large = || "x".repeat(1 << 20);
        let failed = store.add_plan("a", &large(), ("ada", 1));
        assert!(failed.as_ref().is_err_and(StoreError::is_full), "{failed:?}");
        let fill = |file: &Transaction<'_>| {
            file.execute("INSERT INTO plan (name) VALUES (?1)", [large()])?;
            Ok(())
        };
        store.note_use(fill).unwrap();
        assert_eq!(store.plans().unwrap().len(), 0);
        store.write(|file| Ok(file.pragma_update(None, "max_page_count", 1 << 30)?)).unwrap();
        assert!(store.add_plan("a", &large(), ("ada", 1)).unwrap().is_some());
    }

    #[test]
    fn failed_transaction_changes_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let failed = store.write(|file| {
            file.execute("INSERT INTO user (name, role, created) VALUES ('a', 'viewer', 1)", [])?;
            file.execute("INSERT INTO user (name, role, created) VALUES ('a', 'viewer', 1)", [])?;
            Ok(())
        });
        assert!(failed.is_err());
        assert_eq!(store.users().unwrap().len(), 0);
    }
}
