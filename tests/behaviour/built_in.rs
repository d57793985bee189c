//! What needs no server of the user's: the tools shown against servers in memory, and this machine measured by them.

use std::collections::BTreeMap;
use std::net::UdpSocket;
use std::path::Path;

use brunt_record::Record;
use brunt_testbed::free_port;
use serde_json::Value;

use crate::leases::LeaseTarget;
use crate::program::{Program, among_others, binary, command, run, scratch};

/// Whether this machine has IPv6, on its loopback interface at least.
fn ipv6() -> bool {
    UdpSocket::bind("[::1]:0").is_ok()
}

/// How many exchanges of each operation fell due in the run of this record.
fn planned(directory: &Path, name: &str) -> BTreeMap<String, u64> {
    let path = directory.join(format!("brunt-quickstart-{name}.json"));
    let record = Record::read(&path).unwrap_or_else(|error| panic!("failed to {error}"));
    assert!(record.conservation.holds);
    assert_eq!(record.counts.errors(), 0, "{name}");
    record.operations.into_iter().map(|it| (it.name, it.counts.planned)).collect()
}

#[test]
fn quickstart_shows_the_tools_of_a_directory() {
    let _among = among_others();
    let directory = scratch();
    let output = directory.path().to_str().unwrap();
    let ended =
        run(["quickstart", "--duration", "1", "--users", "20", "--output", output]).expect(0);
    for (tool, operation) in [("authrate", "bind"), ("searchrate", "search")] {
        assert!(planned(directory.path(), tool)[operation] > 0, "{ended}");
        assert!(ended.stderr.contains(&format!("$ brunt {tool} --noPropertiesFile")), "{ended}");
    }
    assert_eq!(planned(directory.path(), "modrate")["modify"], 500, "{ended}");
}

#[test]
fn quickstart_shows_dhcp() {
    let _among = among_others();
    let directory = scratch();
    let output = directory.path().to_str().unwrap();
    let line = ["quickstart", "dhcp", "--duration", "1", "--users", "30", "--connections", "4"];
    let ended = run(line.into_iter().chain(["--output", output])).expect(0);
    assert!(planned(directory.path(), "dora")["dora"] > 0, "{ended}");
    assert!(ended.stderr.contains(" -R 30 -p 1 --window 4 --record "), "{ended}");
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
fn what_calibrate_finds_is_what_later_runs_are_held_against() {
    let _among = among_others();
    let state = scratch();
    let brunt = || {
        let mut brunt = command(binary());
        brunt.env("XDG_STATE_HOME", state.path());
        brunt
    };
    let ended = Program::start(brunt().args(["calibrate", "--duration", "1"])).wait().expect(0);
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

    let target = LeaseTarget::start();
    let (local, port) = (free_port().to_string(), target.port.clone());
    for (half, name) in [(&[][..], "dora"), (&["-i"], "do")] {
        let line = ["perfdhcp", "-L", &local, "-N", &port, "-r", "50", "-p", "1", "127.0.0.1"];
        let ended = Program::start(brunt().args(line).args(half)).wait().expect(0);
        let rate = found[name].as_f64().unwrap();
        let said = format!("ceiling of this machine: {rate:.0}/s, of which ");
        assert!(ended.stderr.contains(&said), "no {said:?}: {ended}");
    }
    // A second of DORA and a second of the first half of it.
    let ended = target.stop();
    assert!(ended.said().contains("DISCOVER 100 REQUEST 50 OFFER 100 ACK 50"), "{ended}");
}
