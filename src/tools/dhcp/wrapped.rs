//! The command of `-w`, called with `start` before the run and with `stop` after it.

use std::process::{Command, Stdio};

use crate::console;

/// Calls the command with this word. It is not waited for, as it never was: what it starts may stay for the whole run.
/// A command that cannot be run is named, and the run goes on without it.
pub(super) fn call(command: Option<&str>, word: &str) {
    let Some(command) = command else { return };
    let mut wrapped = Command::new(command);
    // What it prints does not belong among the results.
    wrapped.arg(word).stdin(Stdio::null()).stdout(std::io::stderr());
    if let Err(error) = wrapped.spawn() {
        console::note(&format!(
            "the command of -w, '{command} {word}', could not be run: {error}; the run continues without it"
        ));
    }
}
