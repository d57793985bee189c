//! `--events` of every command that makes load: a complete file gives the record the run wrote, and one of a killed run
//! gives a record up to that moment.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brunt_testbed::until;
use rustix::process::Signal;
use serde_json::Value;

use brunt_test_program::{Ended, Program, Target, Targets, binary, command, scratch};

fn report(path: &Path) -> Ended {
    Program::start(command(binary()).arg("report").arg(path).args(["--format", "json"])).wait()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// How many exchanges succeeded by a line of events; none by one that is no interval.
fn succeeded(line: &Value) -> u64 {
    let operations = line["operations"].as_array().map_or(&[][..], Vec::as_slice);
    operations.iter().filter_map(|one| one["counts"]["ok"].as_u64()).sum()
}

#[test]
fn events_reproduce_the_record_of_the_run() {
    let directory = scratch();
    let targets = Targets::start();
    for (name, line) in targets.commands(directory.path()) {
        let [record, events] =
            ["json", "ndjson"].map(|kind| directory.path().join(name).with_extension(kind));
        let mut brunt = command(binary());
        brunt.args(&line).arg("--record").arg(&record).arg("--events").arg(&events);
        let ended = Program::start(&mut brunt).wait();
        assert!(record.exists(), "{name}: {ended}");
        let reported = report(&events).expect(0);
        let written = json(&fs::read_to_string(&record).expect("a record"));
        assert_eq!(json(&reported.stdout), written, "{name}");
        assert!(written["counts"]["ok"].as_u64() > Some(10), "{name}: {ended}");
        assert_eq!(written["command"][0].as_str(), line.first().map(String::as_str), "{name}");
    }
    targets.stop();
}

#[test]
fn events_of_a_killed_run_hold_what_was_measured() {
    let directory = scratch();
    let target = Target::start("rest");
    let address = target.address();
    let [record, events] = ["run.json", "run.ndjson"].map(|name| directory.path().join(name));
    let mut brunt = command(binary());
    brunt
        .args(["http", "-c", "2", "-q", "100", "-z", "60s", "--quiet"])
        .arg(format!("http://{address}/sleep?ms=1"));
    let run = Program::start(brunt.arg("--record").arg(&record).arg("--events").arg(&events));
    let steps = || {
        let text = fs::read_to_string(&events).unwrap_or_default();
        text.lines().filter(|line| line.contains(r#""interval""#)).count()
    };
    assert!(until(Duration::from_secs(60), || steps() >= 3), "{} steps", steps());
    run.signal(Signal::KILL);
    drop(run);
    assert!(!record.exists(), "a record is there whole or not at all");
    let reported = report(&events).expect(0);
    let found = json(&reported.stdout);
    let reasons = found["verdict"]["reasons"].as_array().expect("reasons");
    assert!(reasons.iter().any(|reason| reason["status"] == "partial"), "{found}");
    let lines = fs::read_to_string(&events).expect("events");
    let whole = lines.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(json);
    let measured: u64 = whole.map(|line| succeeded(&line)).sum();
    assert!(measured > 0, "{found}");
    assert_eq!(found["counts"]["ok"].as_u64(), Some(measured), "{found}");
    target.stop();
}

#[test]
fn events_go_to_stdout_and_a_wrong_path_stops_the_run() {
    let target = Target::start("rest");
    let address = target.address();
    let url = format!("http://{address}/sleep?ms=1");
    let line = ["http", "-c", "1", "-n", "20", "--quiet", &url, "--events"];
    let ended = Program::start(command(binary()).args(line).arg("-")).wait().expect(0);
    let first = ended.stdout.lines().next().unwrap_or_default();
    assert_eq!(json(first)["schema"].as_str(), Some("brunt-events/1"), "{first}");
    let refused = Program::start(command(binary()).args(line).arg("/nowhere/x")).wait().expect(1);
    let output = refused.output();
    assert!(output.contains("--events /nowhere/x") && output.contains("another file"), "{refused}");
    target.stop();
}

/// A comparison of two stores in memory and on the disk, of short phases.
fn leases(directory: &Path, duration: &str) -> (std::process::Command, [PathBuf; 2]) {
    let files = ["leases.json", "leases.ndjson"].map(|name| directory.join(name));
    let mut brunt = command(binary());
    brunt.args(["leases", "sqlite", "memfile", "--durability", "async", "--quiet", "--seed", "7"]);
    brunt
        .args(["-n", "10m", "--duration", duration, "--interval", "200ms", "--directory"])
        .arg(directory);
    brunt.arg("--record").arg(&files[0]).arg("--events").arg(&files[1]);
    (brunt, files)
}

#[test]
fn events_reproduce_the_collection_of_a_comparison() {
    let directory = scratch();
    let (mut brunt, [record, events]) = leases(directory.path(), "400ms");
    let ended = Program::start(&mut brunt).wait().expect(0);
    let written = json(&fs::read_to_string(&record).expect("a record"));
    let reported = report(&events).expect(0);
    assert_eq!(json(&reported.stdout), written, "{ended}");
    assert_eq!(written["cells"].as_array().map(Vec::len), Some(8), "two stores in four phases");
    // As text it is the report that the comparison printed.
    let text = Program::start(command(binary()).arg("report").arg(&events)).wait().expect(0);
    assert_eq!(text.stdout, ended.stdout);
    // The lines of each run count what its cell says.
    let lines = fs::read_to_string(&events).expect("events");
    let mut counted: Vec<u64> = Vec::new();
    for line in lines.lines().map(json) {
        match line["type"].as_str() {
            Some("cell") => counted.push(0),
            Some("interval") => *counted.last_mut().expect("a cell") += succeeded(&line),
            _ => {}
        }
    }
    let cells = written["cells"].as_array().expect("cells");
    let expected: Vec<Option<u64>> =
        cells.iter().map(|cell| cell["record"]["conservation"]["counts"]["ok"].as_u64()).collect();
    assert_eq!(counted.into_iter().map(Some).collect::<Vec<_>>(), expected);
}

#[test]
fn events_of_a_killed_comparison_hold_finished_runs() {
    let directory = scratch();
    let (mut brunt, [record, events]) = leases(directory.path(), "2s");
    let run = Program::start(&mut brunt);
    // Somewhere in the second run.
    let there = || {
        let text = fs::read_to_string(&events).unwrap_or_default();
        let runs: Vec<&str> = text.split(r#""type":"cell","#).skip(1).collect();
        runs.len() == 2 && runs[1].matches(r#""type":"interval""#).count() >= 2
    };
    assert!(until(Duration::from_secs(60), there), "{}", events.display());
    run.signal(Signal::KILL);
    drop(run);
    assert!(!record.exists());
    let found = json(&report(&events).expect(0).stdout);
    let cells = found["cells"].as_array().expect("cells");
    assert_eq!(cells.len(), 2, "{}", found["facts"]);
    assert!(
        found["facts"]["not complete"].as_str().is_some_and(|output| output.contains("killed"))
    );
    assert_eq!(cells[0]["figures"]["invalid"], Value::Null);
    assert_eq!(cells[1]["figures"]["invalid"], 1.0);
    let reasons = cells[1]["record"]["verdict"]["reasons"].as_array().expect("reasons");
    assert!(reasons.iter().any(|reason| reason["status"] == "partial"), "{reasons:?}");
    let text = Program::start(command(binary()).arg("report").arg(&events)).wait().expect(0);
    assert!(text.stdout.contains("of 2 figures are in doubt"), "{text}");
}
