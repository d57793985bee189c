//! The effect of several datagrams in one system call: brunt with batches of one, of 8 and of 64, at a rate and as fast
//! as it can.

use crate::Effort;
use crate::contender::{CARRIED_OUT, Contender, rate};
use crate::datagrams::Datagrams;
use crate::target::Target;
use crate::watched::{Watched, middle};
use brunt_bench_tool::{Process, share};
use brunt_testbed::Lan;

const SIZES: [u32; 3] = [1, 8, 64];
const RATE: u32 = 10_000;

/// Measures and prints the table.
#[expect(clippy::print_stdout, reason = "the table is the product")]
#[expect(clippy::print_stderr, reason = "progress is for whoever waits")]
pub(crate) fn print(effort: Effort) {
    let lan = Lan::make();
    let _target = Target::start(&lan);
    println!(
        "## Batches: datagrams a system call carries at most, DORA with the embedded server\n"
    );
    println!(
        "| batch | CPU us/exchange at {RATE}/s | beside single calls | flat out, exchanges/s |"
    );
    println!("|---:|---:|---:|---:|");
    let mut paced = SIZES.map(|_| Vec::new());
    let mut fastest = SIZES.map(|_| Vec::new());
    for round in 1..=effort.rounds {
        for (number, size) in SIZES.into_iter().enumerate() {
            eprintln!("batches of {size}, round {round} of {}", effort.rounds);
            paced[number].push(at_a_rate(&lan, size, effort));
            fastest[number].push(flat_out(&lan, size, effort));
        }
    }
    // Two datagrams received are one exchange.
    let cost = |windows: &[Watched]| 2.0 * middle(windows, Watched::cpu_us);
    let single = cost(&paced[0]);
    for (number, size) in SIZES.into_iter().enumerate() {
        let each = cost(&paced[number]);
        let ratio = if number == 0 { "-".to_owned() } else { share(each, single) };
        let most = middle(&fastest[number], |it| *it);
        println!("| {size} | {each:.1} | {ratio} | {most:.0} |");
    }
    println!();
}

fn at_a_rate(lan: &Lan, size: u32, effort: Effort) -> Watched {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let seconds = effort.warm_s + effort.window_s + 30;
    let arguments = format!("-r {RATE} -p {seconds} --batch {size}");
    let command = Contender::Brunt.command(lan, &arguments);
    let mut tool = Process::start(command, &directory.path().join("log"));
    let received = || Datagrams::of_client(lan).received;
    Watched::new(&mut tool, effort.warm_s, effort.window_s, received)
}

fn flat_out(lan: &Lan, size: u32, effort: Effort) -> f64 {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let command = Contender::Brunt.command(lan, &format!("-p {} --batch {size}", effort.window_s));
    let output = Process::start(command, &directory.path().join("log")).finish_with(&CARRIED_OUT);
    rate(&output).unwrap_or_else(|| panic!("no rate in:\n{output}"))
}
