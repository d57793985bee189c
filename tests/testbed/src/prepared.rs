//! Files that take long to make and are the same for every server of a kind, kept in the cache of `tests/setup`.
//!
//! Their name is derived from all inputs, so that they are made again when any input changes. Each server runs on a
//! copy.

use crate::require::peers;
use crate::runtime::locked;
use crate::tool::{command, finish, make_directory, write};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The directory that `make` filled according to `recipe`, on this call or an earlier one.
pub(crate) fn prepared(server: &str, recipe: impl Hash, make: impl FnOnce(&Path)) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    (recipe, peers()).hash(&mut hasher);
    let place = peers().join(format!("{server}-prepared-{:016x}", hasher.finish()));
    if place.join("ready").exists() {
        return place;
    }
    make_directory(&peers());
    let _lock = locked(&peers().join(format!("{server}-prepared.lock")));
    if !place.join("ready").exists() {
        let _ = fs::remove_dir_all(&place);
        make_directory(&place);
        make(&place);
        write(&place.join("ready"), "");
    }
    place
}

/// Copies a directory with its owners and permissions. The copy is called `to`, whether that is there or not.
pub(crate) fn copy(from: &Path, to: &Path) {
    finish(command("cp").arg("-aT").arg(from).arg(to));
}

/// What tells an installed program from another version of it.
pub(crate) fn version(program: &Path) -> String {
    let file = fs::metadata(program);
    let file = file.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    format!("{} {} {}", program.display(), file.size(), file.mtime())
}
