//! The command of `-w`, called with `start` before the run and with `stop` after it.

use brunt_run::Console;
use std::process::{Command, Stdio};

/// Starts the command with this word and, like the original, does not wait for it: what it starts may run for the whole
/// run. A command that cannot be run is reported, and the run continues without it.
pub(crate) fn call(command: Option<&str>, word: &str, console: &Console) {
    let Some(command) = command else { return };
    let mut wrapped = Command::new(command);
    // Its output must not be mixed with the results.
    wrapped.arg(word).stdin(Stdio::null()).stdout(std::io::stderr());
    if let Err(error) = wrapped.spawn() {
        console.note(&format!(
            "the command of -w, '{command} {word}', could not be run: {error}; the run continues without it"
        ));
    }
}
