//! `brunt find-max` on a real Kea: what Kea received compared with what was sent.

use brunt_testbed::KeaOptions;
use serde_json::Value;

use crate::network::v4;

#[test]
fn find_max_counts_agree_with_kea() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("found.json");
    let mut brunt = lan.client(env!("CARGO_BIN_EXE_brunt"));
    brunt.args(["find-max", "--second", "100ms", "--confirm", "60s", "--seed", "7"]);
    brunt.args(["--slo", "p90<2s", "--slo", "achieved>=50%", "--from", "100/s", "--to", "200/s"]);
    brunt.args(["--allow", "10.77.0.1", "--server-cpu"]);
    brunt.arg(format!("kea:{}", kea.control().display())).arg("--record").arg(&file);
    brunt.args(["--", "perfdhcp", "-4", "-l", "lan0", "-R", "1000", "10.77.0.1"]);
    let ended = brunt.output().expect("it can be started");
    let message = String::from_utf8_lossy(&ended.stderr);
    let printed = String::from_utf8_lossy(&ended.stdout);
    // Where a busy machine let no step pass, there is no claim.
    assert!(matches!(ended.status.code(), Some(4 | 9)), "{printed}\n{message}");
    assert!(message.contains("Kea counts messages and knows no processor time"), "{message}");
    let text = std::fs::read_to_string(&file).expect("the record is there");
    let found: Value = serde_json::from_str(&text).expect("JSON");
    let cells = found["cells"].as_array().expect("steps");
    // The longest step of which both are known: how many there are depends on how busy this machine is.
    let known =
        cells.iter().map(|cell| &cell["figures"]).filter(|it| it["server_counted"].is_f64());
    let judged = |it: &Value| it["judged_s"].as_f64().unwrap_or_default();
    let figures = known.max_by(|a, b| judged(a).total_cmp(&judged(b)));
    let figures = figures.expect("Kea was read");
    let figure = |name: &str| figures[name].as_f64().unwrap_or_else(|| panic!("{name}: {figures}"));
    // A DISCOVER and a REQUEST each; arrivals are random, and both are counted over a little less than the step.
    let ratio = figure("server_counted") / figure("achieved");
    // On a busy machine no step may have been held for long, and moments at both ends of a short one are a large part.
    let near = if judged(figures) >= 4.0 { 1.8..2.2 } else { 1.4..2.6 };
    assert!(near.contains(&ratio), "{ratio}: {figures}");
}
