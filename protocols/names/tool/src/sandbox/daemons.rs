//! The daemons of a sandbox: starts them in order, waits until they answer, stops them, and restarts them.
//!
//! A daemon is ready when its socket accepts a connection, not when its process exists. A stopped daemon leaves a
//! socket behind, to which a client would connect and then wait, so this socket is deleted before another daemon is
//! started. A cold cache is that of a restarted daemon: waiting until answers expire does not empty it.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use brunt_exchange::{Clock as _, Monotonic};
use brunt_net::{Network, unix};
use brunt_run::console;
use rustix::process::{Pid, Signal, kill_process};

use super::request::Daemon;
use super::sandbox_error::SandboxError;
use super::sandbox_paths::SandboxPaths;
use super::spec::Isolation;
use super::tools;

/// How long a daemon may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a daemon may take to end before it is killed.
const GRACE: Duration = Duration::from_secs(10);
/// How often the program checks whether a daemon answers.
const EVERY: Duration = Duration::from_millis(2);

/// How a daemon is started.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// The program, as [`SandboxPaths::program`] knows it.
    pub program: &'static str,
    /// Its arguments.
    pub words: Vec<String>,
    /// What it listens on.
    pub listens: Listens,
    /// The files that must be gone when it starts: its last socket, its cache.
    pub forgets: Vec<PathBuf>,
}

/// The socket that accepts a connection when a daemon is ready.
#[derive(Clone, Debug)]
pub(super) enum Listens {
    /// A port of 127.0.0.1.
    Port(u16),
    /// A socket in the file system; any one of them.
    Socket(PathBuf),
}

/// The running daemons.
#[derive(Debug, Default)]
pub(super) struct Daemons {
    running: BTreeMap<Daemon, (Child, Start)>,
}

impl Daemons {
    /// Starts a daemon, waits until it answers, and returns the time that took.
    pub(super) fn start(
        &mut self,
        daemon: Daemon,
        start: &Start,
        place: &SandboxPaths,
    ) -> Result<Duration, SandboxError> {
        self.stop(daemon);
        for path in &start.forgets {
            forget(path);
        }
        let program = place.program(start.program)?;
        let log = place.root.join(format!("{}.log", daemon.name()));
        let output = OpenOptions::new().create(true).append(true).open(&log);
        let output = output.map_err(SandboxError::file("open", &log))?;
        let mut command = command(place, &program, &start.words);
        let errors = output.try_clone().map_err(SandboxError::file("open", &log))?;
        command.stdin(Stdio::null()).stdout(output).stderr(errors);
        let clock = Monotonic::new();
        let child =
            command.spawn().map_err(SandboxError::system(format!("start {}", start.program)))?;
        self.running.insert(daemon, (child, start.clone()));
        while !answers(&start.listens) {
            let over = clock.now().since_origin() > PATIENCE;
            if over || self.has_ended(daemon) {
                self.stop(daemon);
                let log = tools::tail(&fs::read_to_string(&log).unwrap_or_default());
                return Err(SandboxError::NotReady {
                    daemon: daemon.name(),
                    patience: PATIENCE,
                    log,
                });
            }
            console::pause(EVERY);
        }
        Ok(clock.now().since_origin())
    }

    /// Stops a daemon and starts it with an empty cache.
    pub(super) fn restart(
        &mut self,
        daemon: Daemon,
        place: &SandboxPaths,
    ) -> Result<Duration, SandboxError> {
        let Some((_, start)) = self.running.get(&daemon) else { return Err(absent(daemon)) };
        let start = start.clone();
        self.start(daemon, &start, place)
    }

    fn has_ended(&mut self, daemon: Daemon) -> bool {
        let child = self.running.get_mut(&daemon).map(|(child, _)| child.try_wait());
        child.is_none_or(|ended| ended.is_ok_and(|ended| ended.is_some()))
    }

    /// Stops a daemon, if it runs, and waits until it is gone.
    pub(super) fn stop(&mut self, daemon: Daemon) {
        let Some((mut child, start)) = self.running.remove(&daemon) else { return };
        // A suspended daemon could not end.
        for signal in [Signal::TERM, Signal::CONT] {
            send(&child, signal);
        }
        if !tools::ends_within(&child, GRACE) {
            let _ = child.kill();
        }
        let _ = child.wait();
        if let Listens::Socket(path) = &start.listens {
            forget(path);
        }
    }

    /// Stops all daemons, clients before the servers they use.
    pub(super) fn stop_all(&mut self) {
        for daemon in [Daemon::Nscd, Daemon::Sssd, Daemon::Nslcd, Daemon::Directory] {
            self.stop(daemon);
        }
    }

    /// Suspends a daemon, or resumes it.
    pub(super) fn pause(&self, daemon: Daemon, pause: bool) -> Result<(), SandboxError> {
        let (child, _) = self.running.get(&daemon).ok_or_else(|| absent(daemon))?;
        send(child, if pause { Signal::STOP } else { Signal::CONT });
        Ok(())
    }

    /// The running daemons, and the process id of each.
    pub(super) fn running(&self) -> impl Iterator<Item = (Daemon, u32)> {
        self.running.iter().map(|(daemon, (child, _))| (*daemon, child.id()))
    }

    /// Whether a daemon runs.
    pub(super) fn has(&self, daemon: Daemon) -> bool {
        self.running.contains_key(&daemon)
    }
}

fn absent(daemon: Daemon) -> SandboxError {
    SandboxError::Unfit(format!("find {} in this environment: its backend has none", daemon.name()))
}

/// A daemon's command. Without isolation, only its own request to the kernel ends it with its sandbox.
fn command(place: &SandboxPaths, program: &Path, words: &[String]) -> Command {
    if place.isolation == Isolation::None {
        let mut command = tools::command(Path::new("/proc/self/exe"));
        command.args(["names", "cell", "--"]).arg(program).args(words);
        return command;
    }
    let mut command = tools::command(program);
    command.args(words);
    command
}

fn answers(listens: &Listens) -> bool {
    match listens {
        Listens::Port(port) => {
            let at = SocketAddr::from((Ipv4Addr::LOCALHOST, *port));
            Network::private().connect_blocking([at], Some(PATIENCE)).is_ok()
        }
        Listens::Socket(path) => unix::connect_to_system(path, Some(PATIENCE)).is_ok(),
    }
}

fn send(child: &Child, signal: Signal) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

fn forget(path: &Path) {
    if path.is_dir() {
        let _ = fs::remove_dir_all(path);
        let _ = fs::create_dir_all(path);
    } else {
        let _ = fs::remove_file(path);
    }
}

/// The file for the error output of tools.
pub(super) fn tool_log(place: &SandboxPaths) -> Result<(File, PathBuf), SandboxError> {
    let path = place.root.join("tools.log");
    let file = File::create(&path).map_err(SandboxError::file("make", &path))?;
    Ok((file, path))
}
