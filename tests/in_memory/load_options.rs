//! The options that all loads have in common, in tools that got them from the others: they have the effect that they
//! have there.

use std::fs;
use std::net::TcpListener;
use std::time::Duration;

use brunt_record::{Collection, Record};
use brunt_test_program::scratch;

use crate::machine::{Machine, run};
use crate::scripted::{URL, answering};

/// Runs `brunt http` against a server of its own.
fn http(line: &[&str]) -> Record {
    answering("200").0.measure(&[&["http"], line, &[URL]].concat()).record()
}

#[test]
fn stages_and_rate_file_set_the_planned_requests() {
    let planned = |line: &[&str]| http(line).conservation.counts.planned;
    assert_eq!(planned(&["--stages", "100/s for 1s, 50/s for 1s"]), 150);
    let directory = scratch();
    let path = directory.path().join("rates.txt");
    fs::write(&path, "format=rate-and-duration\nEND HEADER\n60, 1s\n1.5x, 1s\n").unwrap();
    let file = ["--rate-file", path.to_str().unwrap(), "--rate", "40", "--backlog", "1000"];
    assert_eq!(planned(&file), 60 + 60);
}

#[test]
fn think_pauses_each_user() {
    // Each of two users is answered after a millisecond, and then pauses for half a second.
    let record = http(&["--think", "500ms", "-c", "2", "-z", "2s"]);
    assert_eq!((record.counts.sent, record.counts.ok), (8, 8));
}

#[test]
fn drain_is_announced_when_nothing_answers() {
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", mute.local_addr().unwrap());
    // A terminal is told by the machine's clock.
    let line = ["http", "-c", "4", "-z", "1s", "--drain", "3s", &url];
    let ended = Machine::real().run(&line).expect(1);
    assert!(ended.output().contains("the time is over; waiting up to"), "{ended}");
}

/// It would last minutes.
#[test]
fn abort_on_ends_a_comparison_of_stores() {
    let directory = scratch();
    let path = directory.path().join("record.json");
    let line = "leases memfile --durability async --phases create,search --rate 100 -d 5m --drain 10s --quiet";
    let condition = ["--abort-on", "count>0 for 1s", "--directory"];
    let words: Vec<&str> = line.split_whitespace().chain(condition).collect();
    let place = directory.path().to_str().unwrap();
    let files = [place, "--record", path.to_str().unwrap()];
    let machine = Machine::new(7);
    machine.time().calls_take(Duration::from_micros(200));
    let ended = machine.run(&[&words[..], &files].concat()).expect(10);
    let collection = Collection::read(&path).unwrap_or_else(|error| panic!("{error}\n{ended}"));
    assert_eq!(collection.cells.len(), 1, "{ended}");
}

#[test]
fn no_pin_is_refused_where_threads_are_not_pinned() {
    for words in [["leases", "--no-pin"].as_slice(), &["names", "lookup", "--no-pin"]] {
        let ended = run(words).expect(2);
        assert!(ended.stderr.contains("these are not pinned"), "{ended}");
    }
}
