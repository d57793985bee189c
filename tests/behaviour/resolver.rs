//! Name servers that do not answer: a run ends on time, even if its name lookups wait.

use std::net::UdpSocket;
use std::process::Command;
use std::time::Duration;

use brunt_exchange::{Clock as _, Monotonic};

use crate::program::{alone, binary, scratch};

/// Whom the resolver asks, patiently.
const NAME_SERVER: &str = "127.0.0.98";

/// Where that name server is the one of the machine.
const THERE: &str = "mount --bind \"$1/resolv.conf\" /etc/resolv.conf && shift && exec \"$@\"";

/// Carries a plan out there and says how long that took and what was said; nothing, where it cannot be arranged.
fn run(plan: &str) -> Option<(Duration, String)> {
    if !brunt_testbed::require(&["unshare", "mount"]) {
        return None;
    }
    // It takes what it is asked, and never answers.
    let silent = match UdpSocket::bind((NAME_SERVER, 53)) {
        Ok(silent) => silent,
        Err(error) => {
            brunt_testbed::skip(&format!("failed to bind port 53 of {NAME_SERVER}: {error}"));
            return None;
        }
    };
    let directory = scratch();
    let write = |name: &str, text: &str| {
        std::fs::write(directory.path().join(name), text).expect("it is ours");
    };
    let patient = format!("nameserver {NAME_SERVER}\noptions timeout:20 attempts:3\n");
    write("resolv.conf", &patient);
    write("plan.toml", plan);
    let there = |words: &[&std::ffi::OsStr]| {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", THERE, "sh"]);
        command.arg(directory.path()).args(words).output().expect("unshare was found")
    };
    if !there(&["true".as_ref()]).status.success() {
        brunt_testbed::skip("failed to mount a file in a namespace of its own, which takes root");
        return None;
    }
    let plan = directory.path().join("plan.toml");
    let clock = Monotonic::new();
    let began = clock.now();
    let ended = there(&[binary().as_os_str(), "run".as_ref(), plan.as_os_str()]);
    drop(silent);
    let said = [ended.stdout, ended.stderr].concat();
    Some((clock.now() - began, String::from_utf8_lossy(&said).into_owned()))
}

#[test]
fn a_name_that_is_met_in_a_run_is_waited_for_no_longer_than_its_exchange() {
    let _alone = alone();
    let plan = "[run]\nusers = 3\nduration = \"3s\"\ntimeout = \"1s\"\n\
        [variables]\nhost = { choice = { \"a.example\" = 1, \"b.example\" = 1 } }\n\
        [[scenario]]\nname = \"a\"\n[[scenario.steps]]\nname = \"look\"\nget = \"http://${host}/\"\n";
    let Some((took, said)) = run(plan) else { return };
    assert!(said.contains("timed out"), "{said}");
    assert!(took < Duration::from_secs(9), "{took:?}\n{said}");
}

#[test]
fn a_name_that_is_known_before_a_run_stops_it_before_it_starts() {
    let _alone = alone();
    let plan = "[http]\nbase = \"http://a.example\"\nconnect-timeout = \"2s\"\n\
        [[scenario]]\nname = \"a\"\n[[scenario.steps]]\nname = \"look\"\nget = \"/\"\n";
    let Some((took, said)) = run(plan) else { return };
    assert!(said.contains("the resolver did not answer within 2s"), "{said}");
    assert!(took < Duration::from_secs(8), "{took:?}\n{said}");
}
