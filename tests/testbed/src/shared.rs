//! [`Shared`]: a server that takes so long to start that one of its kind serves all tests of a run, in whatever
//! process.
//!
//! A file in the directory of the run describes it, by which every process finds it. One test has it at a time: what is
//! new in its log is then what the test did. It lasts as long as the [owner] of the run, however that ends:
//! a shell (see [`Daemon`]) watches the owner, and the next run ends what is left where that shell was killed too.
//!
//! A server that starts quickly on a copy of prepared files (see [`crate::prepared`]) is better private to its test.

use crate::daemon::Daemon;
use crate::permits::among_others;
use crate::process::Process;
use crate::runtime::{locked, private, runtime_directory};
use crate::tool::write;
use rustix::process::Pid;
use serde_json::{Value, json};
use std::env;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// The variable in which `./test` says its process id. What it starts shares its servers.
const OWNER: &str = "BRUNT_TEST_RUN_PID";
/// Programs that run tests: the parent of a test program is the owner if it is one of them.
const RUNNERS: [&str; 2] = ["cargo", "cargo-nextest"];
/// How the name of a run's directory begins. Its owner follows.
const RUN: &str = "run-";
/// How the names of the directories of servers begin, and so those of what may be removed.
pub(crate) const PREFIX: &str = "testbed-";

/// A server of the run, for one test at a time. It dereferences to the server.
///
/// A test that has one and asks for another of its kind waits for itself.
#[derive(Debug)]
pub struct Shared<T> {
    server: T,
    _turn: File,
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.server
    }
}

/// What is needed to use a server that another process started.
#[derive(Debug)]
pub(crate) struct Started {
    // First, so that the server is gone before its directory is removed.
    pub(crate) daemon: Daemon,
    /// It is removed when the server ends.
    pub(crate) directory: PathBuf,
    pub(crate) ports: Vec<u16>,
}

/// A kind of server that can be shared.
pub(crate) trait Lasting: Sized {
    const KIND: &'static str;

    /// What decides how the server is: those of different recipes are different servers.
    fn recipe() -> impl Hash;

    /// Starts one that ends with this process.
    fn start() -> Started;

    /// One that was started in this process or another.
    fn of(started: Started) -> Self;
}

/// The server of this kind of this run, started if there is none, once no other test uses it.
pub(crate) fn shared<T: Lasting>() -> Shared<T> {
    // Who waits for a turn after this keeps none from who waits for this with a turn.
    among_others();
    shared_in(&Run::of(&runtime_directory(), owner()))
}

/// The process with which the run's servers end: the one that `./test` names; or the runner of the tests, which started
/// this process; or this process itself.
fn owner() -> Process {
    let named = env::var(OWNER).ok().and_then(|id| Pid::from_raw(id.parse().ok()?));
    let runner = || {
        let (parent, name) = Process::parent()?;
        RUNNERS.contains(&name.as_str()).then_some(parent)
    };
    named.and_then(Process::new).or_else(runner).unwrap_or_else(Process::this)
}

/// A run of tests and its directory.
#[derive(Debug)]
struct Run {
    owner: Process,
    directory: PathBuf,
}

impl Run {
    fn of(runtime: &Path, owner: Process) -> Self {
        end_leftovers(runtime);
        let directory = runtime.join(format!("{RUN}{owner}"));
        private(&directory);
        Self { owner, directory }
    }
}

fn shared_in<T: Lasting>(run: &Run) -> Shared<T> {
    let mut hasher = DefaultHasher::new();
    T::recipe().hash(&mut hasher);
    let path = run.directory.join(format!("{}-{:016x}.json", T::KIND, hasher.finish()));
    let turn = locked(&path.with_extension("lock"));
    let started = found(&path).unwrap_or_else(|| {
        end(&path);
        let mut started = T::start();
        describe(run, &mut started, &path);
        started
    });
    Shared { server: T::of(started), _turn: turn }
}

/// Makes the server the run's, and writes down where it is.
fn describe(run: &Run, started: &mut Started, path: &Path) {
    let server = Process::new(started.daemon.pid()).expect("the server has just answered");
    let log = started.daemon.log().to_owned();
    let guard = started.daemon.hand_over(run.owner, &run.directory);
    let description = json!({
        "server": server.described(),
        "guard": guard.described(),
        "directory": started.directory,
        "log": log,
        "ports": started.ports,
    });
    // A description is there as a whole or not at all, and never of a server that could still end with this process.
    let draft = path.with_extension("draft");
    write(&draft, description.to_string());
    fs::rename(&draft, path).expect("a file can be renamed");
}

/// The server that is described, if it is running.
fn found(path: &Path) -> Option<Started> {
    let description = read(path)?;
    let server = Process::read(&description["server"])?;
    let text = |name: &str| description[name].as_str().map(PathBuf::from);
    let ports = description["ports"].as_array()?.iter();
    let ports = ports.map(|port| port.as_u64()?.try_into().ok()).collect::<Option<_>>()?;
    let daemon = Daemon::of_run(server.id(), &text("log")?);
    let directory = text("directory")?;
    server.is_alive().then_some(Started { daemon, directory, ports })
}

fn read(path: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Ends what is left of a described server. It may be ending by itself at the same time. Nothing but a directory whose
/// name is that of the testbed is removed, whatever the file says.
fn end(path: &Path) {
    let Some(description) = read(path) else { return };
    for name in ["guard", "server"] {
        if let Some(process) = Process::read(&description[name]) {
            process.kill();
        }
    }
    let directory = description["directory"].as_str().map(Path::new);
    let name = directory.and_then(|directory| directory.file_name()?.to_str());
    if let Some(directory) = directory.filter(|_| name.is_some_and(|name| name.starts_with(PREFIX)))
    {
        let _ = fs::remove_dir_all(directory);
    }
    let _ = fs::remove_file(path);
}

/// Ends what is left of runs whose owner has ended.
fn end_leftovers(runtime: &Path) {
    for run in fs::read_dir(runtime).into_iter().flatten().flatten() {
        let name = run.file_name();
        let owner = name.to_str().and_then(|name| Process::parse(name.strip_prefix(RUN)?));
        if owner.is_none_or(Process::is_alive) {
            continue;
        }
        for file in fs::read_dir(run.path()).into_iter().flatten().flatten() {
            let path = file.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                end(&path);
            }
        }
        let _ = fs::remove_dir_all(run.path());
    }
}

#[cfg(test)]
mod tests;
