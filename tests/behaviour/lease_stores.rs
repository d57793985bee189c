//! `brunt leases` that a signal ends, or whose store breaks: what it counted, and what is left in its files. What it
//! does otherwise is seen in the process of the tests (`tests/in_memory`).

use std::fs;
use std::path::Path;
use std::time::Duration;

use brunt_record::{Collection, Status};
use brunt_testbed::until;
use rusqlite::Connection;
use rustix::process::Signal;
use serde_json::Value;

use brunt_test_program::{brunt, scratch};

/// How many operations had this outcome in the intervals that were written.
fn counted(events: &Path, outcome: &str) -> u64 {
    let text = fs::read_to_string(events).unwrap_or_default();
    // What follows the last line break is half of a line.
    let lines = text.rsplit_once('\n').map_or("", |(whole, _)| whole).lines();
    let lines = lines.map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON"));
    let intervals = lines.filter(|line| line["type"] == "interval");
    let operations = intervals.filter_map(|line| line["operations"].as_array().cloned());
    operations.flatten().filter_map(|operation| operation["counts"][outcome].as_u64()).sum()
}

#[test]
fn leases_signal_ends_cleanly_and_leaves_no_files() {
    for (signal, name, code) in [(Signal::INT, "SIGINT", 130), (Signal::TERM, "SIGTERM", 143)] {
        let directory = scratch();
        let elsewhere = scratch();
        let events = elsewhere.path().join("events");
        let line = "leases sqlite memfile -d 60s --directory . --record r.json --interval 100ms";
        let run = brunt(line).within(directory.path()).arg("--events").arg(&events);
        let program = run.start();
        let measured = || counted(&events, "ok") > 0;
        assert!(until(Duration::from_secs(90), measured), "nothing was measured");
        program.signal(signal);
        let ended = program.wait().expect(code);
        let collection = Collection::read(&directory.path().join("r.json")).unwrap();
        assert!(ended.stdout.contains(&format!("ended by {name}")), "{ended}");
        let record = collection.cells.last().unwrap().record.as_deref().unwrap();
        assert!(record.verdict.status >= Status::Partial && record.counts.ok > 0, "{ended}");
        let left: Vec<_> =
            fs::read_dir(directory.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["r.json"], "{ended}");
    }
}

#[test]
fn leases_signal_before_measuring_leaves_no_files() {
    let directory = scratch();
    // The directory is made before its disk is measured. After that come leases that take minutes to write.
    let run = brunt("leases -d 60s --preload 200m --directory . --record r.json");
    let program = run.within(directory.path()).start();
    let made =
        || fs::read_dir(directory.path()).unwrap().any(|entry| entry.unwrap().path().is_dir());
    assert!(until(Duration::from_secs(90), made), "no directory was made");
    program.signal(Signal::INT);
    let ended = program.wait().expect(130);
    assert_eq!(ended.stdout, "", "{ended}");
    assert!(ended.stderr.contains("before anything was measured"), "{ended}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0, "{ended}");
}

#[test]
fn leases_broken_store_is_counted_and_abandoned() {
    let directory = scratch();
    let events = directory.path().join("events");
    let run = brunt("leases sqlite:a.db -d 20s --durability async --phases create --record r.json");
    let run = run.within(directory.path()).typed("--interval 100ms --events").arg(&events);
    let program = run.start();
    let database = directory.path().join("a.db");
    assert!(until(Duration::from_secs(90), || counted(&events, "ok") > 0), "nothing was written");
    // SQLite is deprived of what it needs to continue: another program drops the table.
    let dropped = until(Duration::from_secs(90), || {
        Connection::open(&database)
            .and_then(|other| other.execute_batch("DROP TABLE lease4"))
            .is_ok()
    });
    assert!(dropped, "the table could not be dropped");
    let failed = until(Duration::from_secs(90), || counted(&events, "failed") > 0);
    assert!(failed, "nothing failed without the table");
    program.signal(Signal::INT);
    let ended = program.wait().expect(130);
    let collection = Collection::read(&directory.path().join("r.json")).unwrap();
    let cell = &collection.cells[0];
    let counts = cell.record.as_deref().unwrap().counts;
    assert!(counts.ok > 0 && counts.failed > 0, "{counts:?}\n{ended}");
    assert!(cell.notes.iter().any(|note| note.contains("lease4")), "{:?}\n{ended}", cell.notes);
}
