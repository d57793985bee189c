//! Whether memory grows with a run without answers: millions of exchanges, all of them lost.

use crate::Effort;
use crate::contender::{CARRIED_OUT, Contender};
use crate::sink::Deaf;
use brunt_bench_tool::{Process, median, pass_for};
use brunt_testbed::{Lan, printed};
use std::time::Duration;

/// The old tool keeps what is not answered, so it is given no more than a machine can hold.
const BEARABLE: u64 = 200_000;
const RATE: u32 = 50_000;
/// How often memory is looked at.
const GLANCE: Duration = Duration::from_millis(100);

/// Measures and prints the table.
#[expect(clippy::print_stdout, reason = "the table is the product")]
#[expect(clippy::print_stderr, reason = "progress is for whoever waits")]
pub(crate) fn print(effort: Effort) {
    let lan = Lan::make();
    let _deaf = Deaf::open(&lan);
    println!("## Memory over a run that nobody answers, at {RATE}/s\n");
    println!("| tool | exchanges | MiB in the first tenth | in the last tenth | at most |");
    println!("|---|---:|---:|---:|---:|");
    for (contender, number) in
        [(Contender::Brunt, effort.overload), (Contender::Perfdhcp, BEARABLE)]
    {
        let name = contender.name();
        eprintln!("memory of {name} over {number} exchanges");
        let directory = tempfile::tempdir().expect("a temporary directory");
        let arguments = format!("-i -r {RATE} -n {number} -d 0.1");
        let command = contender.command(&lan, &arguments);
        let mut tool = Process::start(command, &directory.path().join("log"));
        let mut seen = Vec::new();
        while tool.is_running() {
            seen.extend(tool.resident_kib());
            pass_for(GLANCE);
        }
        let output = tool.finish_with(&CARRIED_OUT);
        let sent = printed(&output, "DISCOVER-OFFER", "sent packets").unwrap_or(0);
        assert!(sent >= number, "{name} sent {sent} of {number}; it said:\n{output}");
        let Memory { first, last, most } = Memory::new(&seen);
        println!("| {name} | {sent} | {first:.1} | {last:.1} | {most:.1} |");
    }
    println!();
}

/// Memory in the course of a run, in MiB.
struct Memory {
    first: f64,
    last: f64,
    most: f64,
}

impl Memory {
    /// Of what was seen at regular times, in KiB. The first moments are the start's, and stay out.
    fn new(seen: &[u64]) -> Self {
        assert!(seen.len() >= 3, "the run was over before it could be looked at");
        let mib: Vec<f64> = seen[1..].iter().map(|kib| *kib as f64 / 1024.0).collect();
        let tenth = mib.len().div_ceil(10);
        Self {
            first: median(mib[..tenth].iter().copied()),
            last: median(mib[mib.len() - tenth..].iter().copied()),
            most: mib.iter().copied().fold(0.0, f64::max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_compares_the_first_and_last_tenth() {
        // The first look falls into the start; after it twenty looks, a MiB more in each.
        let seen: Vec<u64> = std::iter::once(1).chain((1..=20).map(|mib| mib * 1024)).collect();
        let Memory { first, last, most } = Memory::new(&seen);
        assert!((first - 1.5).abs() < 1e-9 && (last - 19.5).abs() < 1e-9);
        assert!((most - 20.0).abs() < 1e-9);
        let Memory { first, last, .. } = Memory::new(&[9, 2_048, 2_048]);
        assert!((first - last).abs() < 1e-9);
    }
}
