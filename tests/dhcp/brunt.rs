//! [`Brunt`]: a command line of `brunt perfdhcp`, carried out once on the clients' host, and [`Run`]: what came of it.
//!
//! The record is always asked for, because it is where counts can be read without parsing prose. Whatever a test is
//! about, the record must balance: every exchange and every message meets exactly one end.

use std::ffi::{OsStr, OsString};
use std::ops::Deref;
use std::path::PathBuf;
use std::process::Command;

use brunt_testbed::{Ended, Lan, Trial, printed};

/// How a message can end, in the words of the tallies.
const ENDS: [&str; 6] = ["received", "naks", "unusable", "drops", "cut off", "unasked"];

/// A run under way.
pub(crate) type Running = brunt_testbed::Running<Run>;

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
        Self::made(lan.client(env!("CARGO_BIN_EXE_brunt")), true)
    }

    /// A run on the clients' host by way of another program, whose words come first.
    pub(crate) fn within(lan: &Lan, words: &[&str]) -> Self {
        let [program, arguments @ ..] = words else { return Self::on(lan) };
        let mut command = lan.client(program);
        command.args(arguments).arg(env!("CARGO_BIN_EXE_brunt"));
        Self::made(command, true)
    }

    /// A run wherever the test itself is, for what never gets as far as the network.
    pub(crate) fn here() -> Self {
        Self::made(Command::new(env!("CARGO_BIN_EXE_brunt")), false)
    }

    fn made(command: Command, patient: bool) -> Self {
        let trial = Trial::of(command);
        let record = trial.record();
        let trial = trial.args(["perfdhcp", "--record"]).arg(record).args(["-s", "7"]);
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
    pub(crate) fn start(self) -> Running {
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

/// What came of a run.
pub(crate) struct Run(Ended);

impl Run {
    /// The same, once it is certain how it ended and that every exchange and every message is accounted for.
    pub(crate) fn ended_with(self, code: i32) -> Self {
        self.must_end_with(code);
        if self.any_record().is_some() {
            self.every_message_has_an_end();
        }
        self
    }

    /// The same, once it is certain that all went well: exit 0 and no failed exchange.
    pub(crate) fn went_well(self) -> Self {
        let run = self.ended_with(0);
        assert_eq!(run.count("ok"), run.count("planned"), "{run}");
        assert!(run.count("ok") > 0, "{run}");
        run
    }

    /// The number on a line of the report's block of an exchange: `printed("REQUEST-ACK", "drops")`.
    pub(crate) fn printed(&self, exchange: &str, line: &str) -> u64 {
        printed(&self.report, exchange, line)
            .unwrap_or_else(|| panic!("there is no {line} of {exchange}\n{self}"))
    }

    fn every_message_has_an_end(&self) {
        let titles = self.record()["tallies"].as_array().into_iter().flatten();
        let titles = titles.filter_map(|tally| tally["name"].as_str()?.strip_suffix(" resent"));
        for title in titles {
            let ends = ENDS.iter().map(|end| self.tally(&format!("{title} {end}")));
            assert_eq!(self.tally(&format!("{title} sent")), ends.sum::<u64>(), "{title}\n{self}");
        }
    }
}

impl From<Ended> for Run {
    fn from(ended: Ended) -> Self {
        Self(ended)
    }
}

impl Deref for Run {
    type Target = Ended;

    fn deref(&self) -> &Ended {
        &self.0
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
