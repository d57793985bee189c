//! A running target: started in a directory of its own, and ended when its value is dropped.

use crate::cause::Server;
use crate::worker::OneWorker;
use brunt_bench_tool::{Process, pass_for};
use rustix::process::{Pid, Signal, kill_process};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const STEP: Duration = Duration::from_millis(20);
/// Starting takes no longer, on however busy a machine.
const STEPS_MAX: u32 = 500;

/// A target.
pub(crate) struct Running {
    server: Server,
    place: PathBuf,
    wrapper: Vec<String>,
    process: Option<Process>,
    silent: Option<TcpListener>,
    worker: Option<OneWorker>,
    port: u16,
}

impl Running {
    /// Starts it in the directory `place`, behind the words of `wrapper`, and waits until it is up.
    pub(crate) fn start(
        server: Server,
        brunt: &Path,
        place: &Path,
        wrapper: Vec<String>,
    ) -> Result<Self, String> {
        let (process, silent, worker) = (None, None, None);
        let mut running =
            Self { server, place: place.to_owned(), wrapper, process, silent, worker, port: 0 };
        running.start_again(brunt)?;
        Ok(running)
    }

    /// Starts it at the port it had, if it had one.
    pub(crate) fn start_again(&mut self, brunt: &Path) -> Result<(), String> {
        match self.server {
            Server::Ldap(script) => self.embedded(brunt, "ldap", &["--users", "200"], script),
            Server::Dhcp(script) => self.embedded(brunt, "dhcp", &["--reply-to-source"], script),
            Server::Rest(script) => self.embedded(brunt, "rest", &[], script),
            Server::Nginx(directives) => self.nginx(directives),
            Server::OneWorker(service) => {
                let worker = OneWorker::start(service).map_err(|error| error.to_string())?;
                self.port = worker.port();
                self.worker = Some(worker);
                Ok(())
            }
            Server::Silent => {
                let listener =
                    TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
                self.port = listener.local_addr().map_err(|error| error.to_string())?.port();
                self.silent = Some(listener);
                Ok(())
            }
            Server::Nobody => {
                let listener =
                    TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
                self.port = listener.local_addr().map_err(|error| error.to_string())?.port();
                Ok(())
            }
            Server::None => Ok(()),
        }
    }

    fn embedded(
        &mut self,
        brunt: &Path,
        kind: &str,
        more: &[&str],
        script: &str,
    ) -> Result<(), String> {
        let file = self.place.join("script.toml");
        std::fs::write(&file, script).map_err(|error| error.to_string())?;
        let mut command = wrapped(&self.wrapper, brunt);
        command.args(["target", kind, "--listen", &format!("127.0.0.1:{}", self.port), "--script"]);
        let log = self.place.join("target.log");
        self.process = Some(Process::start(
            {
                command.arg(file).args(more);
                command
            },
            &log,
        ));
        self.port = self.heard(|| {
            let output = std::fs::read_to_string(&log).ok()?;
            let line = output.lines().find(|line| line.contains("://127.0.0.1:"))?;
            line.rsplit(':').next()?.trim_end_matches('/').parse().ok()
        })?;
        Ok(())
    }

    fn nginx(&mut self, directives: &str) -> Result<(), String> {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        self.port = free.map_err(|error| error.to_string())?.port();
        let text = format!(
            "daemon off; master_process off; pid {place}/nginx.pid; error_log {place}/error.log;\n\
             events {{ worker_connections 512; }}\n\
             http {{ access_log off; client_body_temp_path {place}/body; proxy_temp_path {place}/proxy;\n\
             fastcgi_temp_path {place}/fcgi; uwsgi_temp_path {place}/uwsgi; scgi_temp_path {place}/scgi;\n\
             {directives}\nserver {{ listen 127.0.0.1:{port}; location / {{ return 200 'ok'; }} }} }}\n",
            place = self.place.display(),
            port = self.port,
        );
        let file = self.place.join("nginx.conf");
        std::fs::write(&file, text).map_err(|error| error.to_string())?;
        let program = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"];
        let program = program
            .iter()
            .map(Path::new)
            .find(|path| path.exists())
            .ok_or("nginx is not installed")?;
        let mut command = wrapped(&self.wrapper, program);
        command.arg("-c").arg(file).arg("-e").arg(self.place.join("error.log"));
        self.process = Some(Process::start(command, &self.place.join("target.log")));
        let port = self.port;
        self.heard(|| TcpStream::connect(("127.0.0.1", port)).ok()).map(drop)
    }

    /// Waits for a sign of life.
    fn heard<T>(&mut self, sign: impl Fn() -> Option<T>) -> Result<T, String> {
        for _ in 0..STEPS_MAX {
            if let Some(sign) = sign() {
                return Ok(sign);
            }
            if !self.process.as_mut().is_some_and(Process::is_running) {
                break;
            }
            pass_for(STEP);
        }
        let output = std::fs::read_to_string(self.place.join("target.log")).unwrap_or_default();
        Err(format!("the target does not start: {}", output.trim()))
    }

    /// The port it listens at.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Its process, if it has one of its own.
    pub(crate) fn id(&self) -> Option<u32> {
        self.process.as_ref().map(Process::id)
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        if let Some(id) = self.id() {
            send(id, signal);
        }
    }

    /// Kills it, as a machine that fails would.
    pub(crate) fn kill(&mut self) {
        self.process = None;
    }
}

/// Sends a signal to a process of ours; one that is gone needs none.
pub(crate) fn send(id: u32, signal: Signal) {
    if let Some(id) = Pid::from_raw(id.cast_signed()) {
        let _ = kill_process(id, signal);
    }
}

/// A command for `program`, behind the words of programs that become it.
pub(crate) fn wrapped(wrapper: &[String], program: &Path) -> Command {
    match wrapper {
        [] => Command::new(program),
        [first, rest @ ..] => {
            let mut command = Command::new(first);
            command.args(rest).arg(program);
            command
        }
    }
}
