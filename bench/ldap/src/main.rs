//! brunt's LDAP rates beside the original tools and a bare client, on one server in one run.
//!
//! The CPU time of a generator for an operation is compared, because it determines how much load a machine can make and
//! how much making the load disturbs the measurement. Rates are printed too, but on loopback they depend on the server
//! and on the other programs that share the cores.

mod comparison;
mod contender;
mod memory;
mod pacing;
mod pingpong;

use std::process::ExitCode;

/// How long and how often things are measured.
#[derive(Clone, Copy)]
struct Effort {
    rounds: usize,
    /// Seconds a Java tool runs before it is measured: its compiler is done with the hot code by then.
    warm_java_s: u64,
    /// Seconds any other tool runs before it is measured: its connections are open by then.
    warm_s: u64,
    window_s: u64,
    pacing_s: u64,
}

const FULL: Effort = Effort { rounds: 3, warm_java_s: 12, warm_s: 2, window_s: 10, pacing_s: 10 };
const QUICK: Effort = Effort { rounds: 1, warm_java_s: 8, warm_s: 1, window_s: 4, pacing_s: 5 };

#[expect(clippy::print_stderr, reason = "a usage error is for whoever typed it")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (effort, parts) = match words.as_slice() {
        ["pingpong", operation, port] => return pingpong::main(operation, port),
        ["quick", parts @ ..] => (QUICK, parts),
        parts => (FULL, parts),
    };
    match parts {
        [] => {
            comparison::print(effort);
            memory::print();
            pacing::print(effort);
        }
        ["comparison"] => comparison::print(effort),
        ["check"] => comparison::check(),
        ["memory"] => memory::print(),
        ["pacing"] => pacing::print(effort),
        _ => {
            eprintln!("usage: bench/ldap/run [quick] [check|comparison|memory|pacing]");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
