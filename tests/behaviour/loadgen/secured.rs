//! Services over TLS.

use serde_json::json;

use brunt_test_program::{Files, Program, Report, binary, command, scratch};

#[test]
fn loadgen_trusts_a_service_only_by_its_certificate() {
    let directory = scratch();
    let ca = directory.path().join("ca.pem");
    let mut target = command(binary());
    target.args([
        "target",
        "rest",
        "--listen",
        "127.0.0.1:0",
        "--listen-tls",
        "127.0.0.1:0",
        "--ca-out",
    ]);
    let mut target = Program::start(target.arg(&ca));
    let mut base = String::new();
    target.wait_until("its addresses", |stdout, _| {
        let line = stdout.lines().find(|line| line.starts_with("https://"));
        line.unwrap_or_default().trim_end_matches('/').clone_into(&mut base);
        stdout.lines().count() >= 2
    });
    let files = Files::new();
    files.ask("look", "/echo/look");
    files.workload("looking", &[("look", 5000)]);
    files.job(&base, 2, &[("looking", 3)], &json!({}));
    let passed = |line: &[&str]| {
        let ended = files.perform(line);
        (Report::read(&ended.stdout).row("look").counts(), ended)
    };
    let (counts, ended) = passed(&["--ca", ca.to_str().unwrap()]);
    assert_eq!(counts, [6, 0, 0], "{ended}");
    let (counts, ended) = passed(&["--insecure"]);
    assert_eq!(counts, [6, 0, 0], "{ended}");
    assert!(ended.stderr.contains("note: the server's certificate is not verified"), "{ended}");
    let (counts, ended) = passed(&[]);
    assert_eq!(counts, [0, 0, 6], "{ended}");
    assert!(ended.output().contains("issued"), "it says why: {ended}");
}
