//! How a job is ended before its time.

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
