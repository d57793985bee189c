//! `brunt find-max` against targets whose limit follows from a script, with shortened seconds.
//!
//! The claims of the search are compared with the script's arithmetic, what it sent with the target's own log, and each
//! way of ending with what was arranged.

use std::collections::HashSet;
use std::net::TcpListener;

use rustix::process::Signal;

use brunt_test_program::{
    CLIFF, Program, RestTarget, SHORT, binary, command, run, scratch, searched, without_a_limit,
};

/// Each iteration of a plan asks for a page of its own number. What the server was asked says whether any came twice.
#[test]
fn no_step_repeats_the_data_of_another() {
    let target = RestTarget::start();
    let directory = scratch();
    let plan = directory.path().join("visit.toml");
    let text = format!(
        "[run]\nusers = 20\n[http]\nbase = \"{}\"\n[[scenario]]\nname = \"visit\"\n\
         [[scenario.steps]]\nname = \"page\"\nget = \"/bytes/10?n=${{run.iteration}}\"\n",
        target.base
    );
    std::fs::write(&plan, text).expect("a file can be written");
    let options = ["--slo", "p90<2s", "--slo", "achieved>=50%", "--from", "100/s", "--to", "200/s"];
    let mut words: Vec<&str> = SHORT.to_vec();
    words.extend(options);
    let plan = plan.display().to_string();
    words.extend(["--", "run", &plan]);
    let ended = run(words);
    let seen = target.stop();
    assert!(seen.len() > 500, "{}\n{ended}", seen.len());
    let mut different = HashSet::new();
    let again = seen.iter().enumerate().filter(|(_, it)| !different.insert(it.target.as_str()));
    let again: Vec<(usize, &str)> = again.map(|(at, it)| (at, it.target.as_str())).collect();
    assert_eq!(again, [], "of {}: {ended}", seen.len());
    // Nothing is said of more than the rate that was allowed.
    without_a_limit(&ended);
}

#[test]
fn a_target_that_is_not_there_ends_it_with_5() {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).unwrap().port();
    let port = port.to_string();
    let ldap = [
        "authrate",
        "--noPropertiesFile",
        "-h",
        "127.0.0.1",
        "-p",
        &port,
        "-D",
        "uid=x",
        "-w",
        "x",
    ];
    let words = [&SHORT[..], &["--slo", "p99<20ms", "--"], &ldap].concat();
    run(words).expect(5);
    let url = format!("http://127.0.0.1:{port}/");
    searched(&["--slo", "p99<20ms"], &[&url]).expect(5);
}

/// Nobody listens there. What is wrong with an objective is known before that.
#[test]
fn an_objective_that_is_wrong_is_told_before_anything_is_sent() {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).unwrap().port();
    let port = port.to_string();
    let ldap = "authrate --noPropertiesFile -h 127.0.0.1 -D uid=x -w x -p";
    for (objective, why) in [
        ("p99<5", "p99 is compared with a value in us, ms or s, such as 20ms"),
        ("errors<5ms", "errors is compared with a value in % or without a unit, such as 0.1%"),
        ("search.p99<5ms", "the run has no operation \"search\"; it has bind"),
        ("p99<0.5x", "the factor must be above 1"),
        ("speed<5ms", "there is no figure \"speed\""),
    ] {
        let words = [&["find-max", "--slo", objective, "--"], &*words_of(ldap), &[&*port]].concat();
        let said = run(words).expect(2).said();
        assert!(said.contains(&format!("{objective:?}")) && said.contains(why), "{said}");
        assert!(!said.contains("connect"), "{said}");
    }
    let url = format!("http://127.0.0.1:{port}/");
    let said = run(["find-max", "--slo", "p99<5", "--", "http", &url]).expect(2).said();
    assert!(said.contains("such as 20ms"), "{said}");
}

fn words_of(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

#[test]
fn an_address_that_is_not_allowed_is_refused_with_8() {
    // A documentation address, which no host has; nothing is sent to it.
    let ended = searched(&["--slo", "p99<20ms"], &["http://192.0.2.1:9/"]).expect(8);
    assert!(ended.said().contains("192.0.2.1:9") && ended.said().contains("--allow"), "{ended}");
    // The sockets of DHCP are opened by the first step. Nothing was found, so there is no report.
    let leases = "find-max --slo p99<20ms -- perfdhcp -L 10068 -N 10067 192.0.2.1";
    let ended = run(words_of(leases)).expect(8);
    assert_eq!(ended.stdout, "", "{ended}");
    assert!(ended.said().contains("refused: 192.0.2.1:10067"), "{ended}");
    // A redirect to another port of this very machine goes no further than the fence.
    let target = RestTarget::start();
    let port = target.base.rsplit(':').next().unwrap_or_default().to_owned();
    let allow = format!("127.0.0.1:{port}");
    let url = format!("{}/bytes/10", target.base);
    run(["http", "-n", "5", "-c", "1", "--allow", &allow, &url]).expect(0);
    let ended = run(["http", "-n", "5", "-c", "1", "--allow", "127.0.0.1:1", &url]).expect(8);
    // It never began, so there is no report.
    assert_eq!(ended.stdout, "", "{ended}");
    assert!(ended.said().contains(&allow), "{ended}");
    assert_eq!(target.stop().len(), 5, "what was not allowed never came");
    let elsewhere = searched(&["--slo", "p99<20ms", "--allow", "10.0.0.0/8"], &[&url]).expect(2);
    assert!(elsewhere.said().contains("--to"), "{elsewhere}");
}

#[test]
fn what_writes_has_to_be_meant() {
    let target = RestTarget::start();
    let url = format!("{}/echo", target.base);
    let ended = searched(&["--slo", "p99<20ms"], &["-m", "POST", "-d", "body", &url]).expect(8);
    assert!(ended.said().contains("sends POST requests"), "{ended}");
    assert_eq!(target.stop().len(), 0);
}

#[test]
fn what_find_max_decides_itself_is_no_business_of_the_command() {
    for (load, named) in [
        (&["-q", "100", "http://127.0.0.1:9/"][..], "--rate"),
        (&["-n", "100", "http://127.0.0.1:9/"], "--requests"),
        (&["--record", "x", "http://127.0.0.1:9/"], "--record"),
    ] {
        let ended = searched(&["--slo", "p99<20ms"], load).expect(2);
        assert!(ended.said().contains(named), "{ended}");
    }
    let none = searched(&[], &["http://127.0.0.1:9/"]).expect(2);
    assert!(none.said().contains("--slo"), "{none}");
    searched(&["--slo", "max<1s"], &["http://127.0.0.1:9/"]).expect(2);
}

/// Answers take 30 ms, so none of a hundred is in time at any rate.
#[test]
fn where_no_rate_passes_it_ends_with_99() {
    let target = RestTarget::scripted("[[rule]]\naction = { delay = \"30ms\" }\n");
    let url = format!("{}/bytes/10", target.base);
    searched(&["--slo", "p99<20ms", "--from", "400/s"], &["-c", "50", &url]).expect(99);
    target.stop();
}

/// Six seconds are too short to confirm anything.
#[test]
fn what_cannot_be_shown_is_not_claimed() {
    let target = RestTarget::scripted(CLIFF);
    let url = format!("{}/bytes/10", target.base);
    let options = ["--slo", "p99<20ms", "--from", "100/s", "--budget", "60s"];
    searched(&options, &["-c", "100", &url]).expect(9);
    target.stop();
}

#[test]
fn a_signal_ends_it_with_what_was_found() {
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
