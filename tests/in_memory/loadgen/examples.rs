//! The jobs in `examples/loadgen`, which have every key there is, against the server they are written for.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use brunt_test_program::{Ended, Report, Seen};

use crate::planned::{Files, InMemory as _};
use crate::rest_target::RestTarget;

/// Performs an example, whose server is somewhere else than it says.
fn perform(name: &str) -> (Report, Vec<Seen>, Ended) {
    let target = RestTarget::start();
    let files = Files::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/loadgen");
    for directory in ["jobs", "workloads", "tasks", "values"] {
        for entry in fs::read_dir(root.join(directory)).expect("the examples are there") {
            let path = entry.expect("it can be listed").path();
            let text = fs::read_to_string(&path).expect("it can be read");
            let (host, port) = target.base.rsplit_once(':').expect("it has a port");
            let text = text.replace("http://127.0.0.1", host).replace("8080", port);
            let file = path.file_name().and_then(OsStr::to_str).expect("it has a name");
            let file = if file == format!("{name}.json") { "job.json" } else { file };
            files.write(&format!("{directory}/{file}"), &text);
        }
    }
    let ended = files.run(&[]).expect(0);
    (Report::read(&ended.stdout), target.stop(), ended)
}

#[test]
fn loadgen_examples_all_pass() {
    for (name, threads, transactions) in [
        ("sessions", 4.0, 268.0),
        ("directory", 2.0, 210.0),
        ("values", 2.0, 50.0),
        ("platform", 2.0, 48.0),
    ] {
        let (report, seen, ended) = perform(name);
        report.obeys(threads);
        assert!((report.number("Transaction goal") - transactions).abs() < 0.5, "{ended}");
        assert_eq!(report.figure("Success rate"), "100.00%", "{ended}");
        let refused: Vec<_> = seen.iter().filter(|seen| seen.status >= 400).collect();
        assert!(refused.is_empty(), "{refused:?}");
    }
}
