//! A private environment in which one backend of the name service is measured, and nothing on the host is changed.
//!
//! A sandbox is this program started again: an outer process creates namespaces and waits; an inner one is process 1 in
//! them, covers the paths that daemons write to, and carries out requests, one line of JSON each. The kernel ends every
//! process and mount of a namespace with its process 1, so no clean-up is needed, and nothing is left behind regardless
//! of how the controller ends. The controller communicates with it through [`Sandbox`] and does not depend on any of
//! this.

mod accounts;
mod configuration;
mod connection;
mod daemons;
mod etc;
mod isolation;
mod leftover;
mod listing;
mod loopback;
mod means;
mod provision;
mod request;
mod sandbox_error;
mod sandbox_paths;
mod service;
mod spec;
mod stage;
mod tools;
mod vitals;

pub(crate) use means::{Means, MissingMeans};
pub(crate) use request::{
    Answer, Counted, Daemon, Estimate, Listed, Provisioned, Ran, Request, Spread, Statistics, Way,
};
#[cfg(test)]
pub(crate) use request::{ProcessUsage, Started};
pub(crate) use spec::{
    Backend, Cache, Data, FIRST_ID, GROUPS, Index, Isolation, Nscd, PEOPLE, Reader, Server, Source,
    Spec, Variant,
};
pub(crate) use stage::enter;

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use leftover::Leftover;

/// Lines of a sandbox's error output that are kept to explain its end.
const KEPT_LINES: usize = 20;
/// How long a sandbox may take to be created.
const MAKING: Duration = Duration::from_secs(60);

/// Why a sandbox could not be created, or did not answer. Reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub(crate) enum SandboxAccessError {
    /// This program could not be started again.
    #[error("start a private environment: {0}")]
    Start(#[source] std::io::Error),
    /// Its directory could not be created.
    #[error("create a directory for a private environment below {0}: {1}")]
    Data(std::path::PathBuf, #[source] std::io::Error),
    /// It ended before it answered.
    #[error("use a private environment: it ended without an answer{0}")]
    Ended(String),
    /// It did not answer in time, and was ended.
    #[error("get an answer from a private environment within {0:?}; it was stopped{1}")]
    Silent(Duration, String),
    /// Its answer could not be parsed.
    #[error("understand a private environment: {0}")]
    Garbled(#[source] serde_json::Error),
    /// It could not carry out a request.
    #[error("{0}")]
    Refused(String),
}

/// A private environment, as its controller sees it. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Sandbox {
    child: Child,
    /// Closing it makes the sandbox end.
    requests: Option<ChildStdin>,
    answers: Receiver<String>,
    words: Arc<Mutex<VecDeque<String>>>,
    /// The directory on disk, which is deleted with the sandbox.
    _data: Option<Leftover>,
}

impl Sandbox {
    /// Creates a sandbox.
    pub(crate) fn open(spec: &Spec) -> Result<Self, SandboxAccessError> {
        let mut spec = spec.clone();
        let data = match &spec.data {
            Data::Memory => None,
            Data::Below(directory) => {
                let made = Leftover::make(directory);
                Some(made.map_err(|error| SandboxAccessError::Data(directory.clone(), error))?)
            }
        };
        if let Some(data) = &data {
            spec.data = Data::Below(data.path().to_owned());
        }
        let mut child = Command::new("/proc/self/exe")
            .args(["names", "cell", "--spec"])
            .arg(serde_json::to_string(&spec).map_err(SandboxAccessError::Garbled)?)
            .env("BRUNT_CELL", &spec.mark)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A ^C at the terminal is for the controller: it decides when its sandboxes end.
            .process_group(0)
            .spawn()
            .map_err(SandboxAccessError::Start)?;
        let (sender, answers) = channel();
        let words = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                let lines = BufReader::new(output).lines().map_while(Result::ok);
                lines.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
            });
        }
        if let Some(complaints) = child.stderr.take() {
            let words = Arc::clone(&words);
            thread::spawn(move || {
                for line in BufReader::new(complaints).lines().map_while(Result::ok) {
                    let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
                    if words.len() == KEPT_LINES {
                        words.pop_front();
                    }
                    words.push_back(line);
                }
            });
        }
        let requests = child.stdin.take();
        let mut sandbox = Self { child, requests, answers, words, _data: data };
        match sandbox.answer(MAKING)? {
            Answer::Failed(why) => Err(SandboxAccessError::Refused(why)),
            _ => Ok(sandbox),
        }
    }

    /// Has a request carried out inside. A sandbox that takes longer than `patience` is ended, and gives no more
    /// answers.
    pub(crate) fn request(
        &mut self,
        request: &Request,
        patience: Duration,
    ) -> Result<Answer, SandboxAccessError> {
        let mut line = serde_json::to_string(request).map_err(SandboxAccessError::Garbled)?;
        line.push('\n');
        let sent = self.requests.as_mut().map(|requests| requests.write_all(line.as_bytes()));
        if !matches!(sent, Some(Ok(()))) {
            return Err(SandboxAccessError::Ended(self.last_words()));
        }
        match self.answer(patience)? {
            Answer::Failed(why) => Err(SandboxAccessError::Refused(why)),
            answer => Ok(answer),
        }
    }

    /// The process id of the outer process, as this one sees it.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    fn answer(&mut self, patience: Duration) -> Result<Answer, SandboxAccessError> {
        match self.answers.recv_timeout(patience) {
            Ok(line) => serde_json::from_str(&line).map_err(SandboxAccessError::Garbled),
            Err(RecvTimeoutError::Disconnected) => {
                self.end();
                Err(SandboxAccessError::Ended(self.last_words()))
            }
            Err(RecvTimeoutError::Timeout) => {
                self.end();
                Err(SandboxAccessError::Silent(patience, self.last_words()))
            }
        }
    }

    fn last_words(&self) -> String {
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        words.iter().fold(String::new(), |text, line| text + "\n  " + line)
    }

    /// Ends everything in it. The outer process ends the inner one when the other end of its input is closed.
    fn end(&mut self) {
        self.requests = None;
        let _ = self.child.wait();
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.end();
    }
}
