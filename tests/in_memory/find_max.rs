//! `brunt find-max` against targets whose limit follows from a script, in virtual time.
//!
//! The claims of the search are compared with the script's arithmetic, what it sent with the target's own log, and each
//! way of ending with what was arranged.

use std::collections::HashSet;
use std::fs;
use std::time::Duration;

use brunt_record::Collection;
use brunt_test_program::{CLIFF, Ended, SHORT, scratch, without_a_limit};

use crate::machine::{Machine, run};
use crate::rest_target::RestTarget;
use crate::wire::WAY;

/// Where nobody listens.
const NOWHERE: &str = "http://10.0.1.9:9/";

/// What a search needs for a target that is not on loopback: its address, and the highest rate.
const ALLOWED: [&str; 6] = ["--allow", "10.0.1.9", "--allow", "127.0.0.1", "--to", "8k/s"];

/// A search over `http`.
fn searched(options: &[&str], load: &[&str]) -> Ended {
    run(&[&SHORT[..], &ALLOWED, options, &["--", "http"], load].concat())
}

/// Each iteration of a plan asks for a page of its own number. What the server was asked says whether any came twice.
#[test]
fn find_max_steps_never_repeat_data() {
    let target = RestTarget::start();
    let directory = scratch();
    let plan = directory.path().join("visit.toml");
    let text = format!(
        "[run]\nusers = 20\n[http]\nbase = \"{}\"\n[[scenario]]\nname = \"visit\"\n\
         [[scenario.steps]]\nname = \"page\"\nget = \"/bytes/10?n=${{run.iteration}}\"\n",
        target.base
    );
    fs::write(&plan, text).expect("a file can be written");
    let options = ["--slo", "p90<2s", "--slo", "achieved>=50%", "--from", "100/s", "--to", "200/s"];
    let mut words: Vec<&str> = SHORT.to_vec();
    words.extend(options.into_iter().chain(["--allow", "127.0.0.1"]));
    let plan = plan.display().to_string();
    words.extend(["--", "run", &plan]);
    let ended = run(&words);
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
fn find_max_with_unreachable_target_exits_5() {
    let ldap = ["authrate", "-h", "10.0.1.9", "-D", "uid=x", "-w", "x"];
    run(&[&SHORT[..], &ALLOWED, &["--slo", "p99<20ms", "--"], &ldap].concat()).expect(5);
    searched(&["--slo", "p99<20ms"], &[NOWHERE]).expect(5);
}

/// Nobody listens there. What is wrong with an objective is known before that.
#[test]
fn find_max_reports_invalid_slo_before_sending() {
    let ldap = ["authrate", "-h", "10.0.1.9", "-D", "uid=x", "-w", "x"];
    for (objective, why) in [
        ("p99<5", "p99 is compared with a value in us, ms or s, such as 20ms"),
        ("errors<5ms", "errors is compared with a value in % or without a unit, such as 0.1%"),
        ("search.p99<5ms", "the run has no operation \"search\"; it has bind"),
        ("p99<0.5x", "the factor must be above 1"),
        ("speed<5ms", "there is no figure \"speed\""),
    ] {
        let words = [&["find-max", "--slo", objective, "--"], &ldap[..]].concat();
        let output = run(&words).expect(2).output();
        assert!(output.contains(&format!("{objective:?}")) && output.contains(why), "{output}");
        assert!(!output.contains("connect"), "{output}");
    }
    let output = run(&["find-max", "--slo", "p99<5", "--", "http", NOWHERE]).expect(2).output();
    assert!(output.contains("such as 20ms"), "{output}");
}

#[test]
fn find_max_refuses_writes_without_permission() {
    let target = RestTarget::start();
    let url = format!("{}/echo", target.base);
    let ended = searched(&["--slo", "p99<20ms"], &["-m", "POST", "-d", "body", &url]).expect(8);
    assert!(ended.output().contains("sends POST requests"), "{ended}");
    assert_eq!(target.stop().len(), 0);
}

#[test]
fn find_max_refuses_options_it_sets_itself() {
    for (load, named) in [
        (&["-q", "100", NOWHERE][..], "--rate"),
        (&["-n", "100", NOWHERE], "--requests"),
        (&["--record", "x", NOWHERE], "--record"),
    ] {
        let ended = searched(&["--slo", "p99<20ms"], load).expect(2);
        assert!(ended.output().contains(named), "{ended}");
    }
    let none = searched(&[], &[NOWHERE]).expect(2);
    assert!(none.output().contains("--slo"), "{none}");
    searched(&["--slo", "max<1s"], &[NOWHERE]).expect(2);
}

/// Answers take 30 ms, so none of a hundred is in time at any rate.
#[test]
fn find_max_without_a_passing_rate_exits_99() {
    let target = RestTarget::scripted("[[rule]]\naction = { delay = \"30ms\" }\n");
    let url = format!("{}/bytes/10", target.base);
    searched(&["--slo", "p99<20ms", "--from", "400/s"], &["-c", "50", &url]).expect(99);
    target.stop();
}

/// Six seconds are too short to confirm anything.
#[test]
fn find_max_without_confirmation_exits_9() {
    let target = RestTarget::scripted(CLIFF);
    let url = format!("{}/bytes/10", target.base);
    let options = ["--slo", "p99<20ms", "--from", "100/s", "--budget", "60s"];
    searched(&options, &["-c", "100", &url]).expect(9);
    target.stop();
}

/// From the 2,000th request on, after the unloaded run, every third is refused. Only a refused login shows that
/// accounts may be locked: 503 is an error as any other.
#[test]
fn find_max_ends_if_more_logins_are_refused_than_unloaded() {
    for (status, is_login) in [(401, true), (423, true), (503, false)] {
        let target = RestTarget::scripted(&format!(
            "[[rule]]\naction = {{ delay = \"5ms\" }}\n\
             [[rule]]\nfirst = 2000\nevery = 3\naction = {{ status = {status} }}\n"
        ));
        let url = format!("{}/bytes/10", target.base);
        let ended = searched(&["--slo", "p99<20ms", "--from", "400/s"], &["-c", "50", &url]);
        assert!(target.stop().len() > 2_000, "{ended}");
        // Lines of a screen are folded.
        let words: Vec<&str> = ended.stdout.split_whitespace().collect();
        let says = words.join(" ").contains("of the logins were refused, 0% in the unloaded run");
        assert_eq!((says, ended.code() == 8), (is_login, is_login), "{status}: {ended}");
    }
}

/// The machine is stopped as the run of a single session begins, until that is over: the session begins nothing, which
/// is no lack of data.
#[test]
fn find_max_does_not_blame_missing_data_for_a_starved_session() {
    let searched = |mut machine: Machine| {
        let target = RestTarget::listen(&mut machine, "127.0.0.1:8080", "");
        let load = ["--", "http", "-c", "2", "http://127.0.0.1:8080/bytes/10"];
        let options = ["--slo", "p90<2s", "--from", "50/s", "--to", "100/s"];
        (machine.run(&[&SHORT[..], &options, &load].concat()), target.stop())
    };
    let (_, seen) = searched(Machine::new(7));
    let before = WAY + Duration::from_micros(500);
    let from = Duration::from_micros(seen[0].at).saturating_sub(before);
    let to = from + Duration::from_secs(60);
    let (ended, seen) = searched(Machine::stopped(7, from, to));
    assert!(seen.is_empty(), "{seen:?}\n{ended}");
    let ended = ended.expect(9);
    let words = ended.text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("one session ended no exchange in its time: "), "{ended}");
    assert!(!words.contains("nothing to work on"), "{ended}");
}

/// A plan says what is searched for; the command line comes before it.
#[test]
fn find_max_reads_options_from_the_plan() {
    let target = RestTarget::start();
    let directory = scratch();
    let plan = directory.path().join("visit.toml");
    let text = format!(
        "[run]\nusers = 20\n[find-max]\nobjectives = [\"p90 < 2s\", \"achieved >= 50%\"]\nfrom = \"100/s\"\n\
         to = \"200/s\"\nconfirm = \"40s\"\n[http]\nbase = \"{}\"\n[[scenario]]\nname = \"visit\"\n\
         [[scenario.steps]]\nname = \"page\"\nget = \"/bytes/10\"\n",
        target.base
    );
    fs::write(&plan, text).expect("a file can be written");
    let plan = plan.to_str().unwrap();
    let file = directory.path().join("found.json");
    let words = ["find-max", "--second", "100ms", "--quiet", "--allow", "127.0.0.1", "--record"];
    let words = [&words[..], &[file.to_str().unwrap()]].concat();
    let searched = |more: &[&str]| {
        without_a_limit(&run(&[&words[..], more, &["--", "run", plan]].concat()));
        Collection::read(&file).expect("a record")
    };
    let highest = |found: &Collection| {
        let rates = found.cells.iter().filter_map(|cell| cell.label("rate")?.parse::<f64>().ok());
        rates.fold(0.0, f64::max) as u64
    };
    let found = searched(&[]);
    assert_eq!((highest(&found), &*found.facts["objective 1"]), (200, "p90 < 2s"));
    let mut confirmed = found.cells.iter().filter(|cell| cell.label("kind") == Some("confirm"));
    assert!(confirmed.all(|cell| cell.figure("judged_s") < Some(41.0)));
    let first = found.cells.iter().find(|cell| cell.label("kind") == Some("ramp"));
    assert_eq!(first.and_then(|cell| cell.figure("rate")), Some(100.0));
    assert_eq!(highest(&searched(&["--to", "150/s"])), 150);
    let checked = run(&["run", "--check", plan]).expect(0);
    assert!(checked.stdout.contains("[find-max]") && checked.stdout.contains("200/s"), "{checked}");
}

/// A documentation address, which no host has; nothing is sent to it.
#[test]
fn find_max_refuses_a_public_address_with_exit_8() {
    let slo = ["find-max", "--slo", "p99<20ms"];
    let ended = run(&[&slo[..], &["--", "http", "http://192.0.2.1:9/"]].concat()).expect(8);
    let output = ended.output();
    assert!(output.contains("192.0.2.1:9") && output.contains("--allow"), "{ended}");
    // The sockets of DHCP are opened by the first step. Nothing was found, so there is no report.
    let leases = ["--", "perfdhcp", "-L", "10068", "-N", "10067", "192.0.2.1"];
    let ended = run(&[&slo[..], &leases].concat()).expect(8);
    assert_eq!(ended.stdout, "", "{ended}");
    assert!(ended.output().contains("refused: 192.0.2.1:10067"), "{ended}");
    // An address of this network goes no further than the address policy.
    let target = RestTarget::start();
    let address = target.base.trim_start_matches("http://").to_owned();
    let url = format!("{}/bytes/10", target.base);
    let http = |allow: &str| run(&["http", "-n", "5", "-c", "1", "--allow", allow, &url]);
    http(&address).expect(0);
    let ended = http("10.0.1.1:1").expect(8);
    // It never began, so there is no report.
    assert_eq!(ended.stdout, "", "{ended}");
    assert!(ended.output().contains(&address), "{ended}");
    let elsewhere = ["--allow", "10.0.0.0/8", "--", "http", &url];
    let elsewhere = run(&[&slo[..], &elsewhere].concat()).expect(2);
    assert!(elsewhere.output().contains("--to"), "{elsewhere}");
    assert_eq!(target.stop().len(), 5, "what was not allowed never came");
}

#[test]
fn find_max_refuses_agent_options_without_agents() {
    for option in [["--nats", "nats://127.0.0.1:9"], ["--weights", "2,1"], ["--patience", "2s"]] {
        let words = [&["find-max"], &option[..], &["--slo", "p99<2s", "--", "http", NOWHERE]];
        let ended = run(&words.concat()).expect(2);
        assert!(
            ended.output().contains(option[0]) && ended.output().contains("--agents"),
            "{ended}"
        );
    }
}

#[test]
fn find_max_refuses_sources_of_other_protocols() {
    let target = RestTarget::start();
    let url = format!("{}/bytes/10", target.base);
    for (source, output) in [
        ("monitor", "only the LDAP rate tools can"),
        ("kea:/nowhere", "query /nowhere"),
        ("snmp", "kea:SOCKET"),
    ] {
        let ended = searched(&["--slo", "p99<2s", "--server-cpu", source], &["-c", "2", &url]);
        assert!(ended.code() != 0 && ended.output().contains(output), "{source}: {ended}");
    }
    assert!(target.stop().is_empty(), "nothing was tried");
}
