//! The programs with which users make stores, and the temporary directory in which a test makes
//! them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a program, which must succeed.
pub(crate) fn run(directory: &Path, program: &str, arguments: &[&str]) {
    run_with(directory, program, arguments, &[]);
}

/// Runs a program with additional environment variables, which must succeed.
pub(crate) fn run_with(
    directory: &Path,
    program: &str,
    arguments: &[&str],
    variables: &[(&str, &Path)],
) {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .envs(variables.iter().copied())
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Writes a file of the test and returns its path.
pub(crate) fn write(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path
}
