//! [`RestTarget`]: the identity API in memory, and [`Seen`]: a request as it logged it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brunt_testbed::until;
use serde_json::Value;

use crate::{Target, brunt};

/// An identity API in memory that logs what it is asked.
pub struct RestTarget {
    target: Target,
    log: PathBuf,
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
        let trial = brunt("target rest --listen 127.0.0.1:0 --script");
        let file = trial.file("script.toml", script);
        let log = file.with_file_name("log");
        let target = Target::of(trial.arg(file).arg("--log").arg(&log));
        Self { base: target.url(""), target, log }
    }

    /// Waits until it was asked so many times.
    pub fn wait_for(&self, requests: usize) {
        let requested = || fs::read_to_string(&self.log).map_or(0, |log| log.lines().count());
        let come = until(Duration::from_secs(60), || requested() >= requests);
        assert!(come, "{} requests, and not {requests}", requested());
    }

    /// Stops it; what it was asked, in order.
    pub fn stop(self) -> Vec<Seen> {
        let _files = self.target.account();
        Seen::of_log(&self.log)
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
