//! Each destination of results fails separately: the others receive their results, the report is printed, and the exit
//! code says that something is missing.

use std::fs;

use brunt_test_program::{Ended, scratch};

use crate::scripted::{URL, answering};

/// A run of some intervals, and words for its results.
fn run(results: &[&str]) -> Ended {
    let (machine, _) = answering("200");
    let run = ["http", "-c", "2", "-q", "50", "-z", "2s", "--quiet", "--details", "--interval"];
    machine.run(&[&run[..], &["100ms", URL], results].concat())
}

#[test]
fn record_write_error_leaves_the_other_outputs_complete() {
    let directory = scratch();
    let paths = ["run.hgrm", "run.hlog"].map(|name| directory.path().join(name));
    let [hgrm, hlog] = paths.each_ref().map(|path| path.to_str().expect("a plain path"));
    let ended = run(&["--record", "/dev/full", "--hgrm", hgrm, "--hlog", hlog]).expect(1);
    assert!(ended.stdout.contains("Outcomes"), "{ended}");
    assert!(ended.output().contains("error: failed to write the record /dev/full"), "{ended}");
    assert!(!ended.stderr.contains("record: /dev/full"), "{ended}");
    assert!(fs::read_to_string(hgrm).expect("a distribution").contains("#[Mean"), "{ended}");
    assert!(fs::read_to_string(hlog).expect("a log").lines().count() > 10, "{ended}");
}

#[test]
fn output_paths_that_collide_are_refused() {
    let directory = scratch();
    let path = directory.path().join("run");
    let file = path.to_str().expect("a plain path");
    for other in ["--hgrm", "--hlog", "--events"] {
        let ended = run(&["--record", file, other, file]).expect(1);
        assert!(ended.output().contains("--record names the same file"), "{ended}");
        assert!(!path.exists(), "{ended}");
    }
}
