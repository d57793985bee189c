//! The `brunt` program: reads the command line, carries it out, and says how it ended.

use std::io::{self, Write as _};
use std::process::ExitCode;

#[expect(dead_code, reason = "the plan of a run is read here and carried out by what comes next")]
mod cli;

use cli::Command;
use cli::exit::Exit;
use cli::surroundings::Machine;

fn main() -> ExitCode {
    let argv: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    match cli::read(&argv, &Machine) {
        Ok(Command::Print(text)) => print(&text),
        Ok(Command::Write { path, text }) => match std::fs::write(&path, text) {
            Ok(()) => Exit::Ok.into(),
            Err(error) => {
                complain(&format!("failed to write {}: {error}\n", path.display()), Exit::Failed)
            }
        },
        Ok(_) => complain("this build reads command lines only\n", Exit::Failed),
        Err(refusal) => complain(&refusal.text, refusal.exit),
    }
}

/// Prints to standard output. A reader who has seen enough is not an error.
fn print(text: &str) -> ExitCode {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("failed to write to standard output: {error}\n"), Exit::Failed)
        }
        _ => Exit::Ok.into(),
    }
}

/// Says on standard error why the program ends as it does. Where even that cannot be written, the exit code remains.
fn complain(text: &str, exit: Exit) -> ExitCode {
    let _ = io::stderr().lock().write_all(text.as_bytes());
    exit.into()
}
