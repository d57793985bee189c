//! Runs that receive their start time on standard input (`--start-at -`): they report when they are ready, send nothing
//! before their time, and nothing at all if the process that should send the time ends.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use brunt_exchange::{Clock as _, Moment, Monotonic};
use brunt_record::Record;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use brunt_test_program::{Targets, binary, command, scratch};

/// A program that waits for its start time.
struct Waiting {
    child: Child,
    input: Option<ChildStdin>,
    events: BufReader<ChildStdout>,
    record: PathBuf,
}

impl Waiting {
    fn start(line: &[String], record: &Path) -> Self {
        let mut brunt: Command = command(binary());
        let after_subcommand = if line[0] == "names" { 2 } else { 1 };
        brunt.args(&line[..after_subcommand]);
        brunt.args(["--start-at", "-", "--events", "-", "--record"]).arg(record);
        brunt.args(&line[after_subcommand..]);
        brunt.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = brunt.spawn().expect("brunt starts");
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let events = BufReader::new(output.expect("it is piped"));
        Self { child, input, events, record: record.to_owned() }
    }

    /// The next line of its events. The original tools print tables to standard output as well.
    fn event(&mut self) -> Value {
        let mut line = String::new();
        while !line.starts_with('{') {
            line.clear();
            let read = self.events.read_line(&mut line).expect("its events can be read");
            assert!(read > 0, "its events end");
        }
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// What it says of being ready; its head comes first.
    fn ready(&mut self) -> Value {
        assert_eq!(self.event()["type"], "head");
        self.event()
    }

    fn report(&mut self, line: &str) {
        let input = self.input.as_mut().expect("nobody closed it");
        input.write_all(line.as_bytes()).expect("it reads");
    }

    /// Waits for its end: its code, what it said, and its record.
    fn end(mut self) -> (Option<i32>, String, Record) {
        let mut rest = String::new();
        while self.events.read_line(&mut rest).expect("its events can be read") > 0 {}
        let ended = self.child.wait_with_output().expect("it ends");
        let message = String::from_utf8_lossy(&ended.stderr).into_owned();
        let record =
            Record::read(&self.record).unwrap_or_else(|error| panic!("{error}: {message}"));
        (ended.status.code(), message, record)
    }
}

/// A command for every protocol. Two relays cannot have one address.
fn commands(
    targets: &Targets,
    directory: &Path,
    address: &str,
) -> Vec<(&'static str, Vec<String>)> {
    let mut commands = targets.commands(directory);
    for (_, line) in &mut commands {
        if let Some(at) = line.iter().position(|word| word == "-l") {
            address.clone_into(&mut line[at + 1]);
        }
    }
    commands
}

#[test]
fn start_at_stdin_reports_ready_and_begins_on_time() {
    let directory = scratch();
    let targets = Targets::start();
    let all = commands(&targets, directory.path(), "127.9.1.2").into_iter().map(|(name, line)| {
        let record = directory.path().join(format!("{name}.json"));
        (name, Waiting::start(&line, &record))
    });
    let mut all: Vec<_> = all.collect();
    for (name, waiting) in &mut all {
        let ready = waiting.ready();
        assert_eq!(
            (&ready["type"], &ready["seq"]),
            (&"ready".into(), &1.into()),
            "{name}: {ready}"
        );
        let sessions = ready["sessions"].as_u64().unwrap_or_default();
        assert!(sessions > 0 && ready["ready"] == sessions, "{name}: {ready}");
        assert_eq!(ready["unready"], Value::Array(Vec::new()), "{name}");
    }
    // Far enough ahead that every program reads it before.
    let (clock, ahead) = (Monotonic::new(), Duration::from_secs(5));
    let at = jiff::Timestamp::now() + ahead;
    for (_, waiting) in &mut all {
        waiting.report(&format!("{at}\n"));
    }
    for (name, mut waiting) in all {
        assert_eq!(waiting.event()["type"], "interval", "{name}");
        assert!(clock.now() >= Moment::ZERO + ahead, "{name}");
        let (code, message, record) = waiting.end();
        assert_eq!((code, record.counts.ok), (Some(0), 100), "{name}: {message}");
    }
}

#[test]
fn start_at_stdin_closed_sends_nothing() {
    let directory = scratch();
    let targets = Targets::start();
    let record = directory.path().join("record.json");
    for (name, line) in commands(&targets, directory.path(), "127.9.1.1") {
        let mut left = Waiting::start(&line, &record);
        left.ready();
        left.input = None;
        let (code, message, ended) = left.end();
        assert_eq!((code, ended.counts.planned), (Some(1), 0), "{name}: {message}");
        assert_eq!(ended.conservation.counts.planned, 0, "{name}");
        assert!(message.contains("standard input ended before"), "{name}: {message}");
    }
    let (_, line) = targets.commands(directory.path()).swap_remove(0);
    for (word, culprit) in [("2020-01-01T00:00:00Z\n", "in the past"), ("now\n", "names no time")] {
        let mut late = Waiting::start(&line, &record);
        late.report(word);
        let (code, message, ended) = late.end();
        assert_eq!((code, ended.conservation.counts.planned), (Some(1), 0), "{message}");
        assert!(message.contains(culprit), "{message}");
    }
    let mut interrupted = Waiting::start(&line, &record);
    interrupted.ready();
    let pid = Pid::from_child(&interrupted.child);
    kill_process(pid, Signal::INT).expect("it waits");
    let (code, message, ended) = interrupted.end();
    assert_eq!((code, ended.conservation.counts.planned), (Some(130), 0), "{message}");
}

#[test]
fn start_at_stdin_reports_failed_connections_before_the_start() {
    let directory = scratch();
    // Nothing listens there: the port was given back.
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = free.local_addr().expect("it is bound").port();
    drop(free);
    let line = format!("http -c 3 -n 10 --quiet http://127.0.0.1:{port}/");
    let line: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let mut waiting = Waiting::start(&line, &directory.path().join("record.json"));
    let ready = waiting.ready();
    assert_eq!((&ready["sessions"], &ready["ready"]), (&3.into(), &0.into()), "{ready}");
    assert_eq!(
        (&ready["unready"][0]["class"], &ready["unready"][0]["count"]),
        (&"connect".into(), &3.into())
    );
    waiting.input = None;
    assert_eq!(waiting.end().0, Some(1));
}
