//! The highest rate of a tool: DORA against brunt's embedded server, which costs almost nothing, as fast as the tool
//! can.

use crate::Effort;
use crate::contender::{CARRIED_OUT, Contender, rate};
use crate::datagrams::Datagrams;
use crate::target::Target;
use crate::watched::{Watched, middle};
use brunt_bench_tool::Process;
use brunt_testbed::{Lan, printed};

/// One tool in one round.
struct Figure {
    per_second: f64,
    dropped: f64,
    cores: f64,
}

/// Measures and prints the table.
#[expect(clippy::print_stdout, reason = "the table is the product")]
#[expect(clippy::print_stderr, reason = "progress is for whoever waits")]
pub(crate) fn print(effort: Effort) {
    let lan = Lan::make();
    let _target = Target::start(&lan);
    println!("## Ceiling: DORA with the embedded server, no rate given, {} s\n", effort.window_s);
    println!("| tool | exchanges/s | stage 1 unanswered | cores |");
    println!("|---|---:|---:|---:|");
    let brunts = ["", "--workers 1"].map(|more| (Contender::Brunt, more));
    let others = [Contender::PerfdhcpSingle, Contender::Perfdhcp].map(|it| (it, ""));
    for (contender, more) in brunts.into_iter().chain(others) {
        let name = format!("{} {more}", contender.name());
        let mut rounds = Vec::new();
        for round in 1..=effort.rounds {
            eprintln!("ceiling of {name}, round {round} of {}", effort.rounds);
            rounds.push(measure(&lan, contender, more, effort));
        }
        println!(
            "| {} | {:.0} | {:.2} % | {:.2} |",
            name.trim(),
            middle(&rounds, |figure| figure.per_second),
            100.0 * middle(&rounds, |figure| figure.dropped),
            middle(&rounds, |figure| figure.cores)
        );
    }
    println!();
}

fn measure(lan: &Lan, contender: Contender, more: &str, effort: Effort) -> Figure {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let seconds = effort.warm_s + effort.window_s;
    let command = contender.command(lan, &format!("-p {seconds} {more}"));
    let mut tool = Process::start(command, &directory.path().join("log"));
    let received = || Datagrams::of_client(lan).received;
    // A second less than it runs, so that it is still at work when the window closes.
    let window = Watched::new(&mut tool, effort.warm_s, effort.window_s - 1, received);
    let output = tool.finish_with(&CARRIED_OUT);
    let count_of = |stage, line| {
        printed(&output, stage, line)
            .unwrap_or_else(|| panic!("no {line} of {stage} in:\n{output}"))
    };
    let (sent, offers) = (
        count_of("DISCOVER-OFFER", "sent packets"),
        count_of("DISCOVER-OFFER", "received packets"),
    );
    let per_second = rate(&output).unwrap_or_else(|| panic!("no rate in:\n{output}"));
    // Each exchange is two datagrams received, and the kernel does not flatter.
    let most = window.per_second() / 2.0;
    assert!(
        per_second <= 1.3 * most,
        "{} says {per_second:.0}/s, but received {most:.0} pairs a second",
        contender.name()
    );
    Figure {
        per_second,
        dropped: (sent - offers) as f64 / sent.max(1) as f64,
        cores: window.cores(),
    }
}
