//! The table of the older tools, as a process prints it. What is in it is seen in virtual time (`tests/in_memory`).

use std::process::{Command, Stdio};

use brunt_testbed::{PASSWORD, user_dn};

use brunt_test_program::{at, binary, command, slapd};

#[test]
fn closed_stdout_ends_the_run_quietly() {
    let Some(slapd) = slapd(20) else { return };
    let dn = user_dn(1);
    let mut head = Command::new("head")
        .args(["-n", "6"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut brunt = command(binary());
    brunt.arg("authrate").args(at(slapd.port())).args(["-D", &dn, "-w", PASSWORD, "-f", "-i", "1"]);
    brunt.stdout(head.stdin.take().unwrap()).stderr(Stdio::piped());
    let output = brunt.spawn().unwrap().wait_with_output().unwrap();
    let shown = head.wait_with_output().unwrap();
    drop(brunt);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&shown.stdout).lines().count(), 6);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(!stderr.contains("roken pipe") && !stderr.contains("panic"), "{stderr}");
}
