//! What the servers for trying things out have in common: a script of faults, and how they end.

use std::path::Path;
use std::time::Duration;

use brunt_ldap_server::ScriptError;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::signals::Signal;

use crate::commands::failed;

/// Reads a script of faults, if there is one.
pub(super) fn script<S>(
    path: Option<&Path>,
    files: &brunt_feed::Files,
    parse: fn(&str) -> Result<S, ScriptError>,
) -> Result<Option<S>, Refusal> {
    let Some(path) = path else { return Ok(None) };
    let text = files
        .read_text(path)
        .map_err(|error| failed(format!("read the script {}: {error}", path.display())))?;
    parse(&text)
        .map(Some)
        .map_err(|error| failed(format!("use the script {}: {error}", path.display())))
}

/// Signals that end a server from now on.
pub(super) fn listen(world: &World) -> Result<(), Refusal> {
    world.signals.listen().map_err(|error| failed(format!("listen for signals: {error}")))
}

/// Waits for a signal or the time limit, and returns the exit code of the server that it ends.
pub(super) fn wait(world: &World, limit: Option<Duration>) -> Exit {
    match world.signals.wait(limit) {
        Some(Signal::Terminate | Signal::HangUp) => Exit::Terminated,
        _ => Exit::Ok,
    }
}
