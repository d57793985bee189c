//! `--events` of every command that makes load: a complete file gives the record that the run wrote. What is left of a
//! killed run is seen in processes (`tests/behaviour`).

use std::fs;
use std::path::Path;
use std::time::Duration;

use brunt_test_program::scratch;
use serde_json::Value;

use crate::machine::{Machine, run};
use crate::scripted::{URL, answering};
use crate::targets::{Targets, with};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn read(path: &Path) -> Value {
    json(&fs::read_to_string(path).expect("it was written"))
}

/// How many exchanges succeeded by a line of events; none by one that is no interval.
fn succeeded(line: &Value) -> u64 {
    let operations = line["operations"].as_array().map_or(&[][..], Vec::as_slice);
    operations.iter().filter_map(|one| one["counts"]["ok"].as_u64()).sum()
}

#[test]
fn events_reproduce_the_record_of_the_run() {
    let (directory, targets) = (scratch(), Targets::start());
    for (name, line) in targets.commands(directory.path()) {
        let paths = ["json", "ndjson"].map(|kind| directory.path().join(name).with_extension(kind));
        let [record, events] = paths.each_ref().map(|path| path.to_str().expect("a plain path"));
        let ended = with(&line, &["--record", record, "--events", events]);
        let reported = run(&["report", events, "--format", "json"]).expect(0);
        let written = read(&paths[0]);
        assert_eq!(json(&reported.stdout), written, "{name}");
        assert_eq!(written["counts"]["ok"], 100, "{name}: {ended}");
        assert_eq!(written["command"][0].as_str(), line.first().map(String::as_str), "{name}");
    }
}

#[test]
fn events_go_to_stdout_and_a_wrong_path_stops_the_run() {
    let (machine, target) = answering("200");
    let line = ["http", "-c", "1", "-n", "20", "--quiet", URL, "--events"];
    let ended = machine.run(&[&line[..], &["-"]].concat()).expect(0);
    let first = ended.stdout.lines().next().unwrap_or_default();
    assert_eq!(json(first)["schema"].as_str(), Some("brunt-events/1"), "{first}");
    let refused = machine.run(&[&line[..], &["/nowhere/x"]].concat()).expect(1);
    let output = refused.output();
    assert!(output.contains("--events /nowhere/x") && output.contains("another file"), "{refused}");
    assert_eq!(target.requested(), 20, "the second sent nothing");
}

/// Two stores in memory and on the disk, in four short phases each.
#[test]
fn events_reproduce_the_collection_of_a_comparison() {
    let directory = scratch();
    let paths = ["leases.json", "leases.ndjson"].map(|name| directory.path().join(name));
    let [record, events] = paths.each_ref().map(|path| path.to_str().expect("a plain path"));
    let line = ["leases", "sqlite", "memfile", "--durability", "async", "--quiet", "--seed", "7"];
    let place = ["--interval", "50ms", "--directory", directory.path().to_str().expect("plain")];
    let files = ["-n", "2000", "--record", record, "--events", events];
    let machine = Machine::new(7);
    machine.time().calls_take(Duration::from_micros(200));
    let ended = machine.run(&[&line[..], &place, &files].concat()).expect(0);
    let written = read(&paths[0]);
    assert_eq!(json(&run(&["report", events, "--format", "json"]).expect(0).stdout), written);
    // As text it is the report that the comparison printed.
    assert_eq!(run(&["report", events]).expect(0).stdout, ended.stdout);
    // The lines of each run count what its cell says.
    let lines = fs::read_to_string(&paths[1]).expect("events");
    let mut counted: Vec<u64> = Vec::new();
    for line in lines.lines().map(json) {
        match line["type"].as_str() {
            Some("cell") => counted.push(0),
            Some("interval") => *counted.last_mut().expect("a cell") += succeeded(&line),
            _ => {}
        }
    }
    assert_eq!(counted, [2_000; 8], "two stores in four phases");
    let cells = written["cells"].as_array().expect("cells").iter();
    let counts: Vec<Option<u64>> =
        cells.map(|cell| cell["record"]["conservation"]["counts"]["ok"].as_u64()).collect();
    assert_eq!(counts, [Some(2_000); 8]);
}
