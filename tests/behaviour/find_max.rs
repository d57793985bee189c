//! `brunt find-max` as a process: its address policy and its signals. What it claims is seen in virtual time
//! (`tests/in_memory`).

use brunt_test_program::{Program, RestTarget, binary, command, run, searched};
use rustix::process::Signal;

fn words_of(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

#[test]
fn find_max_refuses_a_public_address_with_exit_8() {
    // A documentation address, which no host has; nothing is sent to it.
    let ended = searched(&["--slo", "p99<20ms"], &["http://192.0.2.1:9/"]).expect(8);
    assert!(
        ended.output().contains("192.0.2.1:9") && ended.output().contains("--allow"),
        "{ended}"
    );
    // The sockets of DHCP are opened by the first step. Nothing was found, so there is no report.
    let leases = "find-max --slo p99<20ms -- perfdhcp -L 10068 -N 10067 192.0.2.1";
    let ended = run(words_of(leases)).expect(8);
    assert_eq!(ended.stdout, "", "{ended}");
    assert!(ended.output().contains("refused: 192.0.2.1:10067"), "{ended}");
    // A redirect to another port of this very machine goes no further than the address policy.
    let target = RestTarget::start();
    let port = target.base.rsplit(':').next().unwrap_or_default().to_owned();
    let allow = format!("127.0.0.1:{port}");
    let url = format!("{}/bytes/10", target.base);
    run(["http", "-n", "5", "-c", "1", "--allow", &allow, &url]).expect(0);
    let ended = run(["http", "-n", "5", "-c", "1", "--allow", "127.0.0.1:1", &url]).expect(8);
    // It never began, so there is no report.
    assert_eq!(ended.stdout, "", "{ended}");
    assert!(ended.output().contains(&allow), "{ended}");
    assert_eq!(target.stop().len(), 5, "what was not allowed never came");
    let elsewhere = searched(&["--slo", "p99<20ms", "--allow", "10.0.0.0/8"], &[&url]).expect(2);
    assert!(elsewhere.output().contains("--to"), "{elsewhere}");
}

#[test]
fn find_max_signal_ends_it_with_the_partial_result() {
    let target = RestTarget::start();
    let url = format!("{}/bytes/10", target.base);
    let words = ["--second", "100ms", "--slo", "p90<2s", "--from", "50/s", "--to", "100/s"];
    let mut program = Program::start(
        command(binary()).arg("find-max").args(words).args(["--", "http", "-c", "20", &url]),
    );
    program.wait_until("a step of the ramp", |_, stderr| stderr.contains("ramp"));
    program.signal(Signal::INT);
    let ended = program.wait().expect(130);
    assert!(ended.stdout.contains("ramp") || ended.stdout.contains("nterrupted"), "{ended}");
    target.stop();
}
