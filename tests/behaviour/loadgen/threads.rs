//! Threads: when they begin, the connections they keep, and how a job is ended before its time.

use rustix::process::Signal;
use serde_json::json;

use brunt_test_program::{Files, Report, RestTarget};

#[test]
fn loadgen_interrupted_job_is_reported() {
    let target = RestTarget::start();
    let files = Files::new();
    files.ask("nap", "/sleep?ms=20");
    files.workload("napping", &[("nap", 5000)]);
    files.job(&target.base, 2, &[("napping", 100_000)], &json!({}));
    let mut brunt = files.start(&[]);
    brunt.wait_for_lines(1);
    assert!(brunt.printed().starts_with("Job Started with 2 threads on "));
    // Each thread is between two requests or waits for the answer to one.
    target.wait_for(14);
    brunt.signal(Signal::INT);
    let ended = brunt.wait().expect(130);
    let report = Report::read(&ended.stdout);
    let [passed, exceeded, failed] = report.row("nap").counts();
    assert!(passed > 10 && exceeded + failed <= 2, "{ended}");
    assert!(ended.stdout.contains(" with 200000 loops, of which "), "{ended}");
    let answered = target.stop().iter().filter(|seen| seen.status == 200).count() as u64;
    assert!((passed..=passed + 2).contains(&answered), "{answered}: {ended}");
}

#[test]
fn loadgen_progress_is_absent_from_a_pipe() {
    let target = RestTarget::start();
    let files = Files::new();
    files.ask("look", "/echo/look");
    files.workload("looking", &[("look", 5000)]);
    files.job(&target.base, 1, &[("looking", 1)], &json!({}));
    let ended = files.perform(&[]).expect(0);
    assert!(!ended.stdout.contains('\r') && !ended.stderr.contains("Processing"), "{ended}");
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert!(lines[0].starts_with("Job Started with 1 threads on ") && lines[0].ends_with('.'));
    assert_eq!(lines[1], ". Stopped and completed.");
    let opened = lines[0].trim_end_matches('.');
    assert!(lines[2].starts_with(&format!("{opened}...and completed ")), "{ended}");
    assert!(lines[2].contains("...and completed ") && lines[2].ends_with(" seconds."), "{ended}");
    // `Fri Jun 26 17:33:06 UTC 2015`
    let date = &lines[0]["Job Started with 1 threads on ".len()..];
    let words: Vec<&str> = date.trim_end_matches('.').split(' ').collect();
    assert_eq!((words.len(), words[4], words[3].len()), (6, "UTC", 8), "{date}");
    target.stop();
}
