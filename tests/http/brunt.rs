//! [`Brunt`]: a command line of the binary, carried out once, and [`Run`]: what came of it.
//!
//! The record is always asked for, because it is where counts can be read without parsing prose, and the seed is given,
//! so that a failure can be had again.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::ops::Deref;
use std::path::PathBuf;
use std::process::Command;

use brunt_testbed::{Ended, Lan, Running, Trial};

/// A command line in the making.
pub(crate) struct Brunt(Trial);

impl Brunt {
    /// `brunt TOOL`.
    pub(crate) fn new(tool: &str) -> Self {
        Self::of(Trial::of(Command::new(env!("CARGO_BIN_EXE_brunt"))), tool)
    }

    fn of(trial: Trial, tool: &str) -> Self {
        let record = trial.record();
        Self(trial.arg(tool).arg("--record").arg(record).args(["--seed", "7"]))
    }

    /// `brunt run` with this plan.
    pub(crate) fn plan(plan: &str) -> Self {
        Self::new("run").with_plan(plan)
    }

    /// The same on the clients' host of a network.
    pub(crate) fn plan_on(lan: &Lan, plan: &str) -> Self {
        Self::of(Trial::of(lan.client(env!("CARGO_BIN_EXE_brunt"))), "run").with_plan(plan)
    }

    fn with_plan(self, plan: &str) -> Self {
        let path = self.0.file("plan.toml", plan);
        self.arg(path)
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

    /// The same, once it is certain that all went well: exit 0, and no step failed, was late or was skipped.
    pub(crate) fn went_well(self) -> Self {
        let run = self.ended_with(0);
        assert_eq!(run.count("ok"), run.count("planned"), "{run}");
        assert!(run.count("ok") > 0, "{run}");
        run
    }

    /// How many answers of each status there were, whatever was made of them.
    pub(crate) fn statuses(&self) -> BTreeMap<u16, u64> {
        let mut statuses = BTreeMap::new();
        for ((class, code), count) in self.ends() {
            if ["ok", "result", "check", "exceeded"].contains(&&*class) {
                *statuses.entry(code as u16).or_default() += count;
            }
        }
        statuses
    }

    /// How many exchanges ended so.
    pub(crate) fn of_class(&self, wanted: &str) -> u64 {
        let ends = self.ends();
        ends.iter().filter(|((class, _), _)| class == wanted).map(|(_, count)| count).sum()
    }

    /// How often a part was measured: `connect`, `tls`, `first byte`.
    pub(crate) fn part(&self, name: &str) -> u64 {
        let parts = self.record()["parts"].as_array().into_iter().flatten();
        let part = parts.into_iter().find(|part| part["name"] == name);
        part.map_or(0, |part| part["took"]["count"].as_u64().expect("a count"))
    }

    /// The shortest service time of an operation, in milliseconds.
    pub(crate) fn shortest_service(&self, operation: &str) -> f64 {
        self.operation(operation)["service"]["min_ns"].as_f64().expect("nanoseconds") / 1e6
    }

    /// The mean response time of an operation, in milliseconds.
    pub(crate) fn mean_response(&self, operation: &str) -> f64 {
        let response = &self.operation(operation)["response"];
        let figure = |name: &str| response[name].as_f64().expect("a figure");
        figure("sum_ns") / figure("count") / 1e6
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
