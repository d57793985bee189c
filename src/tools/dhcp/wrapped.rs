//! The command of `-w`, called with `start` before the run and with `stop` after it.

use std::process::{Command, Stdio};

use crate::console;

/// Calls the command with this word. It is not waited for, as it never was: what it starts may stay for the whole run.
pub(super) fn call(command: Option<&str>, word: &str) -> Result<(), String> {
    let Some(command) = command else { return Ok(()) };
    let mut wrapped = Command::new(command);
    // What it prints does not belong among the results.
    wrapped.arg(word).stdin(Stdio::null()).stdout(std::io::stderr());
    match wrapped.spawn() {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("failed to run the command of -w, {command} {word}: {error}")),
    }
}

/// Calls the command at the end, where a failure is no reason to keep the results back.
pub(super) fn stop(command: Option<&str>) {
    if let Err(why) = call(command, "stop") {
        console::note(&why);
    }
}
