//! [`StoreDirectory`]: the directory of temporary stores, and the time its disk takes for a durable write.
//!
//! The disk determines the cost of synchronous writes, so it is measured before anything else and shown with the
//! result. The directory is created for one comparison and deleted with it, unless a SIGKILL ends the comparison.

use brunt_run::Console;
use std::io;
use std::path::{Path, PathBuf};

use brunt_leases_driver::probe;
use brunt_record::Collection;
use tempfile::TempDir;

use super::store::{Location, Store};

/// Why the directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DirectoryError {
    #[error("failed to make a directory in {}: {source}; name another one with --directory", path.display())]
    Create { path: PathBuf, source: io::Error },
    #[error("failed to write to {}: {source}; name another directory with --directory", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("failed to remove {}: {source}", path.display())]
    Remove { path: PathBuf, source: io::Error },
}

/// The directory for files of stores.
pub(crate) struct StoreDirectory {
    temporary: Option<TempDir>,
    /// The directory whose disk is measured.
    disk: Option<PathBuf>,
    files: u32,
}

impl StoreDirectory {
    /// Creates a directory below `directory`, if a store needs one.
    pub(crate) fn new(stores: &[Store], directory: &Path) -> Result<Self, DirectoryError> {
        let named = stores.iter().find_map(|store| match &store.place {
            Location::File(file) => file.parent().map(|parent| {
                if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent.to_owned() }
            }),
            _ => None,
        });
        let temporary = stores.iter().any(|store| store.place == Location::Temporary);
        let temporary = temporary
            .then(|| tempfile::Builder::new().prefix("brunt-leases-").tempdir_in(directory))
            .transpose()
            .map_err(|source| DirectoryError::Create { path: directory.to_owned(), source })?;
        let disk = temporary.as_ref().map(|made| made.path().to_owned()).or(named);
        Ok(Self { temporary, disk, files: 0 })
    }

    /// The path of a new file, for a store that names none.
    pub(crate) fn file(&mut self, name: &str) -> PathBuf {
        self.files += 1;
        let directory = self.temporary.as_ref().map_or(Path::new(""), TempDir::path);
        directory.join(format!("{}-{name}", self.files))
    }

    /// Measures the disk, and records the times.
    pub(crate) fn measure(
        &self,
        collection: &mut Collection,
        console: &Console,
    ) -> Result<(), DirectoryError> {
        let Some(disk) = &self.disk else { return Ok(()) };
        // The name of the temporary directory is meaningless to the user; its parent's is not.
        let shown = match &self.temporary {
            Some(made) => made.path().parent().unwrap_or(disk),
            None => disk,
        };
        let fsync = probe::fsync(disk)
            .map_err(|source| DirectoryError::Write { path: shown.to_owned(), source })?;
        collection.facts.insert("directory".to_owned(), shown.display().to_string());
        collection.facts.insert("filesystem".to_owned(), fsync.filesystem.to_string());
        for (name, quantile) in
            [("fsync_p50_us", 0.5), ("fsync_p99_us", 0.99), ("fsync_max_us", 1.0)]
        {
            collection
                .figures
                .insert(name.to_owned(), fsync.quantile(quantile).as_secs_f64() * 1e6);
        }
        let [p50, p99] = [0.5, 0.99].map(|quantile| fsync.quantile(quantile).as_secs_f64() * 1e6);
        console.message(&format!(
            "{}: a write with fdatasync takes {p50:.0} us (median), {p99:.0} us (p99), measured {} times",
            shown.display(),
            fsync.writes.len(),
        ));
        if fsync.filesystem.is_memory() {
            console.note(&format!(
                "{} is in memory ({}), where synchronous writes cost nothing: name a directory on a disk with \
                 --directory",
                shown.display(),
                fsync.filesystem,
            ));
        }
        Ok(())
    }

    /// Keeps the directory, and returns its path.
    pub(crate) fn keep(&mut self) -> Option<PathBuf> {
        self.temporary.take().map(TempDir::keep)
    }

    /// Deletes the directory.
    pub(crate) fn clear(self) -> Result<(), DirectoryError> {
        let Some(made) = self.temporary else { return Ok(()) };
        let path = made.path().to_owned();
        made.close().map_err(|source| DirectoryError::Remove { path, source })
    }
}
