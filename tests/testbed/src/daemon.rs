//! A server process that cannot outlive its test, or the test run that it was handed over to.
//!
//! The server runs beneath a small shell that holds the reading end of a pipe. The writing end is in
//! this process and in no other, so however this process ends (return, panic, abort, SIGKILL), the
//! shell reads the end of the pipe and kills the server. The kernel's parent-death signal would do it
//! without the shell, but it fires when the *thread* that started the server ends, and a test harness
//! starts each test on a thread of its own. The shell has a session of its own, so that it outlives a
//! test whose whole process group is killed.

use crate::process::Process;
use crate::wait::until;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Starts the server, prints its process id, and kills it once the pipe is closed. The server's output goes to standard
/// error, which is the log. The limit of descriptors is set to a fixed number and not lifted, because some servers size
/// a table by it.
///
/// A server that is handed over is killed once the process of its owner, known by its number and its start in
/// `/proc/PID/stat`, has ended, and after a day in any case. Then the directory of the run goes as well.
const GUARD: &str = r#"directory=$1; shift
ulimit -n 16384 2>/dev/null || ulimit -n "$(ulimit -Hn)"
"$@" >&2 &
server=$!
trap '' INT TERM HUP
echo "$server"
exec >&-
alive() {
    { read -r stat </proc/"$1"/stat; } 2>/dev/null || return 1
    born=$2
    set -- ${stat##*) }
    [ "$1" != Z ] && [ "${20}" = "$born" ]
}
read -r owner born run
left=86400
if [ -n "$run" ]; then
    while alive "$owner" "$born" && kill -0 "$server" 2>/dev/null && [ "$((left -= 1))" -gt 0 ]; do sleep 1; done
fi
kill -KILL "$server" 2>/dev/null
wait "$server"
[ -z "$directory" ] || rm -rf "$directory"
[ -z "$run" ] || alive "$owner" "$born" || rm -rf "$run""#;

/// How long a server may take to listen or to end before the test gives up.
const PATIENCE: Duration = Duration::from_secs(90);

/// A running server.
#[derive(Debug)]
pub struct Daemon {
    /// The shell; none for a server that belongs to a test run.
    guard: Option<Child>,
    server: Pid,
    log: PathBuf,
}

impl Daemon {
    /// Starts `command`, whose output is appended to the file `log`.
    pub fn start(command: &Command, log: &Path) -> Self {
        Self::begin(command, log, Path::new(""))
    }

    /// The same for a server that is never started again, whose directory goes with it: a value that lives as long
    /// as the process is never dropped, and would leave the directory behind.
    pub(crate) fn start_in(directory: &Path, command: &Command, log: &Path) -> Self {
        Self::begin(command, log, directory)
    }

    fn begin(command: &Command, log: &Path, directory: &Path) -> Self {
        let file = OpenOptions::new().create(true).append(true).open(log);
        let file = file.unwrap_or_else(|error| panic!("failed to open {}: {error}", log.display()));
        let mut shell = Command::new("setsid");
        shell.args(["sh", "-c", GUARD, "guard"]).arg(directory);
        shell.arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(file);
        let mut guard = shell.spawn().expect("a shell starts");
        let mut line = String::new();
        let output = guard.stdout.take().expect("the output is a pipe");
        BufReader::new(output).read_line(&mut line).expect("the shell says the process id");
        let server = line.trim().parse().ok().and_then(Pid::from_raw);
        let server = server.unwrap_or_else(|| panic!("failed to start {command:?}: {}", tail(log)));
        Self { guard: Some(guard), server, log: log.to_owned() }
    }

    /// A server that belongs to a test run: it ends with the run, and this value ends nothing.
    pub(crate) fn of_run(server: Pid, log: &Path) -> Self {
        Self { guard: None, server, log: log.to_owned() }
    }

    /// Makes the server that of a test run, which lasts as long as `owner` and has a directory. Gives the process that
    /// then ends the server.
    #[expect(clippy::zombie_processes, reason = "the shell outlives this process")]
    pub(crate) fn hand_over(&mut self, owner: Process, run: &Path) -> Process {
        let mut guard = self.guard.take().expect("the server is this process's");
        let process = Process::new(Pid::from_child(&guard)).expect("the shell waits");
        let mut pipe = guard.stdin.take().expect("the input is a pipe");
        let line = format!("{} {} {}\n", owner.id(), owner.born(), run.display());
        pipe.write_all(line.as_bytes()).expect("the shell reads");
        process
    }

    /// The process id of the server.
    pub fn id(&self) -> u32 {
        self.server.as_raw_nonzero().get().unsigned_abs()
    }

    pub(crate) fn pid(&self) -> Pid {
        self.server
    }

    /// Whether the server is there.
    pub fn is_running(&self) -> bool {
        // A process that ended stays until the shell waits for it, which it does only at the end.
        let state = fs::read_to_string(format!("/proc/{}/stat", self.id())).unwrap_or_default();
        let state = state.rsplit(") ").next().and_then(|rest| rest.chars().next());
        test_kill_process(self.server).is_ok() && state.is_some_and(|state| state != 'Z')
    }

    /// Waits until the server accepts connections on a port of 127.0.0.1.
    ///
    /// Panics with the end of its log when it ends instead.
    pub fn wait_for_port(&self, port: u16) {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let there = until(PATIENCE, || !self.is_running() || TcpStream::connect(address).is_ok());
        let there = there && self.is_running();
        assert!(
            there,
            "the server did not listen on port {port}; its log ends:\n{}",
            tail(&self.log)
        );
    }

    /// Waits until the server has said this in its log, where it listens before it is ready.
    ///
    /// Panics with the end of its log when it ends instead.
    pub(crate) fn wait_for_text(&self, text: &str) {
        let is_logged = || {
            let log = fs::read(&self.log).expect("the log is readable");
            String::from_utf8_lossy(&log).contains(text)
        };
        let there = until(PATIENCE, || !self.is_running() || is_logged());
        assert!(
            there && self.is_running(),
            "the server did not say \"{text}\"; its log ends:\n{}",
            tail(&self.log)
        );
    }

    pub(crate) fn log(&self) -> &Path {
        &self.log
    }

    /// Stops the server in its tracks, as an overloaded machine would. Connections stay open.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// Resumes a paused server.
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    /// Asks the server to end and waits until it has.
    pub fn stop(&self) {
        self.signal(Signal::TERM);
        self.wait_for_end();
    }

    /// Ends the server with SIGKILL and waits until its sockets are closed.
    pub fn kill(&self) {
        self.signal(Signal::KILL);
        self.wait_for_end();
    }

    fn signal(&self, signal: Signal) {
        assert!(self.guard.is_some(), "a test that pauses or ends a server needs one of its own");
        kill_process(self.server, signal)
            .unwrap_or_else(|error| panic!("failed to send {signal:?} to the server: {error}"));
    }

    fn wait_for_end(&self) {
        assert!(until(PATIENCE, || !self.is_running()), "process {} did not end", self.id());
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // The end of the pipe is the order to kill; waiting keeps the next test off a busy machine.
        if let Some(mut guard) = self.guard.take() {
            drop(guard.stdin.take());
            let _ = guard.wait();
        }
    }
}

fn tail(log: &Path) -> String {
    let text = String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sleeper(log: &Path) -> Daemon {
        let mut command = Command::new("sh");
        command.args(["-c", "echo \"$GREETING\"; exec sleep 600"]).env("GREETING", "here");
        Daemon::start(&command, log)
    }

    #[test]
    fn dropped_daemon_is_killed() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log");
        let daemon = sleeper(&log);
        assert!(until(PATIENCE, || tail(&log) == "here"));
        let id = daemon.id();
        assert!(daemon.is_running());
        drop(daemon);
        assert!(!Path::new(&format!("/proc/{id}")).exists());
    }

    #[test]
    fn daemon_ends_with_the_process_that_started_it() {
        let directory = tempfile::tempdir().unwrap();
        let daemon = sleeper(&directory.path().join("log"));
        let id = daemon.id();
        // All that the death of this process would do is close the pipe.
        let mut daemon = std::mem::ManuallyDrop::new(daemon);
        let mut guard = daemon.guard.take().unwrap();
        drop(guard.stdin.take());
        assert!(until(PATIENCE, || !daemon.is_running()), "process {id} is still there");
        let _ = guard.wait();
    }

    #[test]
    fn paused_daemon_can_be_killed() {
        let directory = tempfile::tempdir().unwrap();
        let daemon = sleeper(&directory.path().join("log"));
        daemon.pause();
        assert!(daemon.is_running());
        daemon.kill();
        assert!(!daemon.is_running());
    }
}
