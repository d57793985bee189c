//! The comparison: processor time of the client for a DORA exchange, at rates that all can keep.
//!
//! The bare client beside the tools shows how much of it is the kernel's: on a virtual wire a datagram is charged to
//! its sender until it is in the receiver's socket, and at low rates most of the rest is the cost of wake-ups.
//!
//! Exchanges are counted by Kea: the DHCPACKs it sent.

use crate::Effort;
use crate::contender::{CARRIED_OUT, Contender};
use crate::watched::{Watched, middle};
use brunt_bench_tool::{Process, share};
use brunt_testbed::{Kea, KeaOptions, Lan, printed};

const RATES: [u32; 3] = [1_000, 2_000, 5_000];

/// Measures and prints the table.
#[expect(clippy::print_stdout, reason = "the table is the product")]
#[expect(clippy::print_stderr, reason = "progress is for whoever waits")]
pub(crate) fn print(effort: Effort) {
    check();
    let lan = Lan::make();
    let kea = kea(&lan);
    println!("## Processor time of the client for a DORA exchange with Kea\n");
    println!("| asked /s | tool | CPU us/exchange | brunt is | cores | done /s |");
    println!("|---:|---|---:|---:|---:|---:|");
    for rate in RATES {
        let mut rounds = Contender::ALL.map(|_| Vec::new());
        for round in 1..=effort.rounds {
            for (contender, windows) in Contender::ALL.into_iter().zip(&mut rounds) {
                let name = contender.name();
                eprintln!("{rate}/s by {name}, round {round} of {}", effort.rounds);
                windows.push(measure(&lan, &kea, contender, rate, effort));
            }
        }
        let ours = middle(&rounds[0], Watched::cpu_us);
        for (contender, windows) in Contender::ALL.into_iter().zip(&rounds) {
            let cpu_us = middle(windows, Watched::cpu_us);
            let ratio =
                if contender == Contender::Brunt { "-".into() } else { share(ours, cpu_us) };
            println!(
                "| {rate} | {} | {cpu_us:.1} | {ratio} | {:.3} | {:.0} |",
                contender.name(),
                middle(windows, Watched::cores),
                middle(windows, Watched::per_second)
            );
        }
    }
    println!();
}

/// The Kea server that all parts use: its leases only in memory, one thread, and sockets whose losses the system
/// counts.
pub(crate) fn kea(lan: &Lan) -> Kea {
    Kea::v4(lan, &KeaOptions { persist: false, ..KeaOptions::default() })
}

/// Lets each tool do a little and panics unless Kea saw what the tool says it did.
#[expect(clippy::print_stderr, reason = "progress is for whoever waits")]
pub(crate) fn check() {
    let lan = Lan::make();
    let kea = kea(&lan);
    let directory = tempfile::tempdir().expect("a temporary directory");
    for contender in Contender::ALL {
        let name = contender.name();
        eprintln!("checking {name}");
        let before = seen(&kea);
        let command = contender.command(&lan, "-r 200 -p 2");
        let output =
            Process::start(command, &directory.path().join("log")).finish_with(&CARRIED_OUT);
        let after = seen(&kea);
        let [discovers, offers, requests, acks, others] =
            std::array::from_fn(|number| after[number] - before[number]);
        let acked = printed(&output, "REQUEST-ACK", "received packets").unwrap_or(0);
        // The old tool neither fills its first slots nor waits for what is in flight at the end.
        let about = |count: u64| (395..=401).contains(&count);
        assert!(
            [discovers, offers, requests, acks, acked].into_iter().all(about) && others == 0,
            "{name} says {acked} exchanges; Kea saw {discovers} DHCPDISCOVERs, sent {offers} DHCPOFFERs, \
             saw {requests} DHCPREQUESTs, sent {acks} DHCPACKs, and refused or dropped {others}; it said:\n{output}"
        );
    }
}

fn seen(kea: &Kea) -> [u64; 5] {
    let names =
        ["pkt4-discover-received", "pkt4-offer-sent", "pkt4-request-received", "pkt4-ack-sent"];
    let [discovers, offers, requests, acks] = names.map(|name| kea.statistic(name));
    let others = kea.statistic("pkt4-nak-sent") + kea.statistic("pkt4-receive-drop");
    [discovers, offers, requests, acks, others]
}

fn measure(lan: &Lan, kea: &Kea, contender: Contender, rate: u32, effort: Effort) -> Watched {
    let directory = tempfile::tempdir().expect("a temporary directory");
    // Longer than it is watched, so that it is still at work when the window closes.
    let seconds = effort.warm_s + effort.window_s + 30;
    let command = contender.command(lan, &format!("-r {rate} -p {seconds}"));
    let mut tool = Process::start(command, &directory.path().join("log"));
    let acks = || kea.statistic("pkt4-ack-sent");
    let window = Watched::new(&mut tool, effort.warm_s, effort.window_s, acks);
    assert!(window.count > 0, "{} did nothing at all", contender.name());
    window
}
