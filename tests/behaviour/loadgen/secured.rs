//! Services over TLS.

use serde_json::json;

use brunt_test_program::{Files, Report, brunt, scratch};

#[test]
fn loadgen_trusts_a_service_only_by_its_certificate() {
    let directory = scratch();
    let ca = directory.path().join("ca.pem");
    let target = brunt("target rest --listen 127.0.0.1:0 --listen-tls 127.0.0.1:0 --ca-out");
    let mut target = target.arg(&ca).start();
    let base = target.wait_for_url("\n");
    let files = Files::new();
    files.ask("look", "/echo/look");
    files.workload("looking", &[("look", 5000)]);
    files.job(&base, 2, &[("looking", 3)], &json!({}));
    let passed = |line: &[&str]| {
        let ended = files.start(line).wait();
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
