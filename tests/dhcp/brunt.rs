//! [`Brunt`]: a command line of `brunt perfdhcp`, carried out once on the clients' host, and [`Run`]: what came of it.
//!
//! The record is always asked for, because it is where counts can be read without parsing prose. Whatever a test is
//! about, the record must balance: every exchange and every message meets exactly one end.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use brunt_testbed::{Lan, printed, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// How long a run may take before its test has failed. None is asked to run for more than a few seconds.
const PATIENCE: Duration = Duration::from_secs(90);

/// How a message can end, in the words of the tallies.
const ENDS: [&str; 6] = ["received", "naks", "unusable", "drops", "cut off", "unasked"];

/// A command line in the making.
pub(crate) struct Brunt {
    command: Command,
    words: Vec<OsString>,
    /// Whether to give servers more time than users would, for a busy machine's sake, where the test does not say.
    patient: bool,
    directory: TempDir,
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

    fn made(mut command: Command, patient: bool) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        command.args(["perfdhcp", "--record"]).arg(directory.path().join("record.json"));
        command.args(["-s", "7"]).env("HOME", directory.path());
        command.env_remove("XDG_CONFIG_HOME").stdin(Stdio::null());
        Self { command, words: Vec::new(), patient, directory }
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
        let path = self.directory.path().join(name);
        fs::write(&path, content).expect("the file can be written");
        path
    }

    /// Starts the run and does not wait for it.
    pub(crate) fn start(mut self) -> Running {
        let to = |name: &str| {
            File::create(self.directory.path().join(name)).expect("the file can be made")
        };
        let (report, notes) = (to("report"), to("notes"));
        let says = |wanted: &str| self.words.iter().any(|word| word == wanted);
        if self.patient && !["-d", "--scenario", "--retransmit"].into_iter().any(says) {
            // The second stage's, which a first half does not have.
            let stages = if says("-i") { 1 } else { 2 };
            self.command.args(["-d", "5", "-d", "5"].into_iter().take(2 * stages));
        }
        self.command.args(&self.words);
        let child = self.command.stdout(report).stderr(notes).spawn().expect("the binary starts");
        Running { child, words: format!("{:?}", self.command), directory: self.directory }
    }

    /// Carries the run out.
    pub(crate) fn run(self) -> Run {
        self.start().wait()
    }
}

/// A run under way.
pub(crate) struct Running {
    child: Child,
    words: String,
    directory: TempDir,
}

impl Running {
    /// Presses ^C.
    pub(crate) fn interrupt(&self) {
        kill_process(Pid::from_child(&self.child), Signal::INT).expect("it is running");
    }

    /// What it has said on standard output by now.
    pub(crate) fn report(&self) -> String {
        read(&self.directory.path().join("report"))
    }

    /// Waits for its end.
    pub(crate) fn wait(mut self) -> Run {
        let mut status = None;
        let ended = until(PATIENCE, || {
            status = self.child.try_wait().expect("a child can be waited for");
            status.is_some()
        });
        let root = self.directory.path();
        if !ended {
            let _ = self.child.kill();
            panic!("{} did not end; it said:\n{}", self.words, read(&root.join("notes")));
        }
        let record = fs::read(root.join("record.json")).ok();
        Run {
            code: status.and_then(|status| status.code()).unwrap_or(-1),
            report: read(&root.join("report")),
            notes: read(&root.join("notes")),
            words: self.words,
            record: record.map(|json| serde_json::from_slice(&json).expect("a record is JSON")),
        }
    }
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// What came of a run.
pub(crate) struct Run {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub report: String,
    /// Standard error.
    pub notes: String,
    words: String,
    record: Option<Value>,
}

impl Run {
    /// The same, once it is certain how it ended and that every exchange and every message is accounted for.
    pub(crate) fn ended_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self}");
        if let Some(record) = &self.record {
            assert_eq!(record["conservation"]["holds"], true, "{self}");
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

    /// The record.
    pub(crate) fn record(&self) -> &Value {
        self.record.as_ref().unwrap_or_else(|| panic!("there is no record\n{self}"))
    }

    /// One of the counts of exchanges in the steady phase.
    pub(crate) fn count(&self, name: &str) -> u64 {
        let count = &self.record()["counts"][name];
        count.as_u64().unwrap_or_else(|| panic!("{name} is no count\n{self}"))
    }

    /// How many exchanges ended in each way: the class and the protocol's own code.
    pub(crate) fn ends(&self) -> BTreeMap<(String, u32), u64> {
        let mut ends = BTreeMap::new();
        let operations = self.record()["operations"].as_array().into_iter().flatten();
        for end in
            operations.flat_map(|operation| operation["codes"].as_array().into_iter().flatten())
        {
            let class = end["class"].as_str().expect("a class is text").to_owned();
            let code = end["code"].as_u64().unwrap_or(0) as u32;
            *ends.entry((class, code)).or_default() += end["count"].as_u64().unwrap_or(0);
        }
        ends
    }

    /// What was counted beside exchanges: `tally("DISCOVER-OFFER sent")`.
    pub(crate) fn tally(&self, name: &str) -> u64 {
        let tallies = self.record()["tallies"].as_array().into_iter().flatten();
        let found = tallies.into_iter().find(|tally| tally["name"] == name);
        let count = found.and_then(|tally| tally["count"].as_u64());
        count.unwrap_or_else(|| panic!("there is no tally {name}\n{self}"))
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

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { code, report, notes, words, .. } = self;
        write!(f, "{words}\nended with {code}\n{report}\n{notes}")?;
        let tallies = self.record.iter().filter_map(|record| record["tallies"].as_array());
        for tally in tallies.flatten().filter(|tally| tally["count"] != 0) {
            write!(f, "\n{}: {}", tally["name"], tally["count"])?;
        }
        Ok(())
    }
}
