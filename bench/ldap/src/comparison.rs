//! The comparison: CPU time of the generator for an operation.
//!
//! A tool is started and left to warm up. Then its CPU time is read, and the number of operations that the server has
//! completed by its own count; both are read again at the end of the window, and the two differences give the figure.
//! So neither a tool's start and its compiler nor its own counts affect the result. The tools take turns, round by
//! round, and the median of the rounds counts: a disturbance by another program spoils one round of all tools, not all
//! rounds of one.

use crate::Effort;
use crate::contender::{Contender, Operation, USERS};
use brunt_bench_tool::{Process, pass, share, stopwatch};
use brunt_testbed::{Operations, Options, Slapd, until};
use std::time::Duration;

/// One tool at one operation in one round.
#[derive(Clone, Copy)]
struct Figure {
    cpu_us: f64,
    per_second: f64,
    peak_mib: f64,
}

/// Measures and prints the table.
#[expect(clippy::print_stdout, reason = "the table is the product")]
#[expect(clippy::print_stderr, reason = "progress is for whoever waits")]
pub(crate) fn print(effort: Effort) {
    check();
    let slapd = Slapd::start(Options { users: USERS, log: false, ..Options::default() });
    println!("## CPU time of the generator for an operation, 10 connections, slapd on loopback\n");
    println!("| operation | tool | CPU us/op | brunt is | ops/s | peak MiB |");
    println!("|---|---|---:|---:|---:|---:|");
    for operation in Operation::ALL {
        let mut figures = Contender::ALL.map(|_| Vec::new());
        for round in 1..=effort.rounds {
            for (contender, figures) in Contender::ALL.into_iter().zip(&mut figures) {
                eprintln!(
                    "{} by {}, round {round} of {}",
                    operation.word(),
                    contender.name(),
                    effort.rounds
                );
                figures.push(measure(&slapd, contender, operation, effort));
            }
        }
        let medians = figures.map(|figures| median(&figures));
        for (contender, figure) in Contender::ALL.into_iter().zip(&medians) {
            let Figure { cpu_us, per_second, peak_mib } = figure;
            let ratio = if contender == Contender::Brunt {
                "-".into()
            } else {
                share(medians[0].cpu_us, *cpu_us)
            };
            let (operation, name) = (operation.word(), contender.name());
            println!(
                "| {operation} | {name} | {cpu_us:.2} | {ratio} | {per_second:.0} | {peak_mib:.1} |"
            );
        }
    }
    println!();
}

/// Lets each tool run for a moment against a server that logs, and panics unless all it asked was the
/// operation it is measured by and every answer was success: a refusal costs less than the work.
#[expect(clippy::print_stderr, reason = "progress is for whoever waits")]
pub(crate) fn check() {
    let slapd = Slapd::start(Options { users: USERS, ..Options::default() });
    for contender in Contender::ALL {
        for operation in Operation::ALL {
            eprintln!("checking {} by {}", operation.word(), contender.name());
            let before = slapd.operations();
            let directory = tempfile::tempdir().expect("a temporary directory");
            let log = directory.path().join("log");
            let mut tool = Process::start(contender.command(operation, slapd.port(), 30), &log);
            // Some hundreds of operations, however long this machine takes to get to them.
            let size = || std::fs::metadata(slapd.log()).map_or(0, |file| file.len());
            let enough = size() + 300_000;
            until(Duration::from_secs(60), || {
                // Asked for only in order to fail if it ended early.
                tool.cpu();
                size() > enough
            });
            drop(tool);
            let seen = slapd.operations().since(&before);
            let count = completed_of(&seen, operation);
            let login = if operation == Operation::Bind { 0 } else { seen.binds };
            let others = seen.requests() - count - login;
            let failed = seen.results.values().sum::<u64>() - seen.with_result(0);
            let name = contender.name();
            assert!(
                count > 100 && failed == 0 && others == 0 && login <= 20,
                "{name} asked for other things: {seen:?}"
            );
            assert!(
                seen.entries >= if operation == Operation::Search { count - 20 } else { 0 },
                "{name}: {seen:?}"
            );
        }
    }
}

fn measure(slapd: &Slapd, contender: Contender, operation: Operation, effort: Effort) -> Figure {
    let warm_s = if contender.is_java() { effort.warm_java_s } else { effort.warm_s };
    // Longer than it is watched, so that it is still at full speed when the window closes.
    let command = contender.command(operation, slapd.port(), warm_s + effort.window_s + 30);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut tool = Process::start(command, &directory.path().join("log"));
    pass(warm_s);
    let clock = stopwatch();
    let (cpu, count) = (tool.cpu(), completed(slapd, operation));
    pass(effort.window_s);
    let (cpu, count) = (tool.cpu().saturating_sub(cpu), completed(slapd, operation) - count);
    let seconds = clock().as_secs_f64();
    let peak_mib = tool.resident_peak_kib() as f64 / 1024.0;
    drop(tool);
    assert!(count > 0, "{} did no {} at all", contender.name(), operation.word());
    Figure {
        cpu_us: cpu.as_nanos() as f64 / 1e3 / count as f64,
        per_second: count as f64 / seconds,
        peak_mib,
    }
}

fn completed(slapd: &Slapd, operation: Operation) -> u64 {
    completed_of(&slapd.completed(), operation)
}

fn completed_of(seen: &Operations, operation: Operation) -> u64 {
    match operation {
        Operation::Bind => seen.binds,
        Operation::Search => seen.searches,
        Operation::Modify => seen.modifies,
    }
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
        assert!((median(&[figure(1.0, 0.0), figure(2.0, 0.0)]).cpu_us - 1.5).abs() < 1e-9);
    }
}
