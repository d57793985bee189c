//! How well a rate is kept and what that costs: CPU time for a request at 10,000/s, the rate that the server saw, and
//! brunt's own lag.

use crate::Effort;
use crate::contender::{Contender, Work};
use crate::flood::{Figure, rounds, there};
use crate::server::Server;
use brunt_bench_tool::Process;
use serde_json::Value;

const RATE: u32 = 10_000;

/// Measures and prints the table.
#[expect(clippy::print_stdout, reason = "the table is the product")]
pub(crate) fn print(effort: Effort) {
    let server = Server::start();
    let work = Work::Paced(RATE);
    let contenders = there(work);
    println!("## {RATE} requests a second over 50 connections\n");
    println!("| tool | CPU us/request | requests/s the server saw | peak MiB |");
    println!("|---|---:|---:|---:|");
    let figures = rounds(&server, work, &contenders, effort);
    for (contender, Figure { cpu_us, per_second, peak_mib }) in contenders.iter().zip(&figures) {
        println!("| {} | {cpu_us:.2} | {per_second:.1} | {peak_mib:.1} |", contender.name());
    }
    let record = whole(&server, effort.window_s);
    let achieved = number(&record, "/rates/achieved");
    let off = (achieved / f64::from(RATE) - 1.0) * 100.0;
    let lag = |percentile| percentile_us(&record, "/lag/percentiles", percentile);
    println!(
        "\nA whole run of brunt: {achieved:.1}/s ({off:+.3} %), lag p50 {:.1} us, p99 {:.1} us.\n",
        lag(50.0),
        lag(99.0)
    );
}

/// A run of brunt that came to its end, by its own record.
fn whole(server: &Server, seconds: u64) -> Value {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let work = Work::Paced(RATE);
    let url = server.url(work.protocol());
    let command = Contender::Brunt.command(work, &url, seconds, scratch.path());
    Process::start(command, &scratch.path().join("log")).finish();
    let text = std::fs::read_to_string(scratch.path().join("record.json"));
    serde_json::from_str(&text.expect("brunt wrote the record")).expect("the record is JSON")
}

fn number(record: &Value, place: &str) -> f64 {
    let number = record.pointer(place).and_then(Value::as_f64);
    number.unwrap_or_else(|| panic!("the record has no number at {place}"))
}

fn percentile_us(record: &Value, place: &str, percentile: f64) -> f64 {
    let list = record.pointer(place).and_then(Value::as_array).expect("the record has it");
    let is_it = |entry: &&Value| {
        entry["percentile"].as_f64().is_some_and(|it| (it - percentile).abs() < 1e-9)
    };
    let entry = list.iter().find(is_it);
    entry.map_or_else(|| panic!("no percentile {percentile}"), |entry| number(entry, "/us"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_the_record() {
        let text = r#"{"rates":{"achieved":9999.9},
            "lag":{"percentiles":[{"percentile":50,"us":1.5},{"percentile":99,"us":7}]}}"#;
        let record: Value = serde_json::from_str(text).unwrap();
        assert!((number(&record, "/rates/achieved") - 9999.9).abs() < 1e-9);
        assert!((percentile_us(&record, "/lag/percentiles", 50.0) - 1.5).abs() < 1e-9);
    }
}
