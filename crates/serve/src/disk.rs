//! The disk that the data of a site is on, and what of it the site uses.

use std::path::Path;

use brunt_history::{RECORD_KEPT, RunId};
use rustix::fs::statvfs;

use crate::app::App;

/// How deep directories are followed: the data of a site is less deep.
const DEPTH_MAX: usize = 8;

/// The size of a disk and what is free of it, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disk {
    pub(crate) size: u64,
    pub(crate) free: u64,
}

impl Disk {
    /// The disk that the data of the site is on.
    pub(crate) fn new(app: &App) -> Option<Self> {
        let disk = statvfs(app.history.directory()).ok()?;
        let of = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
        Some(Self { size: of(disk.f_blocks), free: of(disk.f_bavail) })
    }
}

/// What a site uses of its disk: each kind in words, and its bytes.
pub(crate) fn used(app: &App) -> Vec<(&'static str, u64)> {
    let directory = app.history.directory();
    let runs = bytes_below(&directory.join("runs"), DEPTH_MAX);
    let ids = app.history.ids().unwrap_or_default();
    let records: u64 = ids.iter().map(|id| length(&app.history.files(id).path(RECORD_KEPT))).sum();
    let (database, copies) = databases(directory);
    vec![
        ("records of runs", records),
        ("pages and charts of runs, and other data of them", runs.saturating_sub(records)),
        ("files of plans", bytes_below(&directory.join("plans"), DEPTH_MAX)),
        ("uploads that are not complete", bytes_below(&directory.join("incoming"), DEPTH_MAX)),
        ("database", database),
        ("copies of the database from before upgrades", copies),
    ]
}

/// The bytes of a run.
pub(crate) fn of_run(app: &App, id: &RunId) -> u64 {
    bytes_below(app.history.files(id).directory(), DEPTH_MAX)
}

/// The bytes of the database, and of its copies.
fn databases(directory: &Path) -> (u64, u64) {
    let (mut own, mut copies) = (0, 0);
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let (name, bytes) = (entry.file_name(), length(&entry.path()));
        let name = name.to_string_lossy();
        let is_own = ["brunt.db", "brunt.db-wal", "brunt.db-shm"].contains(&&*name);
        if is_own {
            own += bytes;
        } else if name.starts_with("brunt.db.") {
            copies += bytes;
        }
    }
    (own, copies)
}

/// The bytes of all files below a directory. What cannot be read is not counted, and links are not followed.
fn bytes_below(directory: &Path, depth: usize) -> u64 {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let of = |entry: std::fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() && depth > 0 => bytes_below(&entry.path(), depth - 1),
        Ok(kind) if kind.is_file() => length(&entry.path()),
        _ => 0,
    };
    entries.map(of).sum()
}

fn length(path: &Path) -> u64 {
    std::fs::symlink_metadata(path).map_or(0, |file| file.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disk_usage_counts_files_without_following_links() {
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path();
        std::fs::create_dir(at.join("a")).unwrap();
        std::fs::write(at.join("a/one"), [0; 100]).unwrap();
        std::fs::write(at.join("two"), [0; 20]).unwrap();
        std::os::unix::fs::symlink(at, at.join("a/again")).unwrap();
        assert_eq!(bytes_below(at, DEPTH_MAX), 120);
        assert_eq!(bytes_below(&at.join("nowhere"), DEPTH_MAX), 0);
        std::fs::write(at.join("brunt.db"), [0; 7]).unwrap();
        std::fs::write(at.join("brunt.db-wal"), [0; 1]).unwrap();
        std::fs::write(at.join("brunt.db.3"), [0; 5]).unwrap();
        assert_eq!(databases(at), (8, 5));
    }
}
