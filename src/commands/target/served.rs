//! What the servers for trying things out have in common: a script of faults, and an exit code.

use std::path::Path;

use brunt_targets::ldap::ScriptError;

use crate::cli::Refusal;
use crate::cli::exit::Exit;
use crate::commands::failed;
use crate::run::signals::Signal;

/// Reads a script of faults, if there is one.
pub(super) fn script<S>(
    path: Option<&Path>,
    parse: fn(&str) -> Result<S, ScriptError>,
) -> Result<Option<S>, Refusal> {
    let Some(path) = path else { return Ok(None) };
    let text = brunt_feed::file::read_text(path)
        .map_err(|error| failed(format!("read the script {}: {error}", path.display())))?;
    parse(&text)
        .map(Some)
        .map_err(|error| failed(format!("use the script {}: {error}", path.display())))
}

/// The exit code of a server that was ended by this signal, or by its time limit.
pub(super) fn exit(signal: Option<Signal>) -> Exit {
    match signal {
        Some(Signal::Terminate | Signal::HangUp) => Exit::Terminated,
        _ => Exit::Ok,
    }
}
