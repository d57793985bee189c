//! The `brunt` program: reads the command line, carries it out, and says how it ended.

use std::process::ExitCode;

mod asked;
mod ceiling;
mod cli;
mod commands;
mod console;
mod dhcp;
mod flows;
mod http;
mod import;
mod leases;
mod loadgen;
mod measured;
mod names;
mod plan;
mod rates;
mod run;
mod schedules;
mod signals;

use cli::exit::Exit;
use cli::surroundings::Machine;
use cli::{Command, Refusal};
use rates::Voice;
use signals::Signals;

fn main() -> ExitCode {
    let argv: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    match cli::read(&argv, &Machine).and_then(carry_out) {
        Ok(exit) => exit.into(),
        Err(refusal) => {
            console::tell(&refusal.text);
            refusal.exit.into()
        }
    }
}

fn carry_out(command: Command) -> Result<Exit, Refusal> {
    match command {
        Command::Print(text) => console::print(&text),
        Command::Write { path, text } => console::write(&path, &text),
        Command::SampleRateFile(path) => console::write(&path, brunt_feed::rates::SAMPLE),
        Command::Rate(args) => {
            rates::run(&args, &Signals::default(), Voice::Aloud).map(|outcome| outcome.exit)
        }
        Command::Perfdhcp(args) => {
            dhcp::run(&args, &Signals::default(), Voice::Aloud).map(|outcome| outcome.exit)
        }
        Command::Loadgen(args) => loadgen::run(&args, &Signals::default()),
        Command::Run(args) => plan::run(&args, &Signals::default()),
        Command::Http(args) => http::run(&args, &Signals::default()),
        Command::Import(kind) => import::run(&kind),
        Command::Names(kind) => names::run(&kind, &Signals::default()),
        Command::Leases(args) => leases::run(&args, &Signals::default()),
        Command::Ubench(args) => leases::ubench(&args, &Signals::default()),
        Command::UbenchUsage { complaint, usage } => {
            console::tell(&complaint);
            console::print(&usage).map(|_| Exit::Failed)
        }
        Command::Report(args) => commands::report(&args),
        Command::Merge(args) => commands::merge(&args),
        Command::Target(kind) => commands::target(&kind),
        Command::Calibrate(args) => commands::calibrate(&args),
        Command::Quickstart(args) => commands::quickstart(&args),
    }
}
