//! More than the server can sustain: what a tool then loses in its own socket and counts as the server's losses.

use crate::Effort;
use crate::comparison::kea;
use crate::contender::{CARRIED_OUT, Contender};
use crate::datagrams::Datagrams;
use crate::watched::middle;
use brunt_bench_tool::Process;
use brunt_testbed::{Kea, Lan, printed};

const RATE: u32 = 15_000;
const SECONDS: u32 = 5;

/// One tool in one round.
struct Figure {
    sent: u64,
    done: u64,
    lost_by_client: u64,
    lost_by_server: u64,
}

/// Measures and prints the table.
#[expect(clippy::print_stdout, reason = "the table is the product")]
#[expect(clippy::print_stderr, reason = "progress is for whoever waits")]
pub(crate) fn print(effort: Effort) {
    let lan = Lan::make();
    println!("## Overload: {RATE} exchanges/s with Kea for {SECONDS} s\n");
    println!("| tool | begun | completed | datagrams lost in the tool's socket | in Kea's |");
    println!("|---|---:|---:|---:|---:|");
    for contender in Contender::TOOLS {
        let mut rounds = Vec::new();
        for round in 1..=effort.rounds {
            eprintln!("overload by {}, round {round} of {}", contender.name(), effort.rounds);
            // One of its own, for what is left in the queue of the last one is not this tool's.
            let kea = kea(&lan);
            rounds.push(measure(&lan, &kea, contender));
        }
        let [sent, done, lost_by_client, lost_by_server] = [
            |figure: &Figure| figure.sent as f64,
            |figure: &Figure| figure.done as f64,
            |figure: &Figure| figure.lost_by_client as f64,
            |figure: &Figure| figure.lost_by_server as f64,
        ]
        .map(|pick| middle(&rounds, pick));
        println!(
            "| {} | {sent:.0} | {done:.0} | {lost_by_client:.0} | {lost_by_server:.0} |",
            contender.name()
        );
    }
    println!();
}

fn measure(lan: &Lan, kea: &Kea, contender: Contender) -> Figure {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let before = (Datagrams::of_client(lan), Datagrams::of_server(lan));
    let command = contender.command(lan, &format!("-r {RATE} -p {SECONDS}"));
    let output = Process::start(command, &directory.path().join("log")).finish_with(&CARRIED_OUT);
    let client = Datagrams::of_client(lan).since(before.0);
    let server = Datagrams::of_server(lan).since(before.1);
    let count_of = |stage, line| {
        printed(&output, stage, line)
            .unwrap_or_else(|| panic!("no {line} of {stage} in:\n{output}"))
    };
    let done = count_of("REQUEST-ACK", "received packets");
    let acks = kea.statistic("pkt4-ack-sent");
    assert!(done <= acks, "{} says {done} exchanges, Kea {acks}", contender.name());
    Figure {
        sent: count_of("DISCOVER-OFFER", "sent packets"),
        done,
        lost_by_client: client.lost,
        lost_by_server: server.lost,
    }
}
