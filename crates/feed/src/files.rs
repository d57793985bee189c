//! [`Files`]: which files a command has to read, and which it may read.
//!
//! Files are named in many places: on command lines, in plans, in templates, in lists. All code that opens one does so
//! through the value of its command. A run that will be executed on another machine therefore knows all the files it
//! needs, and a run requested by another machine reads only files that it received with the request. A restriction is
//! never lifted: a file that is first read by later code is also checked and recorded, without being announced. Files
//! that the system maintains (its trusted root certificates, its counters, its name service) are not checked.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// More different files than any command reads.
const OPENED_MAX: usize = 10_000;

/// The files of a command: rules about them, and those it opened. At first all may be read. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Files(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    confined: AtomicBool,
    stands_in: AtomicBool,
    opened: Mutex<BTreeMap<PathBuf, Kind>>,
}

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

impl Files {
    /// Restricts them to those below the current directory from now on.
    pub fn confine(&self) {
        self.0.confined.store(true, Ordering::Relaxed);
    }

    /// From now on, secrets that are missing on this machine are assumed to exist on the machines that will need them.
    pub fn stand_in(&self) {
        self.0.stands_in.store(true, Ordering::Relaxed);
    }

    /// Whether missing secrets are replaced by placeholders.
    pub fn stands_in(&self) -> bool {
        self.0.stands_in.load(Ordering::Relaxed)
    }

    /// Whether a file or a socket of this name may be opened.
    pub fn check(&self, path: &Path) -> io::Result<()> {
        if self.0.confined.load(Ordering::Relaxed) && !is_inside(path) {
            let name = path.display().to_string();
            let name = name.chars().filter(|it| !it.is_control()).take(200).collect();
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, Outside(name)));
        }
        Ok(())
    }

    /// Records that a file was opened.
    pub fn remember(&self, path: &Path, kind: Kind) {
        let mut opened = self.0.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if opened.len() < OPENED_MAX || opened.contains_key(path) {
            let known = opened.entry(path.to_owned()).or_insert(kind);
            if kind == Kind::Secret {
                *known = kind;
            }
        }
    }

    /// The files that were opened so far, in the order of their names.
    pub fn opened(&self) -> Vec<(PathBuf, Kind)> {
        let opened = self.0.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.iter().map(|(path, kind)| (path.clone(), *kind)).collect()
    }
}

/// Whether a path leads only to places below the directory it starts from.
fn is_inside(path: &Path) -> bool {
    let mut components = path.components().peekable();
    components.peek().is_some()
        && components.all(|it| matches!(it, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confined_names_stay_below_their_directory() {
        for inside in ["a", "./a/b", "a/./b", "..a"] {
            assert!(is_inside(Path::new(inside)), "{inside}");
        }
        for outside in ["", "/a", "..", "../a", "a/../b", "a/.."] {
            assert!(!is_inside(Path::new(outside)), "{outside}");
        }
    }

    #[test]
    fn opened_files_are_recorded_as_data_or_secret() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for name in ["data", "secret"] {
            std::fs::write(path(name), name).unwrap();
        }
        let (files, others) = (Files::default(), Files::default());
        files.read(path("data"), 9).unwrap();
        files.read_secret(path("secret"), 9).unwrap();
        files.read(path("secret"), 9).unwrap();
        assert!(files.read(path("missing"), 9).is_err());
        let expected = [(path("data"), Kind::Data), (path("secret"), Kind::Secret)];
        assert_eq!(files.opened(), expected);
        assert_eq!(others.opened(), []);
    }

    #[test]
    fn files_values_have_their_own_rules() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (confined, free) = (Files::default(), Files::default());
        confined.confine();
        let refused = confined.read(file.path(), 9).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
        assert!(refused.to_string().contains(&file.path().display().to_string()), "{refused}");
        assert_eq!(free.read(file.path(), 9).unwrap(), b"");
        assert_eq!(confined.opened(), []);

        free.stand_in();
        let missing = file.path().with_extension("missing");
        assert_eq!(free.read_secret(&missing, 9).unwrap(), b"x\n");
        assert_eq!(
            Files::default().read_secret(&missing, 9).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }
}
