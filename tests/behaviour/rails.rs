//! Public addresses, to which nothing is sent without permission. The other safeguards against harmful load are seen in
//! virtual time (`tests/in_memory`).
//!
//! No test sends anything to a public address, not even to those of documentation: each such run is in a network
//! namespace without routes, whose own counters say whether the program tried to send.

use std::path::Path;
use std::process::Command;

use brunt_testbed::require;

use crate::prompts::{on_a_terminal, shell_line};
use brunt_test_program::{Ended, Program, binary, command};

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
