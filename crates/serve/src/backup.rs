//! Backups of a site: a copy of its data in a directory of its own, with a list of all files and their hashes.
//!
//! A backup is made beside the process that serves the site, which continues meanwhile. The database is copied first,
//! in one consistent state; a run that ends afterwards is found again by its directory, and one that is removed
//! afterwards is forgotten. The list is written last, so a copy that was not completed is no backup. The key of the
//! secrets is left out: a copy with it would protect nothing.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, chown};
use std::path::{Path, PathBuf};

use brunt_history::{SUMMARY, sha256};
use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use serde::{Deserialize, Serialize};

use crate::store::{AUDIT_KEY, DATABASE, version_known};

/// The list of a backup.
const LIST: &str = "backup.json";
/// What the page of the site knows of the last backup, in the directory of the site.
const LAST: &str = "last-backup.json";
const SCHEMA: &str = "brunt-backup/1";
/// Files of the directory that belong to a backup, if they are there.
const FILES: [&str; 2] = [AUDIT_KEY, "retention.json"];

/// The list of a backup.
#[derive(Debug, Serialize, Deserialize)]
struct List {
    schema: String,
    /// When it was made, in RFC 3339.
    made: String,
    /// The version of the program that made it.
    version: String,
    /// Every file, by its path.
    files: BTreeMap<String, Entry>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    bytes: u64,
    sha256: String,
}

/// The last backup of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backup {
    /// Its directory.
    pub at: PathBuf,
    /// When it was made, in RFC 3339.
    pub made: String,
    /// How many files it has, and their bytes.
    pub files: usize,
    /// The bytes of its files.
    pub bytes: u64,
}

/// Why a backup was not made, is not sound, or was not restored. It reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// A file or a directory could not be read or written.
    #[error("{act} {}: {source}", path.display())]
    Io {
        /// What was done.
        act: &'static str,
        /// The file or the directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A database could not be copied or read.
    #[error("{act} {}: {source}", path.display())]
    Database {
        /// What was done.
        act: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: rusqlite::Error,
    },
    /// There is no site to back up.
    #[error("back up {}: it is not the directory of a site", .0.display())]
    NoSite(PathBuf),
    /// There is no list, so it was not completed.
    #[error("read {}: {source}; without this list it is no complete backup", path.display())]
    NoList {
        /// Where the list would be.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The list cannot be read.
    #[error("read {}: it is not the list of a backup: {source}", path.display())]
    List {
        /// The list.
        path: PathBuf,
        /// The cause.
        source: serde_json::Error,
    },
    /// The list is that of another program.
    #[error("read {}: its schema is {schema}, not {SCHEMA}", path.display())]
    Schema {
        /// The list.
        path: PathBuf,
        /// The schema that it names.
        schema: String,
    },
    /// The files are not those of the list.
    #[error("verify {}: {file} {what}", backup.display())]
    Changed {
        /// The backup.
        backup: PathBuf,
        /// The first file that differs.
        file: String,
        /// How it differs.
        what: &'static str,
    },
    /// The database is damaged.
    #[error("check {}: {found}", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What the check found.
        found: String,
    },
    /// The database was written by a newer program.
    #[error("check {}: it has version {version}; use a newer brunt", path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its version.
        version: i64,
    },
    /// The directory has something in it.
    #[error("restore to {}: it is not empty; name a new directory with --dir", .0.display())]
    Occupied(PathBuf),
}

type Result<T> = std::result::Result<T, BackupError>;

/// Makes a backup of a site in a new directory below this one, which is named after the time.
pub fn make(site: &Path, backups: &Path, now: Timestamp) -> Result<Backup> {
    if !site.join(DATABASE).is_file() {
        return Err(BackupError::NoSite(site.to_owned()));
    }
    let to = backups.join(now.strftime("%Y-%m-%dT%H-%M-%SZ").to_string());
    make_directory(backups)?;
    DirBuilder::new().mode(0o700).create(&to).map_err(failed("make the directory", &to))?;
    copy_database(&site.join(DATABASE), &to.join(DATABASE))?;
    let mut paths: Vec<PathBuf> = FILES.iter().map(PathBuf::from).collect();
    for part in ["plans", "runs"] {
        walk(site, Path::new(part), &mut paths)?;
    }
    paths.retain(|path| site.join(path).is_file());
    for path in &paths {
        copy(site, &to, path)?;
    }
    let mut files = BTreeMap::new();
    for path in paths.into_iter().chain([PathBuf::from(DATABASE)]) {
        // What was removed while it was copied is not a part.
        if to.join(&path).is_file() {
            files.insert(path.display().to_string(), entry(&to.join(&path))?);
        }
    }
    let (schema, version) = (SCHEMA.to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    let list = List { schema, made: now.to_string(), version, files };
    write(&to.join(LIST), &list)?;
    let made = summary(&to, &list);
    write(&site.join(LAST), &made)?;
    // An administrator may create the directory, and the site must be able to read it. Where it cannot, the page shows
    // less.
    if let Ok(owner) = fs::metadata(site) {
        drop(chown(site.join(LAST), Some(owner.uid()), Some(owner.gid())));
    }
    Ok(made)
}

/// The last backup that was made of a site.
pub(crate) fn last(site: &Path) -> Option<Backup> {
    serde_json::from_slice(&fs::read(site.join(LAST)).ok()?).ok()
}

/// Checks that every file of a backup is there and unchanged, and that its database can be used. The error names the
/// first that is not.
pub fn verify(backup: &Path) -> Result<Backup> {
    let at = backup.join(LIST);
    let text = fs::read(&at).map_err(|source| {
        if at.exists() {
            return failed("read", &at)(source);
        }
        BackupError::NoList { path: at.clone(), source }
    })?;
    let list = serde_json::from_slice(&text);
    let list: List = list.map_err(|source| BackupError::List { path: at.clone(), source })?;
    if list.schema != SCHEMA {
        return Err(BackupError::Schema { path: at, schema: list.schema });
    }
    let changed = |file: &str, what| {
        let (backup, file) = (backup.to_owned(), file.to_owned());
        Err(BackupError::Changed { backup, file, what })
    };
    for (path, wanted) in &list.files {
        let is_inside =
            Path::new(path).components().all(|it| matches!(it, std::path::Component::Normal(_)));
        if !is_inside {
            return changed(path, "is not inside of it");
        }
        if entry(&backup.join(path))? != *wanted {
            return changed(path, "was changed since it was made");
        }
    }
    let mut found = Vec::new();
    walk_all(backup, Path::new(""), &mut found)?;
    let other = found.iter().map(|path| path.display().to_string());
    let mut other = other.filter(|path| path != LIST && !list.files.contains_key(path));
    if let Some(path) = other.next() {
        return changed(&path, "does not belong to it");
    }
    check_database(&backup.join(DATABASE))?;
    Ok(summary(backup, &list))
}

/// Restores a backup as the directory of a site, which must not exist, or be empty.
pub fn restore(backup: &Path, site: &Path) -> Result<Backup> {
    let made = verify(backup)?;
    let is_used = fs::read_dir(site).is_ok_and(|mut entries| entries.next().is_some());
    if is_used {
        return Err(BackupError::Occupied(site.to_owned()));
    }
    make_directory(site)?;
    let mut paths = Vec::new();
    walk_all(backup, Path::new(""), &mut paths)?;
    for path in paths.iter().filter(|path| path.as_path() != Path::new(LIST)) {
        copy(backup, site, path)?;
    }
    Ok(made)
}

fn summary(at: &Path, list: &List) -> Backup {
    let bytes = list.files.values().map(|file| file.bytes).sum();
    Backup { at: at.to_owned(), made: list.made.clone(), files: list.files.len(), bytes }
}

fn copy_database(from: &Path, to: &Path) -> Result<()> {
    let copied = || -> rusqlite::Result<()> {
        let file = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        file.busy_timeout(std::time::Duration::from_secs(10))?;
        file.execute("VACUUM INTO ?1", [to.display().to_string()])?;
        Ok(())
    };
    copied().map_err(unread("copy", from))?;
    private(to)
}

fn check_database(path: &Path) -> Result<()> {
    let checked = || -> rusqlite::Result<(String, i64)> {
        let file = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let word = file.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        Ok((word, file.pragma_query_value(None, "user_version", |row| row.get(0))?))
    };
    let (found, version) = checked().map_err(unread("check", path))?;
    if found != "ok" {
        return Err(BackupError::Damaged { path: path.to_owned(), found });
    }
    if usize::try_from(version).is_ok_and(|version| version <= version_known()) {
        return Ok(());
    }
    Err(BackupError::Newer { path: path.to_owned(), version })
}

/// The files below a part of a site: plans, and runs that are over.
fn walk(site: &Path, part: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    if !site.join(part).is_dir() {
        return Ok(());
    }
    for name in names(&site.join(part))? {
        let path = part.join(name);
        let is_run = part == Path::new("runs");
        if !is_run || site.join(&path).join(SUMMARY).is_file() {
            walk_all(site, &path, paths)?;
        }
    }
    Ok(())
}

/// All files below a directory of another, or the file itself.
fn walk_all(base: &Path, path: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    let Ok(kind) = fs::symlink_metadata(base.join(path)) else { return Ok(()) };
    if kind.is_file() {
        paths.push(path.to_owned());
    } else if kind.is_dir() {
        for name in names(&base.join(path))? {
            walk_all(base, &path.join(name), paths)?;
        }
    }
    Ok(())
}

fn names(directory: &Path) -> Result<Vec<std::ffi::OsString>> {
    let entries = match fs::read_dir(directory) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed("read the directory", directory))?,
    };
    Ok(entries.flatten().map(|entry| entry.file_name()).collect())
}

fn copy(from: &Path, to: &Path, path: &Path) -> Result<()> {
    let (source, copy) = (from.join(path), to.join(path));
    if let Some(parent) = copy.parent() {
        make_directory(parent)?;
    }
    match fs::copy(&source, &copy) {
        // A run that was removed meanwhile.
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(why) => Err(failed("copy", &source)(why)),
        Ok(_) => private(&copy),
    }
}

fn private(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(failed("protect", path))
}

fn make_directory(path: &Path) -> Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(failed("make the directory", path))
}

fn entry(path: &Path) -> Result<Entry> {
    let bytes = fs::read(path).map_err(failed("read", path))?;
    Ok(Entry { bytes: bytes.len() as u64, sha256: sha256(&bytes) })
}

fn write(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_vec_pretty(value).map_err(io::Error::other);
    text.and_then(|text| brunt_record::replace(path, |out| out.write_all(&text)))
        .map_err(failed("write", path))?;
    private(path)
}

fn failed<'a>(act: &'static str, path: &'a Path) -> impl Fn(io::Error) -> BackupError + 'a {
    move |source| BackupError::Io { act, path: path.to_owned(), source }
}

fn unread<'a>(act: &'static str, path: &'a Path) -> impl Fn(rusqlite::Error) -> BackupError + 'a {
    move |source| BackupError::Database { act, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    fn site(at: &Path) {
        drop(Store::open(at).unwrap());
        for (path, text) in [
            (AUDIT_KEY, "key"),
            ("secrets.key", "secret"),
            ("runs/a/summary.json", "{}"),
            ("runs/a/data/x", "1"),
            ("runs/active/plan.toml", "not over"),
            ("plans/1/data/users.csv", "u"),
            ("incoming/half/x", "half"),
        ] {
            let path = at.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    #[test]
    fn backup_restores_without_unfinished_runs_and_secret_key() {
        let directory = tempfile::tempdir().unwrap();
        let (at, backups) = (directory.path().join("site"), directory.path().join("backups"));
        fs::create_dir(&at).unwrap();
        site(&at);
        let made = make(&at, &backups, Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(verify(&made.at).unwrap(), made);
        assert_eq!(last(&at), Some(made.clone()));
        let restored = directory.path().join("restored");
        restore(&made.at, &restored).unwrap();
        let mut paths = Vec::new();
        walk_all(&restored, Path::new(""), &mut paths).unwrap();
        let mut paths: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
        paths.sort_unstable();
        let wanted = [
            AUDIT_KEY,
            "brunt.db",
            "plans/1/data/users.csv",
            "runs/a/data/x",
            "runs/a/summary.json",
        ];
        assert_eq!(paths, wanted);
        drop(Store::open(&restored).unwrap());
        let why = restore(&made.at, &restored).unwrap_err().to_string();
        assert!(why.contains("it is not empty"), "{why}");
        assert!(make(&directory.path().join("nowhere"), &backups, Timestamp::UNIX_EPOCH).is_err());
    }

    #[test]
    fn backup_that_was_altered_is_not_restored() {
        for (path, wanted) in [
            ("runs/a/data/x", "runs/a/data/x was changed"),
            ("runs/a/other", "runs/a/other does not belong to it"),
            (LIST, "is not the list of a backup"),
        ] {
            let directory = tempfile::tempdir().unwrap();
            let at = directory.path().join("site");
            fs::create_dir(&at).unwrap();
            site(&at);
            let made = make(&at, &directory.path().join("backups"), Timestamp::UNIX_EPOCH).unwrap();
            fs::write(made.at.join(path), "2").unwrap();
            let restored = directory.path().join("restored");
            let why = restore(&made.at, &restored).unwrap_err().to_string();
            assert!(why.contains(wanted) && !restored.exists(), "{path}: {why}");
        }
    }
}
