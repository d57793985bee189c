//! [`Local`]: agents on this machine with a broker of their own, for trying out and testing (`--local`).
//!
//! The agents and the broker end with this process, regardless of how it ends: an agent when its standard input ends,
//! and the broker by a signal from the kernel. nats-server does not request that signal, so [`broker_child`] starts it.

use std::fs;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use brunt_exchange::{Clock as _, Monotonic};
use brunt_run::console;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use rustix::process::{Pid, Signal, getppid, kill_process, set_parent_process_death_signal};
use serde::Deserialize;
use tempfile::TempDir;

use crate::cli::BROKER_CHILD;
use crate::cli::plane::PlaneArgs;
use crate::commands::failed;

/// How long the broker may take to start.
const STARTING: Duration = Duration::from_secs(10);
/// How long agents may take to end once they have nothing more to do.
const ENDING: Duration = Duration::from_secs(3);
/// How [`broker_child`] ends if there is no nats-server, which has other exit codes of its own.
const NOT_FOUND: Exit = Exit::Input;
const NOT_INSTALLED: &str = "start nats-server, the broker of agents and coordinator: it is not installed (Debian, \
                             Ubuntu: apt-get install nats-server)";

/// How many orders agents carry out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lasting {
    /// One order, after which they end.
    OneRun,
    /// Every order that arrives.
    ManyRuns,
}

/// A broker and agents that end when this is dropped.
pub(super) struct Local {
    agents: Vec<Child>,
    broker: Child,
    /// How to connect to them.
    pub(super) plane: PlaneArgs,
    place: TempDir,
}

/// The file in which the broker writes where it listens.
#[derive(Deserialize)]
struct Ports {
    nats: Vec<String>,
}

impl Local {
    /// Starts them. The agents' records go to a directory if one is named.
    pub(super) fn start(
        count: u32,
        records: Option<&Path>,
        lasting: Lasting,
    ) -> Result<Self, Refusal> {
        let place = tempfile::Builder::new().prefix("brunt-cluster-").tempdir();
        let place =
            place.map_err(|error| failed(format!("make a directory of its own: {error}")))?;
        let token = place.path().join("token");
        // 128 random bits, which no other user can read.
        let secret = brunt_record::run_id();
        let config = place.path().join("nats.conf");
        let ports = place.path().display();
        let text = format!(
            "listen: \"127.0.0.1:-1\"\nports_file_dir: \"{ports}\"\nauthorization {{ token: \"{secret}\" }}\n"
        );
        private(&token, &secret)
            .and_then(|()| private(&config, &text))
            .map_err(|error| failed(format!("write to {}: {error}", place.path().display())))?;
        let broker = start_broker(&config)?;
        let reached = PlaneArgs { token: Some(token), ..PlaneArgs::default() };
        let mut local = Self { agents: Vec::new(), broker, plane: reached, place };
        local.plane.broker.nats = Some(local.address()?);
        for rank in 0..count {
            let agent = local.agent(rank, count, records, lasting);
            local.agents.push(agent.map_err(|error| failed(format!("start an agent: {error}")))?);
        }
        Ok(local)
    }

    /// Where the broker listens.
    fn address(&mut self) -> Result<String, Refusal> {
        let clock = Monotonic::new();
        let file = self.place.path().join(format!("nats-server_{}.ports", self.broker.id()));
        while clock.now().since_origin() < STARTING {
            let ports =
                fs::read(&file).ok().and_then(|text| serde_json::from_slice::<Ports>(&text).ok());
            let url = ports.and_then(|ports| ports.nats.into_iter().next());
            if let Some(url) = url {
                let address =
                    url.strip_prefix("nats://").and_then(|it| it.parse::<SocketAddr>().ok());
                return Ok(address.map_or(url, |it| format!("nats://127.0.0.1:{}", it.port())));
            }
            match self.broker.try_wait() {
                Ok(Some(status)) if status.code() == Some(NOT_FOUND.code().into()) => {
                    return Err(failed(NOT_INSTALLED));
                }
                Ok(Some(_)) => break,
                _ => {}
            }
            console::pause(Duration::from_millis(10));
        }
        Err(failed("start nats-server: it does not report its address"))
    }

    fn agent(
        &self,
        rank: u32,
        count: u32,
        records: Option<&Path>,
        lasting: Lasting,
    ) -> io::Result<Child> {
        let own = self.place.path().join("records");
        let mut command = Command::new("/proc/self/exe");
        command.arg0("brunt").arg("agent").args((lasting == Lasting::OneRun).then_some("--once"));
        command.arg("--nats").args(self.plane.broker.nats.as_deref());
        command.arg("--token").arg(self.place.path().join("token"));
        command.args([
            format!("--name=n{rank}"),
            format!("--rank={rank}"),
            format!("--local={rank}/{count}"),
        ]);
        command.arg("--records").arg(records.map_or(own, PathBuf::from));
        // ^C at the terminal is for the coordinator only; messages are also printed by the coordinator.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn()
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        // Closing their standard input makes them end.
        for agent in &mut self.agents {
            agent.stdin = None;
        }
        let clock = Monotonic::new();
        let left = |agents: &mut Vec<Child>| {
            agents.retain_mut(|agent| matches!(agent.try_wait(), Ok(None)));
            !agents.is_empty() && clock.now().since_origin() < ENDING
        };
        while left(&mut self.agents) {
            console::pause(Duration::from_millis(10));
        }
        for agent in &mut self.agents {
            // The agent's run ends with it.
            let _ = agent.kill();
            let _ = agent.wait();
        }
        if let Some(pid) = i32::try_from(self.broker.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
        }
        let _ = self.broker.wait();
    }
}

/// The kernel sends the signal when the *thread* ends that started a child, so this must be called on the main thread.
fn start_broker(config: &Path) -> Result<Child, Refusal> {
    let mut command = Command::new("/proc/self/exe");
    command.arg0("brunt").arg(BROKER_CHILD).arg(config).arg(std::process::id().to_string());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    command.spawn().map_err(|error| failed(format!("start nats-server: {error}")))
}

/// Replaces this process by nats-server, which ends with the process that started this one. Returns only if that fails.
pub(crate) fn broker_child(config: &Path, parent: i32) -> Exit {
    let tied = set_parent_process_death_signal(Some(Signal::KILL)).is_ok()
        && getppid().map(Pid::as_raw_pid) == Some(parent);
    if !tied {
        return Exit::Failed;
    }
    match Command::new("nats-server").arg("-c").arg(config).exec().kind() {
        io::ErrorKind::NotFound => NOT_FOUND,
        _ => Exit::Failed,
    }
}

fn private(path: &Path, text: &str) -> io::Result<()> {
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?
        .write_all(text.as_bytes())
}
