//! [`Brunt`]: a command line of `brunt perfdhcp`, executed once on the clients' host.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;

pub(crate) use brunt_test_program::{Ended as Run, Program};
use brunt_test_program::{Trial, binary};
use brunt_testbed::Lan;

/// A command line in the making.
pub(crate) struct Brunt {
    trial: Trial,
    words: Vec<OsString>,
    /// Whether to give servers more time than users would, for a busy machine's sake, where the test does not say.
    patient: bool,
}

impl Brunt {
    /// A run on the clients' host, with the seed given so that a failure can be had again.
    pub(crate) fn on(lan: &Lan) -> Self {
        Self::made(lan.client(binary()), true)
    }

    /// A run on the clients' host by way of another program, whose words come first.
    pub(crate) fn within(lan: &Lan, words: &[&str]) -> Self {
        let [program, arguments @ ..] = words else { return Self::on(lan) };
        let mut command = lan.client(program);
        command.args(arguments).arg(binary());
        Self::made(command, true)
    }

    /// A run wherever the test itself is, for what never gets as far as the network.
    pub(crate) fn here() -> Self {
        Self::made(Command::new(binary()), false)
    }

    /// The IPv6 addresses of the testbed are documentation addresses, which only its namespaces have: `--yes`.
    fn made(command: Command, patient: bool) -> Self {
        let trial = Trial::new(command).typed("perfdhcp -s 7 --yes").recorded();
        Self { trial, words: Vec::new(), patient }
    }

    /// Further arguments, as one would type them, divided at spaces.
    pub(crate) fn typed(mut self, words: &str) -> Self {
        self.words.extend(words.split_whitespace().map(OsString::from));
        self
    }

    pub(crate) fn arg(mut self, word: impl AsRef<OsStr>) -> Self {
        self.words.push(word.as_ref().to_owned());
        self
    }

    /// Writes a file that lives as long as the run and gives its path.
    pub(crate) fn file(&self, name: &str, content: &str) -> PathBuf {
        self.trial.file(name, content)
    }

    /// Starts the run and does not wait for it.
    pub(crate) fn start(self) -> Program {
        let says = |wanted: &str| self.words.iter().any(|word| word == wanted);
        let impatient = !self.patient || ["-d", "--scenario", "--retransmit"].into_iter().any(says);
        // The second stage's, which a first half does not have.
        let stages = if says("-i") { 1 } else { 2 };
        let delays = if impatient { 0 } else { 2 * stages };
        self.trial.args(["-d", "5", "-d", "5"].into_iter().take(delays)).args(&self.words).start()
    }

    /// Carries the run out.
    pub(crate) fn run(self) -> Run {
        self.start().wait()
    }
}
