//! The flood: as many requests as the machine can make, and the CPU time of the generator for one of them.
//!
//! A tool is started and left to warm up. Then its CPU time is read, and the number of requests that the server has
//! answered; both are read again at the end of the window. So neither a tool's start nor its own counts affect the
//! result. The tools take turns, round by round, and the median of the rounds counts.

use crate::Effort;
use crate::contender::{Contender, Protocol, Work, exact};
use crate::server::Server;
use brunt_bench_tool::{Process, machine, pass, share, stopwatch};
use brunt_testbed::until;
use serde_json::Value;
use std::time::Duration;

/// How many requests brunt makes to be compared with the server's log.
const COUNTED: u64 = 2_000;

/// One tool in one round.
#[derive(Clone, Copy)]
pub(crate) struct Figure {
    pub(crate) cpu_us: f64,
    pub(crate) per_second: f64,
    pub(crate) peak_mib: f64,
}

/// Measures and prints the tables.
#[expect(clippy::print_stdout, reason = "the table is the product")]
pub(crate) fn print(effort: Effort) {
    let server = Server::start();
    println!("{}\n", machine());
    for work in Protocol::ALL.map(Work::Flood) {
        println!(
            "## {}: CPU time of the generator for a request, 50 in flight, nginx\n",
            work.words()
        );
        println!("| tool | CPU us/request | brunt is | requests/s | peak MiB |");
        println!("|---|---:|---:|---:|---:|");
        let contenders = there(work);
        let figures = rounds(&server, work, &contenders, effort);
        let ours = figures[0].cpu_us;
        for (contender, Figure { cpu_us, per_second, peak_mib }) in contenders.iter().zip(&figures)
        {
            let name = contender.name();
            let ratio = if *contender == Contender::Brunt {
                "-".to_owned()
            } else {
                format!("{:.2}x, {}", ours / cpu_us, share(ours, *cpu_us))
            };
            println!("| {name} | {cpu_us:.2} | {ratio} | {per_second:.0} | {peak_mib:.1} |");
        }
        println!();
    }
}

/// Those that can do that work and are on this machine; says who is not.
#[expect(clippy::print_stderr, reason = "what is missing is for whoever reads the table")]
pub(crate) fn there(work: Work) -> Vec<Contender> {
    let (there, missing): (Vec<Contender>, Vec<Contender>) = Contender::ALL
        .into_iter()
        .filter(|contender| contender.can(work))
        .partition(|contender| contender.program().is_some());
    for contender in missing {
        eprintln!("{} is not on this machine, so it is not in the table", contender.name());
    }
    there
}

/// The medians of some rounds in which the tools take turns.
#[expect(clippy::print_stderr, reason = "progress is for whoever waits")]
pub(crate) fn rounds(
    server: &Server,
    work: Work,
    contenders: &[Contender],
    effort: Effort,
) -> Vec<Figure> {
    let mut figures = vec![Vec::new(); contenders.len()];
    for round in 1..=effort.rounds {
        for (contender, figures) in contenders.iter().zip(&mut figures) {
            let (name, rounds) = (contender.name(), effort.rounds);
            eprintln!("{} by {name}, round {round} of {rounds}", work.words());
            figures.push(measure(server, *contender, work, effort));
        }
    }
    figures.iter().map(|figures| median(figures)).collect()
}

fn measure(server: &Server, contender: Contender, work: Work, effort: Effort) -> Figure {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let seconds = effort.warm_s + effort.window_s + 20;
    let command = contender.command(work, &server.url(work.protocol()), seconds, scratch.path());
    let mut tool = Process::start(command, &scratch.path().join("log"));
    pass(effort.warm_s);
    let clock = stopwatch();
    let (cpu, count) = (tool.cpu(), server.requests());
    pass(effort.window_s);
    // Our own question is one of them.
    let (cpu, count) = (tool.cpu().saturating_sub(cpu), server.requests() - count - 1);
    let seconds = clock().as_secs_f64();
    let peak_mib = tool.resident_peak_kib() as f64 / 1024.0;
    drop(tool);
    assert!(count > 0, "{} asked for nothing at all", contender.name());
    Figure {
        cpu_us: cpu.as_nanos() as f64 / 1e3 / count as f64,
        per_second: count as f64 / seconds,
        peak_mib,
    }
}

/// Lets each tool run for a moment and panics unless the server sees what it asks for, over the protocol that it is
/// measured with; then compares brunt's count with the server's log.
#[expect(clippy::print_stderr, reason = "progress is for whoever waits")]
pub(crate) fn check() {
    let works = Protocol::ALL.map(Work::Flood).into_iter().chain([Work::Paced(1_000)]);
    for work in works {
        for contender in there(work) {
            let name = contender.name();
            eprintln!("checking {} by {name}", work.words());
            let server = Server::logged();
            let scratch = tempfile::tempdir().expect("a temporary directory");
            let url = server.url(work.protocol());
            let command = contender.command(work, &url, 20, scratch.path());
            let mut tool = Process::start(command, &scratch.path().join("log"));
            until(Duration::from_secs(30), || {
                // Asked for only in order to fail if it ended early.
                tool.cpu();
                let (these, others) = server.in_log(work.protocol());
                assert_eq!(others, 0, "{name} speaks another protocol than {}", work.words());
                these > 300
            });
        }
    }
    for protocol in Protocol::ALL {
        eprintln!("comparing brunt's count of {} with the server's log", protocol.name());
        compare_counts(protocol);
    }
}

/// Panics unless the server's log has exactly the requests that brunt counts.
fn compare_counts(protocol: Protocol) {
    let server = Server::logged();
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let record = scratch.path().join("record.json");
    let command = exact(protocol, &server.url(protocol), COUNTED, &record);
    Process::start(command, &scratch.path().join("log")).finish();
    let text = std::fs::read_to_string(record).expect("brunt wrote the record");
    let record: Value = serde_json::from_str(&text).expect("the record is JSON");
    let counted = record.pointer("/counts/ok").and_then(Value::as_u64);
    assert_eq!(counted, Some(COUNTED), "in the record");
    // A request is logged a moment after its answer was sent.
    until(Duration::from_secs(60), || server.in_log(protocol).0 >= COUNTED);
    assert_eq!(server.in_log(protocol), (COUNTED, 0), "in the server's log");
}

/// Of each column its own median.
fn median(figures: &[Figure]) -> Figure {
    let middle = |pick: fn(&Figure) -> f64| brunt_bench_tool::median(figures.iter().map(pick));
    Figure {
        cpu_us: middle(|figure| figure.cpu_us),
        per_second: middle(|figure| figure.per_second),
        peak_mib: middle(|figure| figure.peak_mib),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_is_taken_per_column() {
        let figure = |cpu_us, per_second| Figure { cpu_us, per_second, peak_mib: 1.0 };
        let odd = median(&[figure(3.0, 10.0), figure(1.0, 30.0), figure(2.0, 20.0)]);
        assert!((odd.cpu_us - 2.0).abs() < 1e-9 && (odd.per_second - 20.0).abs() < 1e-9);
    }
}
