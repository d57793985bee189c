//! `--quiet` of commands whose loads are made by processes of their own, and beside what was asked for. All others are
//! carried out in the process of the tests (`tests/in_memory`).

use brunt_testbed::require;

use brunt_test_program::{Ended, Target, brunt, scratch};

/// A load by each command, without the words for its option. `REST` is the address of an embedded server.
const LOADS: [(&str, &str); 5] = [
    ("names matrix", "--backend files --users 20 --insert bulk --passes 1"),
    ("names sweep", "--backend files+nscd --users 20 --ttl 60s --passes 1 --duration 1s"),
    ("cluster run", "--local 2 -- http -c 2 -n 20 http://REST/sleep?ms=1"),
    ("ab", "--runs 1 -- http -n 9 http://REST/echo -- http -n 9 http://REST/echo"),
    ("quickstart", "--duration 1s --users 50 --output records"),
];

/// Runs a load with `--quiet`, in a directory of its own.
fn quietly(target: &Target, name: &str, line: &str) -> Ended {
    let directory = scratch();
    let run = brunt(name).within(directory.path()).arg("--quiet");
    run.typed(&line.replace("REST", target.address())).run()
}

#[test]
fn quiet_writes_at_most_one_line_to_stderr() {
    let target = Target::start("rest");
    for (name, line) in LOADS {
        if name == "cluster run" && !require(&["nats-server"]) {
            continue;
        }
        let ended = quietly(&target, name, line);
        assert!(ended.stderr.lines().count() <= 1, "{name}: {ended}");
        // What is not understood has no results.
        assert!(ended.code() != 2 && !ended.stdout.is_empty(), "{name}: {ended}");
    }
}

#[test]
fn quiet_still_writes_requested_output() {
    let target = Target::start("rest");
    let line = "--web --prometheus 0 -c 2 -n 20 http://REST/sleep?ms=1";
    let ended = quietly(&target, "http", line);
    assert!(ended.stderr.contains("web: http://") && ended.stderr.contains("metrics: "), "{ended}");
}
