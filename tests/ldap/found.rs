//! `brunt find-max` on a real directory: what it observed of the server beside what it did itself.

use std::process::Command;

use brunt_testbed::{ADMIN_DN, PASSWORD};
use serde_json::Value;

use crate::directory::slapd;

#[test]
fn find_max_counts_agree_with_the_directory() {
    let Some(slapd) = slapd(10) else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("found.json");
    let mut brunt = Command::new(env!("CARGO_BIN_EXE_brunt"));
    brunt.args(["find-max", "--second", "100ms", "--confirm", "60s", "--seed", "7"]);
    brunt.args(["--slo", "p90<2s", "--slo", "achieved>=50%", "--from", "200/s", "--to", "400/s"]);
    brunt.args(["--server-cpu", "monitor", "--record"]).arg(&file);
    brunt.args(["--", "searchrate", "--no-prompt", "--noPropertiesFile", "-h", "127.0.0.1", "-p"]);
    brunt.arg(slapd.port().to_string()).args(["-D", ADMIN_DN, "-w", PASSWORD, "-F", "-c", "4"]);
    brunt.args(["-b", "dc=example,dc=com", "-g", "inc(0,9)", "(uid=user.{})"]);
    let ended = brunt.output().expect("it can be started");
    let message = String::from_utf8_lossy(&ended.stderr);
    let printed = String::from_utf8_lossy(&ended.stdout);
    // Where a busy machine let no step pass, there is no claim.
    assert!(matches!(ended.status.code(), Some(4 | 9)), "{printed}\n{message}");
    // What a monitor does not know is said, and not made up.
    assert!(message.contains("--server-cpu monitor: cn=monitor counts operations"), "{message}");
    assert!(printed.contains("operations by cn=monitor"), "{printed}");
    let text = std::fs::read_to_string(&file).expect("the record is there");
    let found: Value = serde_json::from_str(&text).expect("JSON");
    let cells = found["cells"].as_array().expect("steps");
    // The longest step of which both are known: how many there are depends on how busy this machine is.
    let known =
        cells.iter().map(|cell| &cell["figures"]).filter(|it| it["server_counted"].is_f64());
    let judged = |it: &Value| it["judged_s"].as_f64().unwrap_or_default();
    let figures = known.max_by(|a, b| judged(a).total_cmp(&judged(b)));
    let figures = figures.expect("the monitor was read");
    assert!(figures["server_cpu"].is_null(), "{figures}");
    let figure = |name: &str| figures[name].as_f64().unwrap_or_else(|| panic!("{name}: {figures}"));
    let ratio = figure("server_counted") / figure("achieved");
    // One search each; beside them eight a second of the monitor's own, and arrivals are random.
    // On a busy machine no step may have been held for long, and moments at both ends of a short one are a large part.
    let near = if judged(figures) >= 4.0 { 0.9..1.2 } else { 0.7..1.6 };
    assert!(near.contains(&ratio), "{ratio}: {figures}");
}
