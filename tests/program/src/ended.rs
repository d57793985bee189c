//! [`Ended`]: what a program left, or a command that was carried out in the process of the test: its exit code, its
//! output and its record.
//!
//! Counts are read from the record and not from prose, and every record must balance.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::OnceLock;

use brunt_record::Record;
use brunt_testbed::printed;
use serde_json::Value;
use tempfile::TempDir;

/// How a message of a stage of DHCP can end, in the words of the tallies.
pub const ENDS: [&str; 6] = ["received", "naks", "unusable", "drops", "cut off", "unasked"];

/// A program that came to its end.
#[derive(Debug)]
pub struct Ended {
    words: String,
    status: ExitStatus,
    /// What it printed.
    pub stdout: String,
    /// What it said beside that.
    pub stderr: String,
    files: Option<(TempDir, PathBuf)>,
    json: OnceLock<Option<Value>>,
}

impl Ended {
    pub(crate) fn new(
        words: String,
        status: ExitStatus,
        (stdout, stderr): (String, String),
        files: Option<(TempDir, PathBuf)>,
    ) -> Self {
        Self { words, status, stdout, stderr, files, json: OnceLock::new() }
    }

    /// A command that was carried out in the process of the test: its words, its exit code, what it printed and said.
    pub fn in_process(
        words: &[String],
        code: u8,
        texts: (String, String),
        record: Option<(TempDir, PathBuf)>,
    ) -> Self {
        Self::new(words.join(" "), ExitStatus::from_raw(i32::from(code) << 8), texts, record)
    }

    /// The exit code; a panic if a signal ended it.
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| panic!("{self}: {}", self.status))
    }

    /// The same program, after checking how it ended, and that its record balances if it is that of a run.
    #[expect(clippy::return_self_not_must_use, reason = "often the check is all that a test wants")]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code(), code, "{self}");
        if self.any_json().is_some_and(|record| record["conservation"].is_object()) {
            self.record();
        }
        self
    }

    /// The same, after checking that the exit code is 0, or that of a target which did not answer for a while, as
    /// happens where others take the processors. perfdhcp's exit code is about exchanges alone.
    #[expect(clippy::return_self_not_must_use, reason = "often the check is all that a test wants")]
    pub fn carried_out(self) -> Self {
        let silences = self.any_json().and_then(|record| record["away"].as_array());
        let perfdhcp = self.words.contains("\"perfdhcp\"");
        let code = if perfdhcp || silences.is_none_or(Vec::is_empty) { 0 } else { 5 };
        self.expect(code)
    }

    /// The same, after checking also that every exchange was sent and succeeded.
    #[expect(clippy::return_self_not_must_use, reason = "often the check is all that a test wants")]
    pub fn went_well(self) -> Self {
        let ended = self.carried_out();
        assert_eq!(ended.count("ok"), ended.count("planned"), "{ended}");
        assert!(ended.count("ok") > 0, "{ended}");
        ended
    }

    /// Everything that it wrote.
    pub fn text(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    /// What it said on standard error as one line, wherever that was broken.
    pub fn output(&self) -> String {
        self.stderr.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// What it printed of its record: without notes, and without the line that says where it is.
    pub fn summary(&self) -> String {
        let is_summary = |line: &&str| !line.starts_with("record: ") && !line.starts_with("note: ");
        let text = self.stderr.lines().filter(is_summary).collect::<Vec<_>>().join("\n");
        text.trim_start().to_owned() + "\n"
    }

    /// The rows of the table, without what stands above them.
    pub fn rows(&self) -> Vec<&str> {
        let digits =
            |line: &&str| line.starts_with("| ") && line.contains(|c: char| c.is_ascii_digit());
        self.stdout.lines().filter(digits).filter(|line| !line.contains("recent")).collect()
    }

    /// A number on a line of a stage's block of perfdhcp's report: `line("REQUEST-ACK", "drops")`.
    pub fn line(&self, stage: &str, line: &str) -> u64 {
        printed(&self.stdout, stage, line).unwrap_or_else(|| panic!("no {line} of {stage}\n{self}"))
    }

    /// Where its record is.
    pub fn record_path(&self) -> &Path {
        &self.files.as_ref().expect("a record was asked for").1
    }

    /// Its record, whose books have to balance for exchanges as well as for the messages of each stage of DHCP.
    pub fn record(&self) -> Record {
        let record = Record::read(self.record_path())
            .unwrap_or_else(|error| panic!("failed to {error}\n{self}"));
        for counts in [&record.counts, &record.conservation.counts]
            .into_iter()
            .chain(record.phases.iter().map(|p| &p.counts))
        {
            let ended = counts.ok + counts.failed + counts.timed_out + counts.cut_off;
            assert_eq!(counts.sent, ended, "{counts:?}\n{self}");
        }
        let whole = &record.conservation.counts;
        assert_eq!(whole.planned, whole.sent + whole.dropped + whole.skipped, "{whole:?}\n{self}");
        assert!(record.conservation.holds, "{self}");
        let names = record.tallies.iter().map(|tally| tally.name.as_str());
        for stage in names.filter_map(|name| name.strip_suffix(" resent")) {
            let ends = ENDS.iter().map(|end| self.tally(&format!("{stage} {end}")));
            assert_eq!(self.tally(&format!("{stage} sent")), ends.sum::<u64>(), "{stage}\n{self}");
        }
        record
    }

    /// Its record as JSON.
    pub fn json(&self) -> &Value {
        self.any_json().unwrap_or_else(|| panic!("there is no record\n{self}"))
    }

    /// The same, if one was written.
    pub fn any_json(&self) -> Option<&Value> {
        let read = || {
            let json = fs::read(&self.files.as_ref()?.1).ok()?;
            Some(serde_json::from_slice(&json).expect("a record is JSON"))
        };
        self.json.get_or_init(read).as_ref()
    }

    /// One of the counts of the steady phase, over all operations.
    pub fn count(&self, name: &str) -> u64 {
        self.number(&self.json()["counts"][name], name)
    }

    /// One of the counts of one operation.
    pub fn count_of(&self, operation: &str, name: &str) -> u64 {
        self.number(&self.operation(operation)["counts"][name], name)
    }

    /// What was counted beside exchanges.
    pub fn tally(&self, name: &str) -> u64 {
        self.number(&self.named("tallies", name)["count"], name)
    }

    /// All counts beside exchanges that are not zero.
    pub fn tallies(&self) -> Vec<(&str, u64)> {
        let tallies = self.json()["tallies"].as_array().into_iter().flatten();
        let counts =
            tallies.filter_map(|one| Some((one["name"].as_str()?, one["count"].as_u64()?)));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// What happened to kept connections: `reconnected`, `resent`.
    pub fn connections(&self, name: &str) -> u64 {
        self.number(&self.json()["connections"][name], name)
    }

    /// How many exchanges ended in each way: the class and the protocol's own code.
    pub fn ends(&self) -> BTreeMap<(String, u32), u64> {
        let mut ends = BTreeMap::new();
        for operation in self.json()["operations"].as_array().into_iter().flatten() {
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
        let span = self.named("spans", name);
        let count = |key: &str| self.number(&span["counts"][key], key);
        (count("ok"), count("failed"), count("skipped"))
    }

    /// How often a part was measured: `connect`, `tls`, `bind`, `first byte`.
    pub fn part(&self, name: &str) -> u64 {
        let part = self.find("parts", name);
        part.map_or(0, |part| self.number(&part["took"]["count"], name))
    }

    /// The operation of this name.
    pub fn operation(&self, name: &str) -> &Value {
        self.named("operations", name)
    }

    /// What has this name in a list of the record.
    fn named(&self, list: &str, name: &str) -> &Value {
        self.find(list, name).unwrap_or_else(|| panic!("there is no {name} in {list}\n{self}"))
    }

    fn find(&self, list: &str, name: &str) -> Option<&Value> {
        self.json()[list].as_array().into_iter().flatten().find(|one| one["name"] == name)
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
        let Self { words, status, stdout, stderr, .. } = self;
        write!(f, "{words}\n{status}\nstdout:\n{stdout}\nstderr:\n{stderr}")?;
        let tallies = self.any_json().into_iter().filter_map(|record| record["tallies"].as_array());
        for tally in tallies.flatten().filter(|tally| tally["count"] != 0) {
            write!(f, "\n{}: {}", tally["name"], tally["count"])?;
        }
        Ok(())
    }
}
