//! Figures for other tools: what Prometheus scrapes, what an OpenTelemetry collector receives, what Grafana queries.
//! Each is compared with the record of the same run, and read by independent readers: promtool, Prometheus, and a
//! protobuf decoder that knows only field numbers.

mod authority;
mod dashboard;
mod exposition;
mod groups;
mod otlp;
mod protobuf;

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use brunt_record::{Histogram, Latency, OperationRecord};
use brunt_testbed::until;

use brunt_test_program::Program;

/// What a server answers to a GET: its head and its body.
fn fetch(address: &str, path: &str, accept: &str) -> Option<(String, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nAccept: {accept}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.to_owned(), body.to_owned()))
}

/// Where a run serves its figures, once it says so.
fn endpoint(run: &mut Program) -> String {
    run.wait_for_url("metrics: ").replace("http://", "").replace("/metrics", "")
}

/// Scrapes until the run is over, and returns the last text.
fn scrape_to_the_end(address: &str) -> String {
    let mut last = String::new();
    let over = until(Duration::from_secs(60), || {
        if let Some((_, text)) = fetch(address, "/metrics", "text/plain") {
            last = text;
        }
        last.contains("\nbrunt_run_finished 1\n")
    });
    assert!(over, "{last}");
    last
}

/// Counts of operations or groups that other tools are shown, by a name that says which.
fn counts_of(measured: &[OperationRecord]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for operation in measured {
        let (name, of) = (&operation.name, &operation.counts);
        for (outcome, count) in [
            ("ok", of.ok),
            ("failed", of.failed),
            ("timed-out", of.timed_out),
            ("cut-off", of.cut_off),
            ("skipped", of.skipped),
        ] {
            counts.insert(format!("{name}: {outcome}"), count);
        }
        for code in &operation.codes {
            counts.insert(format!("{name}: {} {}", code.class, code.name), code.count);
        }
    }
    counts
}

/// All durations of a latency, those without an answer too.
fn durations(latency: &Latency) -> Histogram {
    latency.histogram().expect("buckets")
}

/// How many of them are no longer than so many seconds.
fn no_longer(durations: &Histogram, seconds: f64) -> u64 {
    let within = |nanos: u64| nanos as f64 <= seconds * 1e9;
    durations.buckets().filter(|(nanos, _)| within(*nanos)).map(|(_, count)| count).sum()
}
