//! Which files this process was asked to read, and which it may read.
//!
//! Files are named in many places: on command lines, in plans, in templates, in lists. All code that opens one asks
//! this module. A run that will be executed on another machine therefore knows all the files it needs, and a run
//! requested by another machine reads only files that it received with the request. Like the restriction of addresses,
//! it applies to the process and not to a run, and it is never lifted: a file that is first read by later code is also
//! checked and recorded, without being announced. Files that the system maintains (its trusted root certificates, its
//! counters, its name service) are not checked.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// More different files than any command reads.
const OPENED_MAX: usize = 10_000;

static CONFINED: AtomicBool = AtomicBool::new(false);
static STANDS_IN: AtomicBool = AtomicBool::new(false);
static OPENED: Mutex<BTreeMap<PathBuf, Kind>> = Mutex::new(BTreeMap::new());

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Data, which may be sent to other machines.
    Data,
    /// A secret, which is not sent to other machines.
    Secret,
}

/// Why a file is not opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an order may name files by relative names only, without '..': {0} is none")]
pub struct Outside(String);

/// Restricts the process to files below the current directory from now on.
pub fn confine() {
    CONFINED.store(true, Ordering::Relaxed);
}

/// From now on, secrets that are missing on this machine are assumed to exist on the machines that will need them.
pub fn stand_in() {
    STANDS_IN.store(true, Ordering::Relaxed);
}

/// Whether missing secrets are replaced by placeholders.
pub fn stands_in() -> bool {
    STANDS_IN.load(Ordering::Relaxed)
}

/// Whether a file or a socket of this name may be opened.
pub fn check(path: &Path) -> io::Result<()> {
    if CONFINED.load(Ordering::Relaxed) && !is_inside(path) {
        let name =
            path.display().to_string().chars().filter(|it| !it.is_control()).take(200).collect();
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, Outside(name)));
    }
    Ok(())
}

/// Whether a path leads only to places below the directory it starts from.
pub fn is_inside(path: &Path) -> bool {
    let mut components = path.components().peekable();
    components.peek().is_some()
        && components.all(|it| matches!(it, Component::Normal(_) | Component::CurDir))
}

/// Records that a file was opened.
pub fn remember(path: &Path, kind: Kind) {
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if opened.len() < OPENED_MAX || opened.contains_key(path) {
        let known = opened.entry(path.to_owned()).or_insert(kind);
        if kind == Kind::Secret {
            *known = kind;
        }
    }
}

/// The files that were opened so far, in the order of their names.
pub fn opened() -> Vec<(PathBuf, Kind)> {
    let opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    opened.iter().map(|(path, kind)| (path.clone(), *kind)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_below_its_directory_or_it_does_not() {
        for inside in ["a", "./a/b", "a/./b", "..a"] {
            assert!(is_inside(Path::new(inside)), "{inside}");
        }
        for outside in ["", "/a", "..", "../a", "a/../b", "a/.."] {
            assert!(!is_inside(Path::new(outside)), "{outside}");
        }
    }

    #[test]
    fn what_was_opened_is_known_and_a_secret_stays_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for name in ["data", "secret"] {
            std::fs::write(path(name), name).unwrap();
        }
        crate::file::read(path("data"), 9).unwrap();
        crate::file::read_secret(path("secret"), 9).unwrap();
        crate::file::read(path("secret"), 9).unwrap();
        assert!(crate::file::read(path("missing"), 9).is_err());
        let ours = opened().into_iter().filter(|(opened, _)| opened.starts_with(directory.path()));
        let expected = [(path("data"), Kind::Data), (path("secret"), Kind::Secret)];
        assert_eq!(ours.collect::<Vec<_>>(), expected);
    }
}
