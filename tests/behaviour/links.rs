//! The original names: a link to the binary acts as the tool it is named after. What it says and does is seen in the
//! process of the tests (`tests/in_memory`).

use std::os::unix::fs::symlink;
use std::process::Command;

use brunt_record::{Record, RunOutcome, Status};
use brunt_testbed::BASE_DN;

use brunt_test_program::{Trial, at, binary, scratch, slapd};

/// Scripts read both streams together, and cron mails what a job writes.
#[test]
fn link_in_a_script_prints_only_what_needs_attention() {
    let Some(slapd) = slapd(20) else { return };
    let directory = scratch();
    let (link, path) = (directory.path().join("searchrate"), directory.path().join("record.json"));
    symlink(binary(), &link).unwrap();
    let search = |more: &[&str]| {
        let linked = Trial::new(Command::new(&link)).args(at(slapd.port())).typed("-m 7 --record");
        let linked = linked.arg(&path).args(more).args(["-b", BASE_DN, "(uid=user.1)"]);
        let ended = linked.run();
        let record = Record::read(&path).unwrap();
        (ended, record.outcome(), record.verdict.status)
    };
    let (ended, outcome, status) = search(&[]);
    assert_eq!((ended.code(), ended.rows().len()), (0, 1), "{ended}");
    if (outcome, status) == (RunOutcome::Measured, Status::Valid) {
        assert_eq!(ended.stderr, "");
    } else {
        assert!(ended.stderr.starts_with(&outcome.words().to_uppercase()), "{ended}");
        assert_eq!(ended.stderr.lines().count(), 1, "{ended}");
    }
    // No search ends within a microsecond, whatever else is wrong with a run.
    let (ended, outcome, _) = search(&["--slo", "p50<1us"]);
    assert_eq!((ended.code(), ended.stderr.lines().count()), (99, 1), "{ended}");
    assert!(ended.stderr.starts_with(&outcome.words().to_uppercase()), "{ended}");
    let (ended, ..) = search(&["--summary"]);
    assert!(ended.stderr.contains("record: ") && ended.stderr.contains("next  "), "{ended}");
    // What could not be written is never held back.
    let (ended, ..) = search(&["--hgrm", "/nowhere/file"]);
    assert!(ended.code() != 0 && ended.stderr.contains("/nowhere/file"), "{ended}");
}
