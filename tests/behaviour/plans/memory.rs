//! The memory of a plan with thousands of steps, and the estimate of `--check`.

use std::fmt::Write as _;
use std::time::Duration;

use brunt_testbed::until;

use brunt_test_program::{Plan, RestTarget};

const STEPS: usize = 2_000;
const MEGABYTES_MAX: u64 = 200;

/// Each step is an operation of its own. With a histogram of 188 KiB for each in every hand they would take 5 GB.
#[test]
fn thousands_of_steps_stay_within_the_memory_estimate() {
    let target = RestTarget::start();
    let mut text = format!(
        "[run]\nusers = 2\niterations = {{ each = 1 }}\n[http]\nbase = \"{}\"\n[[scenario]]\nname = \"all\"\n",
        target.base
    );
    for step in 0..STEPS {
        let _ = write!(
            text,
            "[[scenario.steps]]\nname = \"step {step}\"\nget = \"/oauth2/{step}\"\nstatus = 404\n"
        );
    }
    let plan = Plan::from_text(&text);
    let run = plan.start(&[]);
    let mut most = 0;
    until(Duration::from_secs(60), || {
        let peak = run.peak_memory();
        most = most.max(peak.unwrap_or(0));
        peak.is_none()
    });
    let ended = run.wait();
    let record = ended.record();
    let met = record.operations.iter().filter(|operation| operation.counts.ok > 0).count();
    assert_eq!(met, STEPS);
    let megabytes = most / 1_000_000;
    assert!((20..MEGABYTES_MAX).contains(&megabytes), "{megabytes} MB");
    let checked = plan.start(&["--check"]).wait().expect(0);
    let line = checked.stdout.lines().find(|line| line.starts_with("Memory: about ")).unwrap();
    let output: u64 = line.split_whitespace().nth(2).unwrap().parse().unwrap();
    assert!((megabytes / 2..megabytes * 3).contains(&output), "{megabytes} MB, and said: {line}");
}
