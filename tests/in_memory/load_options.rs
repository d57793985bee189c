//! The options that all loads have in common, in `brunt http`: they have the effect that they have elsewhere.

use std::fs;

use brunt_record::Record;
use brunt_test_program::scratch;

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
