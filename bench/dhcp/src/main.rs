//! brunt perfdhcp beside the original perfdhcp and a bare client, on one Kea in one run.
//!
//! The properties that determine how far a generator can be trusted are measured one by one: the processor time of an
//! exchange, the cost of waiting, the evenness of its packets, the packets it loses itself when the server cannot keep
//! up, its highest rate, and whether its memory stays constant. Clients and server are two network namespaces joined by
//! a wire, which share the machine's cores; so rates depend on the machine, and ratios on the tools.

mod bare;
mod batch;
mod ceiling;
mod comparison;
mod contender;
mod datagrams;
mod gaps;
mod idle;
mod memory;
mod overload;
mod pacing;
mod sink;
mod target;
mod watched;

use brunt_bench_tool::machine;
use std::process::ExitCode;

/// How long and how often things are measured.
#[derive(Clone, Copy)]
struct Effort {
    rounds: usize,
    /// Seconds a tool runs before it is watched.
    warm_s: u64,
    /// Seconds it is watched.
    window_s: u64,
    /// Seconds of waiting that are watched.
    idle_s: u64,
    /// Exchanges in the run that must not grow.
    overload: u64,
}

const FULL: Effort =
    Effort { rounds: 3, warm_s: 2, window_s: 10, idle_s: 20, overload: 10_000_000 };
const QUICK: Effort = Effort { rounds: 1, warm_s: 1, window_s: 4, idle_s: 5, overload: 1_000_000 };

type Part = (&'static str, fn(Effort));

const PARTS: [Part; 7] = [
    ("comparison", comparison::print),
    ("idle", idle::print),
    ("pacing", pacing::print),
    ("overload", overload::print),
    ("ceiling", ceiling::print),
    ("batch", batch::print),
    ("memory", memory::print),
];

#[expect(clippy::print_stdout, reason = "the tables are the product")]
#[expect(clippy::print_stderr, reason = "a usage error is for whoever typed it")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["bare", words @ ..] = words.as_slice() {
        return bare::main(words);
    }
    if words == ["check"] {
        comparison::check();
        return ExitCode::SUCCESS;
    }
    let Some((effort, parts)) = chosen(&words) else {
        let names = PARTS.map(|(name, _)| name).join("|");
        eprintln!("usage: bench/dhcp/run [quick] [check|{names}]");
        return ExitCode::from(2);
    };
    println!("# DHCP, on {}\n", machine());
    for (_, part) in parts {
        part(effort);
    }
    ExitCode::SUCCESS
}

/// What the words of the command line ask for.
fn chosen(words: &[&str]) -> Option<(Effort, Vec<Part>)> {
    let (effort, names) = match words {
        ["quick", names @ ..] => (QUICK, names),
        names => (FULL, names),
    };
    let parts = match names {
        [] => PARTS.to_vec(),
        [name] => vec![*PARTS.iter().find(|(known, _)| known == name)?],
        _ => return None,
    };
    Some((effort, parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_choose_parts_and_effort() {
        let (effort, parts) = chosen(&[]).unwrap();
        assert_eq!((effort.rounds, parts.len()), (3, PARTS.len()));
        let (effort, parts) = chosen(&["quick", "idle"]).unwrap();
        assert_eq!((effort.rounds, parts.len()), (1, 1));
        assert!(chosen(&["quick", "everything"]).is_none());
        assert!(chosen(&["idle", "pacing"]).is_none());
    }
}
