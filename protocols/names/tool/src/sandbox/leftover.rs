//! A directory on disk that is deleted with its sandbox, regardless of which process ends first.
//!
//! The process that creates it deletes it, and so does the outer process of the sandbox. If both are killed at the same
//! moment, the next sandbox that is created beside it finds that its lock is free, and deletes it then.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

const PREFIX: &str = "brunt-cell-";

/// A directory that is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Leftover {
    path: PathBuf,
    _lock: File,
}

impl Leftover {
    /// Creates a directory below `parent`, and deletes those that others left there.
    pub(super) fn make(parent: &Path) -> io::Result<Self> {
        sweep(parent);
        for attempt in 0..100 {
            let path = parent.join(format!("{PREFIX}{}-{attempt}", std::process::id()));
            match fs::create_dir(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            // Between the two steps another process may have deleted it as a leftover.
            if let Some(lock) = held(&path) {
                return Ok(Self { path, _lock: lock });
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Leftover {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn sweep(parent: &Path) {
    let entries = fs::read_dir(parent).into_iter().flatten().filter_map(Result::ok);
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    for entry in ours {
        let path = entry.path();
        if let Some(_lock) = held(&path) {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// The lock of a directory, if no other process has it and the path still leads to this directory.
fn held(path: &Path) -> Option<File> {
    let file = File::open(path).ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    let (here, there) = (file.metadata().ok()?, fs::metadata(path).ok()?);
    ((here.dev(), here.ino()) == (there.dev(), there.ino())).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftover_is_swept_only_if_not_held() {
        let parent = tempfile::tempdir().unwrap();
        let stale = parent.path().join("brunt-cell-1-0");
        let foreign = parent.path().join("somebody-elses");
        for path in [&stale, &foreign] {
            fs::create_dir(path).unwrap();
            fs::write(path.join("file"), "x").unwrap();
        }
        let first = Leftover::make(parent.path()).unwrap();
        assert!(!stale.exists() && foreign.exists());
        let second = Leftover::make(parent.path()).unwrap();
        assert!(first.path().exists() && second.path().exists() && first.path() != second.path());
        let path = first.path().to_owned();
        drop(first);
        assert!(!path.exists() && second.path().exists());
    }
}
