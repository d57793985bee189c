//! Commands that need no server of the user's: the tools against servers in memory, and calibration with these servers.

use std::collections::BTreeMap;
use std::net::UdpSocket;
use std::path::Path;

use brunt_record::Record;
use brunt_testbed::free_port;
use serde_json::Value;

use brunt_test_program::{Ended, Target, brunt, run, scratch};

/// Whether this machine has IPv6, on its loopback interface at least.
fn ipv6() -> bool {
    UdpSocket::bind("[::1]:0").is_ok()
}

/// How many exchanges of each operation became due in the run of this record.
fn planned(directory: &Path, name: &str) -> BTreeMap<String, u64> {
    let path = directory.join(format!("{name}.json"));
    let record = Record::read(&path).unwrap_or_else(|error| panic!("failed to {error}"));
    assert!(record.conservation.holds);
    assert_eq!(record.counts.errors(), 0, "{name}");
    record.operations.into_iter().map(|it| (it.name, it.counts.planned)).collect()
}

#[test]
fn quickstart_ldap_runs_every_directory_tool() {
    let directory = scratch();
    let ended = brunt("quickstart --duration 1 --users 20 --output").arg(directory.path());
    let ended = ended.run().expect(0);
    for (tool, operation) in [("authrate", "bind"), ("searchrate", "search")] {
        assert!(planned(directory.path(), tool)[operation] > 0, "{ended}");
    }
    one_screen(&ended, 3);
    assert_eq!(planned(directory.path(), "modrate")["modify"], 500, "{ended}");
}

/// Without details, an explanation and the results of so many runs, on one screen but for what a busy machine adds:
/// doubts about figures, a load that it could not carry out, and waits for its last answers.
fn one_screen(ended: &Ended, runs: usize) {
    let late = |line: &str| line.starts_with("note: the time is over; waiting up to ");
    assert!(ended.stderr.lines().all(late), "{ended}");
    assert_eq!(ended.stdout.matches("   Result:  ").count(), runs, "{ended}");
    let below = |label: &str, own: usize| {
        let label = format!("   {label}:  ");
        let texts = ended.stdout.split(&label).skip(1);
        let continued = |line: &&str| line.starts_with("              ");
        let lines = texts.map(|text| text.lines().skip(1).take_while(continued).count());
        lines.map(|lines| lines.saturating_sub(own)).sum::<usize>()
    };
    let lines = ended.stdout.lines().count() - below("Trust", 0) - below("Result", 1);
    assert!(lines <= 24, "{lines}: {ended}");
    assert!(ended.stdout.lines().all(|line| line.chars().count() <= 80), "{ended}");
    // What it says to do next is what the program understands.
    let next = ended.stdout.split_once("\nNext:\n").expect("it says what to do next").1;
    let report = next.lines().find_map(|line| line.split_once("brunt report "));
    run(["report", report.expect("a record is shown again").1]).expect(0);
    assert!(!next.contains("docs/"), "{ended}");
}

#[test]
fn quickstart_rest_shows_the_identity_api() {
    let directory = scratch();
    // A directory that is not there yet.
    let output = directory.path().join("new");
    let line = || brunt("quickstart rest --duration 1 --users 20 --output").arg(&output);
    one_screen(&line().run().expect(0), 3);
    let ended = line().arg("--details").run().expect(0);
    assert!(ended.stdout.contains("Requests a second"), "{ended}");
    assert_eq!(ended.stdout.matches("\nTrust:  ").count(), 3, "{ended}");
    assert!(ended.stderr.contains("$ brunt http -c 10 -z 1s http"), "{ended}");
    assert!(ended.stderr.contains("$ brunt run "), "{ended}");
}

#[test]
fn quickstart_dhcp_shows_leases() {
    let directory = scratch();
    // With few clients, one may give back a lease while it is granted the next, and the server has neither any more.
    let line = "quickstart dhcp --duration 1 --users 90000 --connections 4 --output";
    let line = || brunt(line).arg(directory.path());
    one_screen(&line().run().expect(0), if ipv6() { 3 } else { 2 });
    let ended = line().arg("--details").run().expect(0);
    assert!(planned(directory.path(), "dora")["dora"] > 0, "{ended}");
    let message = ended.output().replace("\\ ", "");
    assert!(message.contains(" -R 90000 -p 1 --window 4 --record "), "{ended}");
    // A second of each rate.
    let renewals = planned(directory.path(), "renewals");
    assert_eq!([renewals["dora"], renewals["renew"], renewals["release"]], [1000, 200, 100]);
    let mut titles = vec!["DISCOVER-OFFER", "REQUEST-ACK", "REQUEST-ACK (renewal)", "RELEASE"];
    if ipv6() {
        let sarr = planned(directory.path(), "sarr");
        assert_eq!([sarr["sarr"], sarr["renew"], sarr["release"]], [1000, 200, 100]);
        titles.extend(["SOLICIT-ADVERTISE", "REQUEST-REPLY", "RENEW-REPLY", "RELEASE-REPLY"]);
    }
    for title in titles {
        assert!(ended.stdout.contains(&format!("***Statistics for: {title}***\n")), "{ended}");
    }
}

#[test]
fn calibrate_result_limits_later_runs() {
    let state = scratch();
    let brunt = |words: &str| brunt(words).env("XDG_STATE_HOME", state.path());
    let ended = brunt("calibrate --quiet --duration 1").run().expect(0);
    assert!(ended.stderr.lines().count() <= 1, "{ended}");
    let file = std::fs::read(state.path().join("brunt/ceiling.json")).unwrap();
    let ceiling: Value = serde_json::from_slice(&file).unwrap();
    let found = ceiling["per_second"].as_object().unwrap();
    let mut names =
        vec!["bind", "dora", "do", "modify", "read-modify", "search", "search-and-bind"];
    if ipv6() {
        names.extend(["sarr", "sa"]);
    }
    names.sort_unstable();
    assert_eq!(found.keys().collect::<Vec<_>>(), names, "{ended}");
    for (name, rate) in found {
        assert!(rate.as_f64().unwrap() > 0.0, "{name}: {rate}");
        assert!(ended.stdout.lines().any(|line| line.starts_with(&format!("{name} "))), "{ended}");
    }

    let target = Target::start("dhcp");
    let (local, port) = (free_port(), target.port());
    for (half, name) in [("", "dora"), ("-i", "do")] {
        let line = format!("perfdhcp -L {local} -N {port} -r 50 -p 1 --details {half} 127.0.0.1");
        let ended = brunt(&line).run().expect(0);
        let rate = found[name].as_f64().unwrap();
        let message = format!("ceiling of this machine: {rate:.0}/s, of which ");
        assert!(ended.stderr.contains(&message), "no {message:?}: {ended}");
    }
    // A second of DORA and a second of the first half of it.
    let ended = target.account();
    assert!(ended.output().contains("DISCOVER 100 REQUEST 50 OFFER 100 ACK 50"), "{ended}");
}
