//! Safeguards against harmful load: conditions that end a run, public addresses, the file of targets.
//!
//! When conditions and canaries end a run is seen in virtual time (`tests/in_memory`).
//!
//! No test sends anything to a public address, not even to those of documentation: each such run is in a network
//! namespace without routes, whose own counters say whether the program tried to send.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use brunt_testbed::require;

use crate::prompts::{on_a_terminal, shell_line};
use brunt_test_program::{Ended, Program, RestTarget, binary, command, run, scratch};

/// A command line in a separate network namespace, without any route; afterwards the kernel's counters say how many
/// times a process there tried to send to an unreachable address.
fn in_the_void(words: &[&str]) -> Option<Command> {
    if !require(&["unshare", "ip", "script"]) {
        return None;
    }
    let script = r#"ip link set lo up
        "$@"; code=$?
        grep Ip: /proc/net/snmp | tail -n 1 | cut -d " " -f 13 | sed "s/^/no route: /"
        exit $code"#;
    let mut unshare = command(Path::new("unshare"));
    unshare.args(["-rn", "sh", "-c", script, "sh"]).arg(binary()).args(words);
    Some(unshare)
}

/// How often the program tried.
fn tries(ended: &Ended) -> u64 {
    let line = ended.stdout.lines().rev().find_map(|line| line.trim().strip_prefix("no route: "));
    line.and_then(|count| count.trim().parse().ok()).unwrap_or_else(|| panic!("{ended}"))
}

const FAR: [&[&str]; 3] = [
    &["http", "-n", "3", "-c", "1", "http://192.0.2.1:9/"],
    &[
        "searchrate",
        "--noPropertiesFile",
        "-h",
        "192.0.2.1",
        "-p",
        "9",
        "-b",
        "",
        "-m",
        "3",
        "(cn=a)",
    ],
    &["perfdhcp", "-4", "-l", "127.0.0.1", "-L", "1067", "-r", "10", "-n", "3", "192.0.2.1"],
];

#[test]
fn public_address_without_permission_receives_nothing() {
    for line in FAR {
        let Some(mut brunt) = in_the_void(line) else { return };
        let ended = Program::start(&mut brunt).wait().expect(8);
        assert_eq!(tries(&ended), 0, "{ended}");
        let output = ended.output();
        assert!(
            output.contains("192.0.2.1") && output.contains("documentation address: put yours in"),
            "{ended}"
        );
        assert!(output.contains("--yes") && output.contains("--allow"), "{ended}");
    }
    // What would have been sent, without the address policy, is seen.
    for yes in [&["--yes"][..], &["--allow", "192.0.2.0/24"]] {
        for line in FAR {
            let Some(mut brunt) = in_the_void(&[&line[..1], yes, &line[1..]].concat()) else {
                return;
            };
            let ended = Program::start(&mut brunt).wait();
            assert!(ended.code() != 8 && tries(&ended) > 0, "{ended}");
        }
    }
}

/// What connects or sends in its own way is compared with the address policy before the run all the same: no result is
/// printed.
#[test]
fn fence_stops_runs_of_every_protocol() {
    let directory = scratch();
    let plan = directory.path().join("plan.toml");
    let text = "[run]\nusers = 1\niterations = { each = 1 }\n[dhcp]\nserver = \"127.0.0.1:9\"\n\
                local = \"127.0.0.1:0\"\n[[scenario]]\n[[scenario.steps]]\nname = \"lease\"\ndhcp = \"acquire\"\n";
    fs::write(&plan, text).expect("a file can be written");
    let names = ["--keys", "1-9", "--through", "ldap", "--url", "ldap://127.0.0.1:9", "-n", "3"];
    for line in [
        &["run", plan.to_str().expect("a plain path")][..],
        &[&["names", "lookup"], &names[..]].concat(),
    ] {
        let ended = run(line.iter().copied().chain(["--allow", "192.0.2.0/24"])).expect(8);
        assert!(ended.output().contains("127.0.0.1:9 is not an address"), "{ended}");
        assert_eq!(ended.stdout, "", "{ended}");
    }
}

#[test]
fn public_address_is_confirmed_at_a_terminal() {
    for (answer, goes) in [("no", false), ("y", false), ("yes", true)] {
        let Some(brunt) = in_the_void(FAR[0]) else { return };
        let mut requested = on_a_terminal(&shell_line(&brunt));
        let question = "192.0.2.1:9 is a documentation address. Load it? (yes/no)";
        requested.wait_until("the question", |stdout, _| stdout.contains(question));
        requested.write(&format!("{answer}\n"));
        let ended = requested.wait();
        assert_eq!((ended.code() != 8, tries(&ended) > 0), (goes, goes), "{answer}\n{ended}");
    }
}

/// A run with this file of targets.
fn limited(file: &str, options: &[&str], url: &str) -> Ended {
    let directory = scratch();
    let path = directory.path().join("targets.toml");
    fs::write(&path, file).expect("a file can be written");
    let mut brunt = command(binary());
    brunt.args(["http", "--targets"]).arg(&path).args(options).arg(url);
    Program::start(brunt.stdin(Stdio::null())).wait()
}

#[test]
fn targets_file_limits_every_run_before_it_begins() {
    let target = RestTarget::start();
    let url = format!("{}/bytes/10", target.base);
    let file = "[[target]]\naddress = \"127.0.0.0/8\"\nrate = \"50/s\"\nconnections = 2\nduration = \"10s\"\n\
                note = \"ask us first\"\n";
    for (options, named) in [
        (&["-c", "2", "-q", "51", "-z", "5s"][..], "at most 50/s"),
        (&["-c", "2", "-z", "5s"], "nothing limits the rate"),
        (&["-c", "2", "-q", "50", "-z", "11s"], "at most 10s"),
        (&["-q", "50", "-z", "5s", "-c", "3"], "at most 2 connections"),
    ] {
        let ended = limited(file, options, &url).expect(8);
        assert!(
            ended.output().contains(named) && ended.output().contains("ask us first"),
            "{ended}"
        );
        assert_eq!(ended.stdout, "", "{ended}");
    }
    limited(file, &["-c", "2", "-q", "50", "-n", "10"], &url).expect(0);
    assert_eq!(target.stop().len(), 10, "the others sent nothing");
}

#[test]
fn targets_file_of_the_system_applies_to_every_run() {
    let target = RestTarget::start();
    let url = format!("{}/bytes/10", target.base);
    let directory = scratch();
    let place = directory.path().join("brunt");
    fs::create_dir(&place).expect("a directory can be made");
    let with = |file: &str, name: &str| {
        fs::write(place.join("targets.toml"), file).expect("a file can be written");
        let mut brunt = command(binary());
        brunt.env(name, directory.path()).args(["http", "-n", "5", "-c", "1", &url]);
        Program::start(&mut brunt).wait()
    };
    let limited = "[[target]]\naddress = \"127.0.0.1\"\nrate = \"1/s\"\n";
    for name in ["XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"] {
        let ended = with(limited, name).expect(8);
        assert!(
            ended.output().contains("brunt/targets.toml allows 127.0.0.1 at most 1/s"),
            "{ended}"
        );
        with("[[target]]\naddress = \"127.0.0.1\"\n", name).expect(0);
        let wrong = with("[[target]]\naddress = \"127.0.0.1\"\nmax = 1\n", name).expect(2);
        assert!(
            wrong.output().contains("targets.toml") && wrong.output().contains("line 3"),
            "{wrong}"
        );
    }
    assert_eq!(target.stop().len(), 10);
}
