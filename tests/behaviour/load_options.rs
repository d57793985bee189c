//! The options that all loads have in common, in tools that got them from the others: they have the effect that they
//! have there.

use std::fs;

use brunt_record::{Collection, Mode, Record};
use brunt_test_program::{Target, run, scratch};

use crate::leases::LeaseTarget;

/// Runs `brunt http` against a server of its own.
fn http(line: &[&str]) -> Record {
    let target = Target::start("rest");
    let (directory, url) = (scratch(), format!("http://{}/sleep?ms=1", target.address()));
    let path = directory.path().join("record.json");
    let words = ["http", "--quiet", "--record", path.to_str().expect("a path"), &url];
    let ended = run(words.iter().chain(line));
    Record::read(&path).unwrap_or_else(|error| panic!("failed to {error}\n{ended}"))
}

#[test]
fn requests_are_due_in_stages_and_by_a_file_of_rates() {
    let planned = |line: &[&str]| http(line).conservation.counts.planned;
    assert_eq!(planned(&["--stages", "100/s for 1s, 50/s for 1s", "--no-pin"]), 150);
    let directory = scratch();
    let path = directory.path().join("rates.txt");
    fs::write(&path, "format=rate-and-duration\nEND HEADER\n60, 1s\n1.5x, 1s\n").unwrap();
    let file = ["--rate-file", path.to_str().unwrap(), "--rate", "40", "--backlog", "1000"];
    assert_eq!(planned(&file), 60 + 60);
}

#[test]
fn users_of_http_and_of_perfdhcp_think() {
    // Each of two users has at most one request at a time, and then a pause of half a second.
    let most = 2 * (2 * 2 + 1);
    let record = http(&["--think", "500ms", "-c", "2", "-z", "2s"]);
    assert!((2..=most).contains(&record.counts.sent), "{:?}", record.counts);
    let (target, directory) = (LeaseTarget::start(), scratch());
    let path = directory.path().join("record.json");
    let line = ["--think", "500ms", "--window", "2", "-R", "10", "-p", "2", "--drain", "10s"];
    let results = ["--percentile", "42.5", "--record", path.to_str().unwrap()];
    let ended = target.measure(&[&line[..], &results].concat());
    let record = Record::read(&path).unwrap_or_else(|error| panic!("failed to {error}\n{ended}"));
    assert_eq!((record.plan.mode, record.plan.sessions), (Mode::Closed, 2), "{ended}");
    assert!((2..=most).contains(&record.counts.sent), "{:?}\n{ended}", record.counts);
    assert!(fs::read_to_string(&path).unwrap().contains("42.5"), "{ended}");
}

#[test]
fn a_condition_ends_a_comparison_of_stores() {
    let directory = scratch();
    let path = directory.path().join("record.json");
    let line = "leases memfile --durability async --phases create,search --rate 100 -d 5m --drain 10s --quiet \
                --abort-on";
    let words = line.split_whitespace().chain(["count>0 for 1s", "--directory"]);
    let place = directory.path().to_str().unwrap();
    let ended = run(words.chain([place, "--record", path.to_str().unwrap()])).expect(10);
    let collection = Collection::read(&path).unwrap_or_else(|error| panic!("{error}\n{ended}"));
    assert_eq!(collection.cells.len(), 1, "{ended}");
}

#[test]
fn what_a_tool_cannot_have_is_refused_with_the_reason() {
    for words in [["leases", "--no-pin"].as_slice(), &["names", "lookup", "--no-pin"]] {
        let ended = run(words).expect(2);
        assert!(ended.stderr.contains("these are not pinned"), "{ended}");
    }
}
