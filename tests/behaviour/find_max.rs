//! `brunt find-max` as a process: its signals. What it claims, and what it refuses, is seen in virtual time
//! (`tests/in_memory`).

use brunt_test_program::{RestTarget, brunt};
use rustix::process::Signal;

#[test]
fn find_max_signal_ends_it_with_the_partial_result() {
    let target = RestTarget::start();
    let url = format!("{}/bytes/10", target.base);
    let search = brunt("find-max --second 100ms --slo p90<2s --from 50/s --to 100/s --");
    let mut program = search.typed("http -c 20").arg(url).start();
    program.wait_until("a step of the ramp", |_, stderr| stderr.contains("ramp"));
    program.signal(Signal::INT);
    let ended = program.wait().expect(130);
    assert!(ended.stdout.contains("ramp") || ended.stdout.contains("nterrupted"), "{ended}");
}
