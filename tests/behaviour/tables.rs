//! The table of the older tools, as a process prints it. What is in it is seen in virtual time (`tests/in_memory`).

use std::process::{Command, Stdio};

use brunt_testbed::{ADMIN_DN, BASE_DN, PASSWORD, user_dn};

use brunt_test_program::{Program, at, binary, command, slapd};

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

#[test]
fn failure_before_the_first_row_leaves_stdout_empty() {
    let Some(slapd) = slapd(20) else { return };
    let line = ["-D", ADMIN_DN, "-w", "wrong", "-b", BASE_DN, "(cn=a)"];
    let ended =
        Program::start(command(binary()).arg("searchrate").args(at(slapd.port())).args(line));
    let ended = ended.wait().expect(49);
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.contains("invalidCredentials"), "{ended}");
}
