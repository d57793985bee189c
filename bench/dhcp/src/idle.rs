//! The cost of waiting: the share of a core at one exchange a second.

use crate::Effort;
use crate::comparison::kea;
use crate::contender::Contender;
use crate::watched::{Watched, middle};
use brunt_bench_tool::Process;
use brunt_testbed::Lan;

/// Measures and prints the table.
#[expect(clippy::print_stdout, reason = "the table is the product")]
#[expect(clippy::print_stderr, reason = "progress is for whoever waits")]
pub(crate) fn print(effort: Effort) {
    let lan = Lan::make();
    let kea = kea(&lan);
    let directory = tempfile::tempdir().expect("a temporary directory");
    println!("## Waiting: one exchange a second with Kea\n");
    println!("| tool | share of a core |");
    println!("|---|---:|");
    for contender in Contender::ALL {
        let mut windows = Vec::new();
        for round in 1..=effort.rounds {
            eprintln!("1/s by {}, round {round} of {}", contender.name(), effort.rounds);
            let seconds = effort.warm_s + effort.idle_s + 30;
            let command = contender.command(&lan, &format!("-r 1 -p {seconds}"));
            let mut tool = Process::start(command, &directory.path().join("log"));
            let acks = || kea.statistic("pkt4-ack-sent");
            windows.push(Watched::new(&mut tool, effort.warm_s, effort.idle_s, acks));
        }
        let share = 100.0 * middle(&windows, Watched::cores);
        println!("| {} | {share:.2} % |", contender.name());
    }
    println!();
}
