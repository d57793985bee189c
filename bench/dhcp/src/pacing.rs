//! The evenness of sending: the gaps between DHCPDISCOVERs as seen at the other end of the wire.
//!
//! No server answers, so that only the tool's own clock determines when a packet is sent.

use crate::Effort;
use crate::contender::{CARRIED_OUT, Contender};
use crate::gaps::Gaps;
use crate::sink::Sink;
use crate::watched::middle;
use brunt_bench_tool::Process;
use brunt_testbed::Lan;

const RATES: [u32; 4] = [100, 1_000, 5_000, 12_000];
/// The old tool leaves its second slot empty, which is no unevenness of its clock.
const SKIPPED: usize = 2;

/// Measures and prints the table.
#[expect(clippy::print_stdout, reason = "the table is the product")]
#[expect(clippy::print_stderr, reason = "progress is for whoever waits")]
pub(crate) fn print(effort: Effort) {
    let lan = Lan::make();
    println!("## Pacing: DHCPDISCOVERs as they arrive, for {} s\n", effort.window_s);
    println!(
        "| asked /s | tool | achieved /s | off by | gap off by: median us | p99 us | worst us |"
    );
    println!("|---:|---|---:|---:|---:|---:|---:|");
    for rate in RATES {
        for contender in Contender::TOOLS {
            let mut rounds = Vec::new();
            for round in 1..=effort.rounds {
                let name = contender.name();
                eprintln!("pacing {rate}/s by {name}, round {round} of {}", effort.rounds);
                rounds.push(measure(&lan, contender, rate, effort));
            }
            let achieved = middle(&rounds, |gaps| gaps.rate);
            let [half, most, worst] =
                [0, 1, 2].map(|which| middle(&rounds, |gaps| gaps.off_us[which]));
            println!(
                "| {rate} | {} | {achieved:.2} | {:+.3} % | {half:.1} | {most:.1} | {worst:.1} |",
                contender.name(),
                100.0 * (achieved / f64::from(rate) - 1.0)
            );
        }
    }
    println!();
}

fn measure(lan: &Lan, contender: Contender, rate: u32, effort: Effort) -> Gaps {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let sink = Sink::open(lan, (u64::from(rate) * (effort.window_s + 1)) as usize);
    // A tenth of a second is as long as is waited for answers that will not come.
    let arguments = format!("-i -r {rate} -p {} -d 0.1", effort.window_s);
    let command = contender.command(lan, &arguments);
    Process::start(command, &directory.path().join("log")).finish_with(&CARRIED_OUT);
    let stamps = sink.stop();
    let stamps = stamps.get(SKIPPED..).unwrap_or_default();
    Gaps::new(stamps, f64::from(rate))
        .unwrap_or_else(|| panic!("{} sent next to nothing at {rate}/s", contender.name()))
}
