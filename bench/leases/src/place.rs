//! The location of files while they are measured.

use tempfile::TempDir;

/// A directory where the system keeps temporary files: on a disk, unless it says otherwise.
pub(crate) fn scratch() -> TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

/// A directory in memory, so that no disk has a part in what is measured.
pub(crate) fn memory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").expect("a temporary directory in memory")
}
