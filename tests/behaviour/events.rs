//! `--events` of a killed run gives a record up to that moment. That a complete file gives the record that the run
//! wrote is seen in the process of the tests (`tests/in_memory`).

use std::fs;
use std::path::Path;
use std::time::Duration;

use brunt_testbed::until;
use rustix::process::Signal;
use serde_json::Value;

use brunt_test_program::{Ended, Program, Target, binary, command, scratch};

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
fn events_of_a_killed_comparison_hold_finished_runs() {
    let directory = scratch();
    let [record, events] = ["json", "ndjson"].map(|kind| directory.path().join(kind));
    let mut brunt = command(binary());
    let stores = ["leases", "sqlite", "memfile", "--durability", "async", "--quiet"];
    brunt.args(stores).args(["-n", "10m", "--duration", "2s", "--interval", "200ms"]);
    brunt.arg("--directory").arg(directory.path());
    let run = Program::start(brunt.arg("--record").arg(&record).arg("--events").arg(&events));
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
