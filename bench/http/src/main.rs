//! brunt's HTTP load beside other common tools, on one nginx in one run.
//!
//! The CPU time of a generator for a request is compared, because it determines how much load a machine can make and
//! how much making the load disturbs the measurement. Requests are counted by the server.

mod contender;
mod flood;
mod overload;
mod pacing;
mod server;
mod users;

use std::process::ExitCode;

/// How long and how often things are measured.
#[derive(Clone, Copy)]
struct Effort {
    rounds: usize,
    /// Seconds a tool runs before it is measured: its connections are open by then.
    warm_s: u64,
    window_s: u64,
    /// Seconds of each load that a server cannot bear.
    overload_s: u64,
}

const FULL: Effort = Effort { rounds: 3, warm_s: 2, window_s: 8, overload_s: 20 };
const QUICK: Effort = Effort { rounds: 1, warm_s: 1, window_s: 4, overload_s: 10 };

#[expect(clippy::print_stderr, reason = "a usage error is for whoever typed it")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (effort, parts) = match words.as_slice() {
        ["quick", parts @ ..] => (QUICK, parts),
        parts => (FULL, parts),
    };
    match parts {
        [] => {
            flood::print(effort);
            pacing::print(effort);
            users::print();
            overload::print(effort.overload_s);
        }
        ["check"] => {
            users::check();
            flood::check();
        }
        ["flood"] => flood::print(effort),
        ["pacing"] => pacing::print(effort),
        ["users"] => users::print(),
        ["overload"] => overload::print(effort.overload_s),
        _ => {
            eprintln!("usage: bench/http/run [quick] [check|flood|pacing|users|overload]");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
