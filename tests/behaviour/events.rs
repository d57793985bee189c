//! `--events` of a killed run gives a record up to that moment. That a complete file gives the record that the run
//! wrote is seen in the process of the tests (`tests/in_memory`).

use std::fs;
use std::path::Path;
use std::time::Duration;

use brunt_testbed::until;
use rustix::process::Signal;
use serde_json::Value;

use brunt_test_program::{Ended, Target, brunt, scratch};

fn report(path: &Path) -> Ended {
    brunt("report --format json").arg(path).run().expect(0)
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
    let [record, events] = ["run.json", "run.ndjson"].map(|name| directory.path().join(name));
    let run = brunt("http -c 2 -q 100 -z 60s --quiet").arg(target.url("/sleep?ms=1"));
    let run = run.arg("--record").arg(&record).arg("--events").arg(&events).start();
    let steps = || {
        let text = fs::read_to_string(&events).unwrap_or_default();
        text.lines().filter(|line| line.contains(r#""interval""#)).count()
    };
    assert!(until(Duration::from_secs(60), || steps() >= 3), "{} steps", steps());
    run.signal(Signal::KILL);
    drop(run);
    assert!(!record.exists(), "a record is there whole or not at all");
    let reported = report(&events);
    let found = json(&reported.stdout);
    let reasons = found["verdict"]["reasons"].as_array().expect("reasons");
    assert!(reasons.iter().any(|reason| reason["status"] == "partial"), "{found}");
    let lines = fs::read_to_string(&events).expect("events");
    let whole = lines.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(json);
    let measured: u64 = whole.map(|line| succeeded(&line)).sum();
    assert!(measured > 0, "{found}");
    assert_eq!(found["counts"]["ok"].as_u64(), Some(measured), "{found}");
}

#[test]
fn events_of_a_killed_comparison_hold_finished_runs() {
    let directory = scratch();
    let [record, events] = ["json", "ndjson"].map(|kind| directory.path().join(kind));
    let run = brunt("leases sqlite memfile --durability async --quiet -n 10m --duration 2s");
    let run = run.typed("--interval 200ms --directory").arg(directory.path());
    let run = run.arg("--record").arg(&record).arg("--events").arg(&events).start();
    // Somewhere in a run that is not the first: it is stopped there, before it is looked at again and killed.
    let there = || {
        let text = fs::read_to_string(&events).unwrap_or_default();
        let runs: Vec<&str> = text.split(r#""type":"cell","#).skip(1).collect();
        let is_under_way = |run: &&str| {
            run.matches(r#""type":"interval""#).count() >= 2
                && !run.contains(r#""type":"cell_end""#)
        };
        runs.len() > 1 && runs.last().is_some_and(is_under_way)
    };
    let stopped = until(Duration::from_secs(60), || {
        if !there() {
            return false;
        }
        run.signal(Signal::STOP);
        let is_there = there();
        if !is_there {
            run.signal(Signal::CONT);
        }
        is_there
    });
    assert!(stopped, "{}", events.display());
    run.signal(Signal::KILL);
    drop(run);
    assert!(!record.exists());
    let found = json(&report(&events).stdout);
    let cells = found["cells"].as_array().expect("cells");
    let (last, finished) = cells.split_last().expect("cells");
    assert!(!finished.is_empty(), "{}", found["facts"]);
    assert!(
        found["facts"]["not complete"].as_str().is_some_and(|output| output.contains("killed"))
    );
    assert!(finished.iter().all(|cell| cell["figures"]["invalid"].is_null()), "{finished:?}");
    assert_eq!(last["figures"]["invalid"], 1.0);
    let reasons = last["record"]["verdict"]["reasons"].as_array().expect("reasons");
    assert!(reasons.iter().any(|reason| reason["status"] == "partial"), "{reasons:?}");
    let text = brunt("report").arg(&events).run().expect(0);
    let doubt = format!("of {} figures are in doubt", cells.len());
    assert!(text.stdout.contains(&doubt), "{text}");
}
