//! Where the files of a job are found, and the name that the program is called by.

use std::os::unix::fs::symlink;

use brunt_test_program::{Ended, Files, Program, binary, command, scratch};
use serde_json::json;

fn list(files: &Files, words: &[&str], directory: &str) -> Ended {
    let job = files.write("x", "").with_file_name("jobs/job.json");
    let mut brunt = command(binary());
    brunt.args(words).arg(job).arg("--check").current_dir(directory);
    Program::start(&mut brunt).wait()
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

/// A link of that name to the program is the command.
#[test]
fn loadgen_link_is_the_command() {
    let directory = scratch();
    let link = directory.path().join("loadgen");
    symlink(binary(), &link).unwrap();
    let ended = Program::start(command(&link).arg("-h")).wait().expect(0);
    assert!(ended.stdout.contains("--compat"), "{ended}");
    let ended = Program::start(command(&link).args(["-c", "nowhere.json"])).wait().expect(2);
    assert!(ended.stderr.starts_with("failed to read nowhere.json"), "{ended}");
    let ended = Program::start(command(&link).arg("--conpat")).wait().expect(2);
    assert!(ended.stderr.contains("--compat"), "{ended}");
}
