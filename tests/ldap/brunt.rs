//! [`Brunt`]: a command line of one of the LDAP tools, carried out once, and [`Run`]: what came of it.
//!
//! The record is always asked for, because it is where counts can be read without parsing prose.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::ops::Deref;
use std::path::PathBuf;
use std::process::Command;

use brunt_testbed::{Ended, Running, Trial};

use crate::directory::{Directory, Transport};

/// A command line in the making. Options first, trailing arguments last: the tools stop reading options at the first
/// trailing argument.
pub(crate) struct Brunt(Trial);

impl Brunt {
    /// A run of the tool of this name, with the seed given so that a failure can be had again.
    pub(crate) fn new(tool: &str) -> Self {
        let trial = Trial::of(Command::new(env!("CARGO_BIN_EXE_brunt")));
        let record = trial.record();
        Self(trial.arg(tool).arg("--record").arg(record).args(["--no-prompt", "--seed", "7"]))
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
        Self(self.0.typed(words))
    }

    pub(crate) fn arg(self, word: impl AsRef<OsStr>) -> Self {
        Self(self.0.arg(word))
    }

    pub(crate) fn args<W: AsRef<OsStr>>(self, words: impl IntoIterator<Item = W>) -> Self {
        Self(self.0.args(words))
    }

    pub(crate) fn env(self, name: &str, value: impl AsRef<OsStr>) -> Self {
        Self(self.0.env(name, value))
    }

    /// Writes a file that lives as long as the run and gives its path.
    pub(crate) fn file(&self, name: &str, content: &str) -> PathBuf {
        self.0.file(name, content)
    }

    /// Starts the run and does not wait for it.
    pub(crate) fn start(self) -> Running<Run> {
        self.0.start()
    }

    /// Carries the run out.
    pub(crate) fn run(self) -> Run {
        self.start().wait()
    }
}

/// What came of a run.
pub(crate) struct Run(Ended);

impl Run {
    /// The same, once it is certain how it ended and that every exchange is accounted for.
    pub(crate) fn ended_with(self, code: i32) -> Self {
        self.must_end_with(code);
        self
    }

    /// The same, once it is certain that all went well: exit 0 and no failed operation.
    pub(crate) fn went_well(self) -> Self {
        let run = self.ended_with(0);
        assert_eq!(run.count("ok"), run.count("planned"), "{run}");
        run
    }

    /// How many operations ended with each result code of the protocol, 0 among them.
    pub(crate) fn results(&self) -> BTreeMap<u32, u64> {
        let mut results = BTreeMap::new();
        for ((class, code), count) in self.ends() {
            assert!(
                ["ok", "result"].contains(&&*class),
                "not the server's answer: {class}\n{self}"
            );
            *results.entry(code).or_default() += count;
        }
        results
    }

    /// How many operations ended with an outcome of this class: `connect`, `closed`, `login`.
    pub(crate) fn of_class(&self, wanted: &str) -> u64 {
        let ends = self.ends();
        ends.iter().filter(|((class, _), _)| class == wanted).map(|(_, count)| count).sum()
    }

    /// How often a part was measured: `connect`, `reconnect`, `bind`.
    pub(crate) fn part(&self, name: &str) -> u64 {
        let parts = self.record()["parts"].as_array().into_iter().flatten();
        let part = parts.into_iter().find(|part| part["name"] == name);
        part.map_or(0, |part| part["took"]["count"].as_u64().expect("a count"))
    }

    /// Whether a connection, even the one before the run, could not be had or was lost.
    pub(crate) fn lost_a_connection(&self) -> bool {
        let lost = || ["connect", "closed", "tls"].iter().any(|class| self.of_class(class) > 0);
        [81, 91].contains(&self.code) || self.any_record().is_some() && lost()
    }

    /// The rows of a table in CSV without its header, cell by cell.
    pub(crate) fn rows(&self) -> Vec<Vec<f64>> {
        let cell = |cell: &str| cell.parse().unwrap_or(f64::NAN);
        self.report.lines().skip(1).map(|line| line.split(',').map(cell).collect()).collect()
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
