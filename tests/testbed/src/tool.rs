//! Running programs that are expected to succeed.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program of this name on the path, or in the directories of daemons, which users' paths lack.
pub fn found(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain([PathBuf::from("/usr/sbin"), PathBuf::from("/sbin")])
        .map(|directory| directory.join(program))
        .find(|candidate| candidate.is_file())
}

/// A command for `program`, wherever [`found`] finds it.
pub(crate) fn command(program: &str) -> Command {
    Command::new(
        found(program).unwrap_or_else(|| panic!("{program} is not installed; run tests/setup")),
    )
}

/// Runs `program` to its end and gives its standard output.
///
/// Panics with everything it said unless it exits with 0.
pub fn run<A: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = A>) -> String {
    finish(command(program).args(arguments))
}

/// Runs a prepared command to its end and gives its standard output; panics unless it exits with 0.
pub(crate) fn finish(command: &mut Command) -> String {
    let output =
        command.output().unwrap_or_else(|error| panic!("failed to start {command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{command:?} ended with {}\n{text}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

/// Writes a file whose directory exists.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) {
    std::fs::write(path, content)
        .unwrap_or_else(|error| panic!("failed to write {}: {error}", path.display()));
}

/// Makes a directory and those above it.
pub(crate) fn make_directory(path: &Path) {
    std::fs::create_dir_all(path)
        .unwrap_or_else(|error| panic!("failed to make {}: {error}", path.display()));
}
