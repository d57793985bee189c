//! [`Brunt`]: a command line of the binary, carried out once, and [`Run`]: everything that came of it.
//!
//! The record is always asked for, because it is where counts can be read without parsing prose. The run gets a home
//! directory of its own: a properties file of whoever runs the tests must not change them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use brunt_testbed::until;
use serde_json::Value;
use tempfile::TempDir;

use crate::directory::{Directory, Transport};

/// How long a run may take before its test has failed. None is asked to run for more than a few seconds.
const PATIENCE: Duration = Duration::from_secs(90);

/// A command line in the making. Options first, trailing arguments last: the tools stop reading options at the first
/// trailing argument.
pub(crate) struct Brunt {
    command: Command,
    directory: TempDir,
}

impl Brunt {
    /// A run of the tool of this name, with the seed given so that a failure can be had again.
    pub(crate) fn new(tool: &str) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut command = Command::new(env!("CARGO_BIN_EXE_brunt"));
        command.arg(tool).arg("--record").arg(directory.path().join("record.json"));
        command.args(["--no-prompt", "--seed", "7"]).env("HOME", directory.path());
        command.env_remove("XDG_CONFIG_HOME").stdin(Stdio::null());
        Self { command, directory }
    }

    /// The same against a server, by the name that its certificate has, or by address.
    pub(crate) fn to(self, server: &dyn Directory, transport: Transport) -> Self {
        let port = if transport == Transport::Ldaps { server.tls_port() } else { server.port() };
        let run = self.args(["-h", "127.0.0.1", "-p", &port.to_string()]);
        match transport {
            Transport::Plain => run,
            Transport::Ldaps => run.arg("-Z").arg("--ca").arg(server.pki().ca()),
            Transport::StartTls => run.arg("-q").arg("--ca").arg(server.pki().ca()),
        }
    }

    /// Further arguments, as one would type them, divided at spaces.
    pub(crate) fn typed(self, words: &str) -> Self {
        self.args(words.split_whitespace())
    }

    pub(crate) fn arg(mut self, word: impl AsRef<OsStr>) -> Self {
        self.command.arg(word);
        self
    }

    pub(crate) fn args<W: AsRef<OsStr>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        self.command.args(words);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
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
        let (table, notes) = (to("table"), to("notes"));
        let child = self.command.stdout(table).stderr(notes).spawn().expect("the binary starts");
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
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::INT).expect("it is running");
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
            table: read(&root.join("table")),
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
    pub table: String,
    /// Standard error.
    pub notes: String,
    words: String,
    record: Option<Value>,
}

impl Run {
    /// The same, once it is certain how it ended and that every exchange is accounted for.
    pub(crate) fn ended_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self}");
        if let Some(record) = &self.record {
            assert_eq!(record["conservation"]["holds"], true, "{self}");
        }
        self
    }

    /// The same, once it is certain that all went well: exit 0 and no failed operation.
    pub(crate) fn went_well(self) -> Self {
        let run = self.ended_with(0);
        assert_eq!(run.count("ok"), run.count("planned"), "{run}");
        run
    }

    /// The record.
    pub(crate) fn record(&self) -> &Value {
        self.record.as_ref().unwrap_or_else(|| panic!("there is no record\n{self}"))
    }

    /// One of the counts of the steady phase, over all operations.
    pub(crate) fn count(&self, name: &str) -> u64 {
        number(&self.record()["counts"][name], self)
    }

    /// One of the counts of one operation.
    pub(crate) fn count_of(&self, operation: &str, name: &str) -> u64 {
        number(&self.operation(operation)["counts"][name], self)
    }

    /// How many operations ended with each result code of the protocol, 0 among them.
    pub(crate) fn results(&self) -> BTreeMap<u32, u64> {
        let mut results = BTreeMap::new();
        for operation in self.operations() {
            for (class, code, count) in codes(operation, self) {
                assert!(
                    ["ok", "result"].contains(&class),
                    "not the server's answer: {class}\n{self}"
                );
                *results.entry(code).or_default() += count;
            }
        }
        results
    }

    /// How many operations ended with an outcome of this class: `connect`, `closed`, `login`.
    pub(crate) fn of_class(&self, wanted: &str) -> u64 {
        let all = self.operations().iter().flat_map(|operation| codes(operation, self));
        all.filter(|(class, ..)| *class == wanted).map(|(.., count)| count).sum()
    }

    /// Whether a connection, even the one before the run, could not be had or was lost.
    pub(crate) fn lost_a_connection(&self) -> bool {
        let lost = || ["connect", "closed", "tls"].iter().any(|class| self.of_class(class) > 0);
        [81, 91].contains(&self.code) || self.record.is_some() && lost()
    }

    /// The rows of a table in CSV without its header, cell by cell.
    pub(crate) fn rows(&self) -> Vec<Vec<f64>> {
        let cell = |cell: &str| cell.parse().unwrap_or(f64::NAN);
        self.table.lines().skip(1).map(|line| line.split(',').map(cell).collect()).collect()
    }

    fn operations(&self) -> &[Value] {
        self.record()["operations"].as_array().map_or(&[], Vec::as_slice)
    }

    fn operation(&self, name: &str) -> &Value {
        let found = self.operations().iter().find(|operation| operation["name"] == name);
        found.unwrap_or_else(|| panic!("no operation {name}\n{self}"))
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { code, table, notes, words, .. } = self;
        write!(f, "{words}\nended with {code}\n{table}\n{notes}")
    }
}

/// Class, code and count of each outcome of an operation.
fn codes<'a>(operation: &'a Value, run: &Run) -> Vec<(&'a str, u32, u64)> {
    let codes = operation["codes"].as_array().map_or(&[][..], Vec::as_slice);
    let one = |code: &'a Value| {
        let class = code["class"].as_str().expect("a class is text");
        (class, code["code"].as_u64().unwrap_or(0) as u32, number(&code["count"], run))
    };
    codes.iter().map(one).collect()
}

fn number(value: &Value, run: &Run) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no count\n{run}"))
}
