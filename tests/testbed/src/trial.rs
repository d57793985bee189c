//! [`Trial`]: a command line of brunt, executed once in a home directory of its own, and [`Ended`]: its result.
//!
//! The record is always requested, because counts can be read from it without parsing prose, and every record must
//! balance. This module depends only on the shape of brunt's record; the tests know what the words of a command line
//! mean.

use crate::permits::among_others;
use crate::tool::{make_directory, write};
use crate::wait::ends_within;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// How long a program may take before its test has failed. None is asked to run for more than a few seconds.
const PATIENCE: Duration = Duration::from_secs(180);

/// How a message can end, in the words of the tallies.
const MESSAGE_ENDS: [&str; 6] = ["received", "naks", "unusable", "drops", "cut off", "unasked"];

/// A command line in the making.
#[derive(Debug)]
pub struct Trial {
    command: Command,
    directory: TempDir,
}

impl Trial {
    /// A run of a program whose home is empty: the settings of the user who runs the tests must not change it.
    pub fn new(mut command: Command) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        command.env("HOME", directory.path()).env_remove("XDG_CONFIG_HOME").stdin(Stdio::null());
        Self { command, directory }
    }

    /// A run of a command of brunt that writes a record.
    pub fn brunt(command: Command, words: &[&str]) -> Self {
        let trial = Self::new(command);
        let record = trial.record();
        trial.args(words).arg("--record").arg(record)
    }

    /// The path of the run's record, for the command line.
    pub fn record(&self) -> PathBuf {
        self.directory.path().join("record.json")
    }

    /// A further argument.
    #[must_use]
    pub fn arg(mut self, word: impl AsRef<OsStr>) -> Self {
        self.command.arg(word);
        self
    }

    /// Further arguments.
    #[must_use]
    pub fn args<W: AsRef<OsStr>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        self.command.args(words);
        self
    }

    /// Further arguments, as one would type them, divided at spaces.
    #[must_use]
    pub fn typed(self, words: &str) -> Self {
        self.args(words.split_whitespace())
    }

    /// A variable of the environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Writes a file that lives as long as the run and gives its path. Its name may have directories in it.
    pub fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.directory.path().join(name);
        make_directory(path.parent().expect("it is below the run's directory"));
        write(&path, content);
        path
    }

    /// Starts the run and does not wait for it.
    pub fn start(mut self) -> Running {
        among_others();
        let to = |name: &str| {
            File::create(self.directory.path().join(name)).expect("the file can be made")
        };
        let (report, notes) = (to("report"), to("notes"));
        let child = self.command.stdout(report).stderr(notes).spawn().expect("the program starts");
        let words = format!("{:?}", self.command);
        Running { child, words, directory: self.directory }
    }

    /// Executes the run to its end.
    pub fn run(self) -> Ended {
        self.start().wait()
    }
}

/// A run under way.
#[derive(Debug)]
pub struct Running {
    child: Child,
    words: String,
    directory: TempDir,
}

impl Running {
    /// The most memory that it has had, in bytes; nothing once it has ended.
    pub fn peak_memory(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a child can be waited for").is_some()
    }

    /// Presses ^C.
    pub fn interrupt(&self) {
        kill_process(Pid::from_child(&self.child), Signal::INT).expect("it is running");
    }

    /// Stops it where it is, until [`resume`](Self::resume).
    pub fn pause(&self) {
        kill_process(Pid::from_child(&self.child), Signal::STOP).expect("it is running");
    }

    /// Resumes it.
    pub fn resume(&self) {
        kill_process(Pid::from_child(&self.child), Signal::CONT).expect("it is stopped");
    }

    /// What it has said on standard output by now.
    pub fn report(&self) -> String {
        read(&self.directory.path().join("report"))
    }

    /// What it has said on standard error by now.
    pub fn notes(&self) -> String {
        read(&self.directory.path().join("notes"))
    }

    /// Waits for its end.
    pub fn wait(mut self) -> Ended {
        let ended = ends_within(&mut self.child, PATIENCE);
        let root = self.directory.path();
        if !ended {
            let _ = self.child.kill();
            panic!("{} did not end; it said:\n{}", self.words, read(&root.join("notes")));
        }
        Ended {
            code: self.child.wait().ok().and_then(|status| status.code()).unwrap_or(-1),
            report: read(&root.join("report")),
            notes: read(&root.join("notes")),
            words: self.words,
            record: record_at(&root.join("record.json")),
        }
    }
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

fn record_at(path: &Path) -> Option<Value> {
    let json = fs::read(path).ok()?;
    Some(serde_json::from_slice(&json).expect("a record is JSON"))
}

/// The result of a run.
#[derive(Debug)]
pub struct Ended {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub report: String,
    /// Standard error.
    pub notes: String,
    words: String,
    record: Option<Value>,
}

impl Ended {
    /// A command that was carried out in the process of the test: its words, its exit code, what it wrote to standard
    /// output and standard error, and its record, if it wrote one.
    pub fn in_process(
        words: String,
        code: i32,
        (report, notes): (String, String),
        record: &Path,
    ) -> Self {
        Self { code, report, notes, words, record: record_at(record) }
    }

    /// The same, after checking the exit code, and that every exchange and every message is accounted for.
    #[expect(clippy::return_self_not_must_use, reason = "often the check is all that a test wants")]
    pub fn ended_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self}");
        if let Some(record) = &self.record {
            assert_eq!(record["conservation"]["holds"], true, "{self}");
            self.every_message_has_an_end();
        }
        self
    }

    /// The same, after checking that the exit code is 0, or that of a target which did not answer for a while, as
    /// happens where others take the processors. perfdhcp's exit code is about exchanges alone.
    #[expect(clippy::return_self_not_must_use, reason = "often the check is all that a test wants")]
    pub fn carried_out(self) -> Self {
        let silences = self.record.as_ref().and_then(|record| record["away"].as_array());
        let perfdhcp = self.words.contains("\"perfdhcp\"");
        let code = if perfdhcp || silences.is_none_or(Vec::is_empty) { 0 } else { 5 };
        self.ended_with(code)
    }

    /// The same, after checking also that every exchange was sent and succeeded.
    #[expect(clippy::return_self_not_must_use, reason = "often the check is all that a test wants")]
    pub fn went_well(self) -> Self {
        let ended = self.carried_out();
        assert_eq!(ended.count("ok"), ended.count("planned"), "{ended}");
        assert!(ended.count("ok") > 0, "{ended}");
        ended
    }

    /// Whoever counts messages, as DHCP runs do, must count exactly one end of each.
    fn every_message_has_an_end(&self) {
        let titles = self.record()["tallies"].as_array().into_iter().flatten();
        let titles = titles.filter_map(|tally| tally["name"].as_str()?.strip_suffix(" resent"));
        for title in titles {
            let ends = MESSAGE_ENDS.iter().map(|end| self.tally(&format!("{title} {end}")));
            assert_eq!(self.tally(&format!("{title} sent")), ends.sum::<u64>(), "{title}\n{self}");
        }
    }

    /// The record.
    pub fn record(&self) -> &Value {
        self.record.as_ref().unwrap_or_else(|| panic!("there is no record\n{self}"))
    }

    /// The record, if one was written.
    pub fn any_record(&self) -> Option<&Value> {
        self.record.as_ref()
    }

    /// One of the counts of the steady phase, over all operations.
    pub fn count(&self, name: &str) -> u64 {
        self.number(&self.record()["counts"][name], name)
    }

    /// One of the counts of one operation.
    pub fn count_of(&self, operation: &str, name: &str) -> u64 {
        self.number(&self.operation(operation)["counts"][name], name)
    }

    /// What was counted beside exchanges.
    pub fn tally(&self, name: &str) -> u64 {
        let tallies = self.record()["tallies"].as_array().into_iter().flatten();
        let found = tallies.into_iter().find(|tally| tally["name"] == name);
        let found = found.unwrap_or_else(|| panic!("there is no tally {name}\n{self}"));
        self.number(&found["count"], name)
    }

    /// What happened to kept connections: `reconnected`, `resent`.
    pub fn connections(&self, name: &str) -> u64 {
        self.number(&self.record()["connections"][name], name)
    }

    /// How many exchanges ended in each way: the class and the protocol's own code.
    pub fn ends(&self) -> BTreeMap<(String, u32), u64> {
        let mut ends = BTreeMap::new();
        for operation in self.operations() {
            for (end, count) in self.ends_in(operation) {
                *ends.entry(end).or_default() += count;
            }
        }
        ends
    }

    /// The same of one operation.
    pub fn ends_of(&self, operation: &str) -> BTreeMap<(String, u32), u64> {
        self.ends_in(self.operation(operation)).collect()
    }

    /// How many exchanges ended with an outcome of this class: `connect`, `closed`, `login`.
    pub fn of_class(&self, wanted: &str) -> u64 {
        let ends = self.ends();
        ends.iter().filter(|((class, _), _)| class == wanted).map(|(_, count)| count).sum()
    }

    /// How many exchanges ended with each code of the protocol. All must have ended with an answer.
    pub fn results(&self) -> BTreeMap<u32, u64> {
        let mut results = BTreeMap::new();
        for ((class, code), count) in self.ends() {
            assert!(
                ["ok", "result", "locked"].contains(&&*class),
                "not the server's answer: {class}\n{self}"
            );
            *results.entry(code).or_default() += count;
        }
        results
    }

    /// How often a group of steps succeeded, failed and was skipped.
    pub fn span(&self, name: &str) -> (u64, u64, u64) {
        let spans = self.record()["spans"].as_array().into_iter().flatten();
        let span = spans.into_iter().find(|span| span["name"] == name);
        let span = span.unwrap_or_else(|| panic!("there is no group {name}\n{self}"));
        let count = |key: &str| self.number(&span["counts"][key], key);
        (count("ok"), count("failed"), count("skipped"))
    }

    /// How often a part was measured: `connect`, `tls`, `bind`, `first byte`.
    pub fn part(&self, name: &str) -> u64 {
        let parts = self.record()["parts"].as_array().into_iter().flatten();
        let part = parts.into_iter().find(|part| part["name"] == name);
        part.map_or(0, |part| self.number(&part["took"]["count"], name))
    }

    /// The operations of the record.
    pub fn operations(&self) -> &[Value] {
        self.record()["operations"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The operation of this name.
    pub fn operation(&self, name: &str) -> &Value {
        let found = self.operations().iter().find(|operation| operation["name"] == name);
        found.unwrap_or_else(|| panic!("there is no operation {name}\n{self}"))
    }

    fn ends_in<'a>(
        &'a self,
        operation: &'a Value,
    ) -> impl Iterator<Item = ((String, u32), u64)> + 'a {
        operation["codes"].as_array().into_iter().flatten().map(|end| {
            let class = end["class"].as_str().expect("a class is text").to_owned();
            let code = end["code"].as_u64().unwrap_or(0) as u32;
            ((class, code), self.number(&end["count"], "count"))
        })
    }

    fn number(&self, value: &Value, name: &str) -> u64 {
        value.as_u64().unwrap_or_else(|| panic!("{name} is {value}, which is no count\n{self}"))
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, report, notes, words, .. } = self;
        write!(f, "{words}\nended with {code}\n{report}\n{notes}")?;
        let tallies = self.record.iter().filter_map(|record| record["tallies"].as_array());
        for tally in tallies.flatten().filter(|tally| tally["count"] != 0) {
            write!(f, "\n{}: {}", tally["name"], tally["count"])?;
        }
        Ok(())
    }
}
