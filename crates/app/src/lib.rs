//! The commands of brunt as a library: [`carry_out`] reads a command line and carries it out, [`main`] does so for the
//! program.
//!
//! The list of commands is here, with their help and manual pages, and the commands that use the loads of others:
//! find-max, ab, compare, cluster, agent, serve. What makes a load of one protocol is in `protocols`.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use brunt_net::Network;
pub use brunt_run::options::exit::Exit;
pub use brunt_run::options::refusal::Refusal;
use brunt_run::options::surroundings::Machine;
use brunt_run::signals::Signals;
use brunt_run::tool::Tool;
use brunt_run::{console, core_files, fence};

mod cli;
mod commands;
mod tools;

use cli::Command;
use cli::args::Verb;
use cli::cluster::ClusterKind;

/// Carries out the command line of this process.
pub fn main() -> ExitCode {
    main_with(&[])
}

/// The same with the tools of one more protocol, for a program that adds it.
pub fn main_with(tools: &'static [Tool]) -> ExitCode {
    tools::add(tools);
    console::restore_on_panic();
    let argv: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let linked = argv.first().is_some_and(|name| cli::is_older_name(name));
    if linked && !std::io::stderr().is_terminal() {
        console::hold();
    }
    core_files::forbid();
    fence::confine();
    let ended = commands::end_with_agent().map_err(Refusal::failed);
    match ended.and_then(|()| carry_out(&argv)) {
        Ok(exit) => {
            console::release();
            exit.into()
        }
        Err(refusal) => {
            console::refuse(&cli::advice::explained(&refusal.text));
            refusal.exit.into()
        }
    }
}

/// Carries out a command line, whose first word is the name that the program is called by. What it says goes to the
/// standard output and standard error of this process, as the program would write it. These
/// and its signals are those of the whole process, so one command is carried out at a time.
///
/// # Errors
///
/// The command line is wrong, or what it asks for could not be done; the refusal has the message and the exit code.
pub fn carry_out(argv: &[String]) -> Result<Exit, Refusal> {
    cli::read(argv, &Machine).and_then(|command| {
        if command.is_quiet() {
            console::hold();
        } else if command.run_options().is_some_and(|options| options.summary || options.details) {
            console::release();
        }
        let made = command.fence_options().map(|options| fence::network(&options));
        let network = made.unwrap_or_else(|| Ok(Network::private()))?;
        fence::judged(dispatched(command, &network), &network)
    })
}

fn dispatched(command: Command, network: &Network) -> Result<Exit, Refusal> {
    match command {
        Command::Print(text) => console::print(&text),
        Command::Write { path, text, told } => {
            console::write(&path, &text).and_then(|_| console::print(&told))
        }
        Command::WriteAll { directory, files } => console::write_all(&directory, &files),
        Command::Load(load) => load.run(&Signals::default(), network),
        Command::Task(task) => task.run(&Signals::default(), network),
        Command::Verb(verb) => dispatched_verb(verb),
        Command::ServeChild => commands::serve_child(),
        Command::StepChild { task, words } => commands::step_child(&task, &words),
        Command::BrokerChild { config, parent } => Ok(commands::broker_child(&config, parent)),
    }
}

/// Carries out a command that clap parses.
fn dispatched_verb(verb: Verb) -> Result<Exit, Refusal> {
    let signals = &Signals::default();
    match verb {
        Verb::FindMax(args) => commands::find_max(&args, signals),
        Verb::Report(args) => commands::report(&args),
        Verb::Sizing(args) => commands::sizing(&args),
        Verb::Merge(args) => commands::merge(&args),
        Verb::Cluster { kind: ClusterKind::Run(args) } => commands::cluster_run(&args, signals),
        Verb::Agent(args) => commands::agent(&args, signals),
        Verb::Agents(args) => commands::agents(&args),
        Verb::Cluster { kind: ClusterKind::Check(args) } => commands::cluster_check(&args),
        Verb::Cluster { kind: ClusterKind::Keys(args) } => commands::cluster_keys(&args),
        Verb::Cluster { kind: ClusterKind::Manifest(args) } => commands::cluster_manifest(&args),
        Verb::Compare(args) => commands::compare(&args),
        Verb::Ab(args) => commands::ab(&args),
        Verb::Trend(args) => commands::trend(&args),
        Verb::Serve(args) => commands::serve(&args),
        Verb::Push(args) => commands::push(&args),
        Verb::Target { kind } => commands::target(&kind),
        Verb::Calibrate(args) => commands::calibrate(&args),
        Verb::Quickstart(args) => commands::quickstart(&args),
        Verb::Help { .. } | Verb::Completions { .. } | Verb::Man { .. } => {
            unreachable!("they were made into texts as the command line was read")
        }
    }
}
