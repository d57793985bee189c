//! Files that only their owner can read: each is written under a temporary name beside its place first, so that it is
//! never incomplete or readable by others, not even for a moment.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use super::KeysError;

/// More than the size of any key file.
const FILE_MAX: u64 = 1024 * 1024;

fn failed(act: &'static str, path: &Path) -> impl FnOnce(io::Error) -> KeysError {
    let path = path.to_owned();
    move |source| KeysError::File { act, path, source }
}

/// Makes a directory that only its owner may enter, and its parents.
pub(super) fn make_directory(path: &Path) -> Result<(), KeysError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700).create(path).map_err(failed("make the directory", path))
}

/// Writes a file and replaces the existing one.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), KeysError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let beside = path.with_file_name(name);
    // A temporary file may be left over from a run that was killed.
    let _ = fs::remove_file(&beside);
    let write = || {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        file.write_all(bytes)?;
        fs::rename(&beside, path)
    };
    write().map_err(failed("write", path))
}

/// Reads a file.
pub(super) fn read(path: &Path) -> Result<String, KeysError> {
    let mut text = String::new();
    let read = fs::File::open(path).and_then(|file| file.take(FILE_MAX).read_to_string(&mut text));
    read.map(|_| text).map_err(failed("read", path))
}
