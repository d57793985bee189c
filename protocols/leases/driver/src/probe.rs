//! How long a disk takes until a write is safe: [`fsync`].
//!
//! A store that answers only once a change is on the disk cannot be faster than this, so it is measured before any
//! store. The probe does what a log does: it appends to a file and waits for the data, not for the time stamps of the
//! file. It does not depend on leases.

use brunt_exchange::{Clock as _, Monotonic};
use rustix::fs::{FsWord, statfs};
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The content of one write: a page, the smallest unit that most file systems write.
const BLOCK: [u8; 4_096] = [0x5A; 4_096];
/// The largest number of writes.
const WRITES_MAX: usize = 200;
/// The longest time for all writes.
const LONGEST: Duration = Duration::from_secs(1);

/// How long flushed writes took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fsync {
    /// The time of each write, the shortest first. There is at least one.
    pub writes: Vec<Duration>,
    /// The kind of file system.
    pub filesystem: Filesystem,
}

/// A kind of file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filesystem(FsWord);

/// The kinds of file system that a store of leases may be on, by the numbers of statfs(2) and linux/magic.h.
const NAMES: [(FsWord, &str); 12] = [
    (0xEF53, "ext4"),
    (0x5846_5342, "xfs"),
    (0x9123_683E, "btrfs"),
    (0x2FC1_2FC1, "zfs"),
    (0xF2F5_2010, "f2fs"),
    (TMPFS, "tmpfs"),
    (RAMFS, "ramfs"),
    (0x794C_7630, "overlayfs"),
    (0x6969, "nfs"),
    (0xFE53_4D42, "smb"),
    (0x6573_5546, "fuse"),
    (0x0102_1997, "9p"),
];
const TMPFS: FsWord = 0x0102_1994;
const RAMFS: FsWord = 0x8584_58F6;

impl Filesystem {
    /// The kind of file system of a file or directory.
    pub fn new(path: &Path) -> io::Result<Self> {
        Ok(Self(statfs(path)?.f_type))
    }

    /// Whether it is in memory, so that waiting for a flush makes nothing safer.
    pub fn is_memory(self) -> bool {
        matches!(self.0, TMPFS | RAMFS)
    }
}

impl std::fmt::Display for Filesystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match NAMES.iter().find(|(number, _)| *number == self.0) {
            Some((_, name)) => f.write_str(name),
            None => write!(f, "file system {:#x}", self.0),
        }
    }
}

impl Fsync {
    /// The time within which this share of the writes was safe.
    pub fn quantile(&self, quantile: f64) -> Duration {
        let last = self.writes.len().saturating_sub(1);
        let place = (last as f64 * quantile.clamp(0.0, 1.0)).round() as usize;
        self.writes.get(place).copied().unwrap_or_default()
    }
}

/// Measures the disk under `directory` with a temporary file.
pub fn fsync(directory: &Path) -> io::Result<Fsync> {
    let probe = Probe::create(directory)?;
    let filesystem = Filesystem::new(directory)?;
    let clock = Monotonic::new();
    let began = clock.now();
    let mut writes = Vec::with_capacity(WRITES_MAX);
    let mut file = &probe.file;
    // The first write allocates the file, which later writes need not do.
    file.write_all(&BLOCK)?;
    file.sync_all()?;
    while writes.len() < WRITES_MAX && (writes.is_empty() || clock.now() - began < LONGEST) {
        let from = clock.now();
        file.write_all(&BLOCK)?;
        file.sync_data()?;
        writes.push(clock.now() - from);
    }
    writes.sort_unstable();
    Ok(Fsync { writes, filesystem })
}

/// A file that is deleted on drop.
struct Probe {
    file: File,
    path: PathBuf,
}

impl Probe {
    fn create(directory: &Path) -> io::Result<Self> {
        let path = directory.join(format!(".brunt-fsync-{}", std::process::id()));
        let file = OpenOptions::new().append(true).create_new(true).open(&path)?;
        Ok(Self { file, path })
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        // If it cannot be deleted, a file of four kilobytes remains, whose name shows its origin.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fsync_probe_leaves_the_directory_unchanged() {
        let directory = tempfile::tempdir().unwrap();
        let fsync = fsync(directory.path()).unwrap();
        assert!(!fsync.writes.is_empty() && fsync.writes.is_sorted());
        assert_eq!(fsync.quantile(0.0), fsync.writes[0]);
        assert_eq!(Some(&fsync.quantile(1.0)), fsync.writes.last());
        assert!(fsync.quantile(0.5) > Duration::ZERO);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn filesystem_in_memory_is_recognized() {
        // Every Linux system has one of these, mounted by the kernel itself.
        let devices = Filesystem::new(Path::new("/dev/shm"));
        if let Ok(devices) = devices {
            assert!(devices.is_memory() && devices.to_string() == "tmpfs", "{devices}");
        }
        assert!(!Filesystem(0xEF53).is_memory());
        assert_eq!(Filesystem(0xEF53).to_string(), "ext4");
        assert_eq!(Filesystem(0x1234).to_string(), "file system 0x1234");
    }

    #[test]
    fn fsync_probe_of_a_missing_directory_is_an_error() {
        assert!(fsync(Path::new("/nonexistent/of/course")).is_err());
    }
}
