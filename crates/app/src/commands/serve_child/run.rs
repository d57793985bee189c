//! A submitted run, from the locks that it takes to its report of how it ended.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brunt_envelope::{Outcome, RunTask};
use brunt_flow_tool::plan::{Granted, Secrets, run_granted};
use brunt_history::{LOADGEN, OUTCOME, RunFiles};
use brunt_net::Network;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::{address_policy, console};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::confinement::{self, Access, Confinement};
use super::coordinate::coordinate;
use super::{arguments, network, search_arguments};
use crate::commands::failed;
use crate::commands::find_max::find_granted;

/// How often to try again for the machine's lock.
const AGAIN: Duration = Duration::from_millis(100);

/// Carries out a run, and writes how it ended.
pub(super) fn run(task: &RunTask, world: &World) -> Result<Exit, Refusal> {
    // Held until this process ends, in whatever way.
    let _directory = only_one(Path::new(".")).map_err(failed)?;
    let _machine = alone(&task.lock).map_err(failed)?;
    let mut message = String::new();
    let ended = network(&task.requested, world).and_then(|network| {
        address_policy::judged(carry_out(task, (world, &network), &mut message), &network)
    });
    let outcome = match &ended {
        Ok(exit) if !message.is_empty() => Outcome { exit: exit.code(), message },
        Ok(Exit::Ok) => Outcome { exit: 0, message: String::new() },
        Ok(exit) => Outcome { exit: exit.code(), message: exit.meaning().to_owned() },
        Err(refusal) => Outcome { exit: refusal.exit.code(), message: on_a_site(&refusal.text) },
    };
    RunFiles::new(PathBuf::from(".")).write(OUTCOME, &outcome).map_err(failed)?;
    ended
}

/// The reason for which a run was refused, as a website shows it.
pub(super) fn on_a_site(text: &str) -> String {
    let text = text.trim();
    text.strip_prefix("error: ").unwrap_or(text).to_owned()
}

/// Carries out a run or a search. A search writes its result to `message`.
fn carry_out(
    task: &RunTask,
    (world, network): (&World, &Network),
    message: &mut String,
) -> Result<Exit, Refusal> {
    let requested = &task.requested;
    if let Some((agents, meeting)) = requested.agents.zip(task.cluster.as_ref()) {
        return coordinate(requested, agents, meeting, world);
    }
    confinement::limit_run().map_err(failed)?;
    let confinement = Confinement::enter(&Access::of_run()).map_err(failed)?;
    let secrets = Secrets::new(&task.secrets);
    let granted = Granted {
        submitted: requested,
        confined: confinement.holds(),
        files: world.files.clone(),
        secrets,
    };
    if let Some(search) = &requested.search {
        let args = search_arguments(requested, search, &granted)?;
        let searched = find_granted(&args, &granted, world, network)?;
        *message = searched.message;
        return Ok(searched.exit);
    }
    let args = arguments(requested)?;
    let (exit, report) = run_granted(&args, &granted, world, network)?;
    if let Some(report) = report {
        RunFiles::new(PathBuf::from(".")).write_text(LOADGEN, &report.text()).map_err(failed)?;
    }
    Ok(exit)
}

/// Locks the directory of the run, because no other process may write to it.
fn only_one(directory: &Path) -> io::Result<File> {
    let opened = File::open(directory)?;
    flock(&opened, FlockOperation::NonBlockingLockExclusive)?;
    Ok(opened)
}

/// The lock of the machine, if no run is active on it.
pub(super) fn free(lock: &Path) -> io::Result<File> {
    let opened = File::options().create(true).append(true).open(lock)?;
    let taken = flock(&opened, FlockOperation::NonBlockingLockExclusive);
    taken.map_err(|_| {
        io::Error::other("begin: a run is active on this machine; try again after it")
    })?;
    Ok(opened)
}

/// Waits until no other run is active on this machine.
fn alone(lock: &Path) -> io::Result<File> {
    let opened = File::options().create(true).append(true).open(lock)?;
    loop {
        match flock(&opened, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(opened),
            Err(Errno::WOULDBLOCK) => console::pause(AGAIN),
            Err(error) => return Err(error.into()),
        }
    }
}
