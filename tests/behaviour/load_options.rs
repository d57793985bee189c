//! The options that all loads have in common, in tools that got them from the others: they have the effect that they
//! have there.

use std::fs;
use std::net::TcpListener;

use brunt_record::{Collection, Mode, Record};
use brunt_test_program::{run, scratch};

use crate::leases::LeaseTarget;

#[test]
fn users_of_perfdhcp_think() {
    // Each of two users has at most one request at a time, and then a pause of half a second.
    let most = 2 * (2 * 2 + 1);
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
fn drain_is_told_where_nobody_answers() {
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", mute.local_addr().unwrap());
    let ended = run(["http", "-c", "4", "-z", "1s", "--drain", "3s", &url]).expect(1);
    assert!(ended.said().contains("the time is over; waiting up to"), "{ended}");
}

#[test]
fn what_a_tool_cannot_have_is_refused_with_the_reason() {
    for words in [["leases", "--no-pin"].as_slice(), &["names", "lookup", "--no-pin"]] {
        let ended = run(words).expect(2);
        assert!(ended.stderr.contains("these are not pinned"), "{ended}");
    }
}
