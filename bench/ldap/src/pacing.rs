//! How well a rate is kept: requested, achieved, and the 99th percentile of the lag, against the embedded directory,
//! which answers faster than any other server would.
//!
//! The figures are those of brunt's own record; the tests compare them with the server's counts.

use crate::Effort;
use crate::memory::target;
use brunt_bench_tool::{Process, brunt};
use brunt_testbed::{PASSWORD, PEOPLE_DN};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const RATES: [u32; 4] = [200, 1_000, 5_000, 20_000];

/// Measures and prints the table.
#[expect(clippy::print_stdout, reason = "the table is the product")]
pub(crate) fn print(effort: Effort) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (_target, port) = target(directory.path());
    println!("## Pacing: binds at a fixed rate over 10 connections for {} s\n", effort.pacing_s);
    println!("| asked /s | achieved /s | off by | lag p99 ms | verdict |");
    println!("|---:|---:|---:|---:|---|");
    for rate in RATES {
        let record = run(rate, port, effort.pacing_s, directory.path());
        let achieved = number(&record, "/rates/achieved");
        let lag_ms = lag_us(&record, 99.0) / 1e3;
        let verdict = record.pointer("/verdict/status").and_then(Value::as_str).unwrap_or("none");
        let off = (achieved / f64::from(rate) - 1.0) * 100.0;
        println!("| {rate} | {achieved:.1} | {off:+.3} % | {lag_ms:.3} | {verdict} |");
    }
    println!();
}

fn run(rate: u32, port: u16, seconds: u64, directory: &Path) -> Value {
    let record = directory.join(format!("pacing-{rate}.json"));
    let mut command = Command::new(brunt());
    command.args([
        "authrate",
        "--noPropertiesFile",
        "-h",
        "127.0.0.1",
        "-p",
        &port.to_string(),
        "-f",
        "-c",
        "10",
    ]);
    command.args([
        "-D",
        &format!("uid=user.{{}},{PEOPLE_DN}"),
        "-w",
        PASSWORD,
        "-g",
        "rand(0,2000)",
    ]);
    command
        .args(["-M", &rate.to_string(), "-d", &seconds.to_string(), "-e", "99", "--record"])
        .arg(&record);
    Process::start(command, &directory.join("authrate.log")).finish();
    let text = std::fs::read_to_string(&record).expect("brunt wrote the record it was asked for");
    serde_json::from_str(&text).expect("the record is JSON")
}

/// The figure at a place of the record.
fn number(record: &Value, place: &str) -> f64 {
    record
        .pointer(place)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("the record has no number at {place}"))
}

/// The microseconds of one percentile of the lag.
fn lag_us(record: &Value, percentile: f64) -> f64 {
    let list =
        record.pointer("/lag/percentiles").and_then(Value::as_array).expect("the record has a lag");
    let is_it = |entry: &&Value| {
        entry["percentile"].as_f64().is_some_and(|it| (it - percentile).abs() < 1e-9)
    };
    let entry = list
        .iter()
        .find(is_it)
        .unwrap_or_else(|| panic!("the record has no percentile {percentile} of the lag"));
    number(entry, "/us")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_the_record() {
        let text = r#"{"rates":{"achieved":199.9},
            "lag":{"percentiles":[{"percentile":50,"us":1},{"percentile":99,"us":7}]}}"#;
        let record: Value = serde_json::from_str(text).unwrap();
        assert!((number(&record, "/rates/achieved") - 199.9).abs() < 1e-9);
        assert!((lag_us(&record, 99.0) - 7.0).abs() < 1e-9);
    }
}
