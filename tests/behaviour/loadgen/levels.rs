//! Where the files of a job are found, from any directory.

use brunt_test_program::{Ended, Files, brunt};
use serde_json::json;

fn list(files: &Files, words: &[&str], directory: &str) -> Ended {
    let job = files.write("x", "").with_file_name("jobs/job.json");
    brunt("").args(words).arg(job).arg("--check").within(directory.as_ref()).run()
}

/// The current directory comes first, then the one above the job's.
#[test]
fn loadgen_finds_files_from_any_directory_and_reports_where() {
    let files = Files::new();
    files.ask("job", "/echo");
    files.workload("one", &[("job", 5000)]);
    files.job("http://127.0.0.1:9", 1, &[("one", 1)], &json!({}));
    let root = files.write("x", "").parent().unwrap().to_str().unwrap().to_owned();
    let ended = list(&files, &["loadgen", "-c"], &root).expect(0);
    assert!(!ended.stderr.contains("are read below"), "{ended}");
    let ended = list(&files, &["loadgen", "--config"], "/").expect(0);
    assert!(
        ended.stderr.contains(&format!("note: the job's files are read below {root}")),
        "{ended}"
    );
}
