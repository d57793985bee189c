//! brunt names lookup beside C programs that make only the same lookups, for each access path.
//!
//! Everything runs in a separate mount and process namespace, with its own `/etc` and `/run`: the name service of the
//! machine is neither used nor changed, and all started processes end with the namespace. The figure is the cost of a
//! lookup through brunt relative to that of a loop in C, whose lookups are the same in the same order and are timed as
//! a whole.

mod effort;
mod paths;
mod sandbox;

use effort::{CHECK, FULL, QUICK};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

#[expect(clippy::print_stderr, reason = "a usage error is for whoever typed it")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (inside, words) = match words.as_slice() {
        ["inside", words @ ..] => (true, words),
        words => (false, words),
    };
    let effort = match words {
        [] => FULL,
        ["quick"] => QUICK,
        ["check"] => CHECK,
        _ => {
            eprintln!("usage: bench/names/run [quick|check]");
            return ExitCode::from(2);
        }
    };
    if inside {
        paths::print(effort);
        return ExitCode::SUCCESS;
    }
    let program = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new("unshare");
    command.args(["--mount", "--pid", "--ipc", "--fork", "--kill-child", "--mount-proc"]);
    let error = command.arg(program).arg("inside").args(words).exec();
    eprintln!("failed to start unshare, which needs root: {error}");
    ExitCode::FAILURE
}
