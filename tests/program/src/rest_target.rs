//! [`RestTarget`]: the identity API in memory, and [`Seen`]: a request as it logged it.

use std::fs;
use std::path::Path;
use std::time::Duration;

use brunt_testbed::until;
use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::{Program, binary, command, scratch};

/// An identity API in memory that logs what it is asked.
pub struct RestTarget {
    program: Program,
    directory: TempDir,
    /// What URLs begin with.
    pub base: String,
}

/// A request as the server got it.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The method.
    pub method: String,
    /// The path and the query.
    pub target: String,
    /// Names and values, as they came.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
    /// The status that it was answered with.
    pub status: u64,
    /// The number of its connection.
    pub connection: u64,
    /// Microseconds since the server began.
    pub at: u64,
}

impl Seen {
    /// The requests in a log, in order.
    pub fn of_log(path: &Path) -> Vec<Self> {
        let log = fs::read_to_string(path).expect("the server wrote a log");
        log.lines().map(|line| seen(&serde_json::from_str(line).expect("a line is JSON"))).collect()
    }

    /// The value of a field.
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = |(known, _): &&(String, String)| known.eq_ignore_ascii_case(name);
        self.headers.iter().find(named).map(|(_, value)| value.as_str())
    }

    /// The payload as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl RestTarget {
    /// Starts one that behaves.
    pub fn start() -> Self {
        Self::scripted("")
    }

    /// Starts one that follows a script.
    pub fn scripted(script: &str) -> Self {
        let directory = scratch();
        let file = directory.path().join("script.toml");
        fs::write(&file, script).expect("a file can be written");
        let mut target = command(binary());
        target.args(["target", "rest", "--listen", "127.0.0.1:0", "--script"]).arg(&file);
        target.arg("--log").arg(directory.path().join("log"));
        let mut program = Program::start(&mut target);
        let mut base = String::new();
        program.wait_until("its address", |stdout, _| {
            let line = stdout.split_once('\n').map(|(line, _)| line.trim_end_matches('/'));
            line.unwrap_or_default().clone_into(&mut base);
            !base.is_empty()
        });
        Self { program, directory, base }
    }

    /// Waits until it was asked so many times.
    pub fn wait_for(&self, requests: usize) {
        let log = self.directory.path().join("log");
        let requested = || fs::read_to_string(&log).map_or(0, |log| log.lines().count());
        let come = until(Duration::from_secs(60), || requested() >= requests);
        assert!(come, "{} requests, and not {requests}", requested());
    }

    /// Stops it; what it was asked, in order.
    pub fn stop(self) -> Vec<Seen> {
        self.program.signal(Signal::INT);
        self.program.wait().expect(0);
        Seen::of_log(&self.directory.path().join("log"))
    }
}

fn seen(line: &Value) -> Seen {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let number = |name: &str| line[name].as_u64().unwrap_or_default();
    let header = |pair: &Value| (text(&pair[0]), text(&pair[1]));
    Seen {
        method: text(&line["method"]),
        target: text(&line["target"]),
        headers: line["headers"].as_array().into_iter().flatten().map(header).collect(),
        body: text(&line["body"]),
        status: number("status"),
        connection: number("connection"),
        at: number("time_us"),
    }
}
