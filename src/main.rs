//! The `brunt` program: reads the command line, carries it out, and says how it ended.

use std::process::ExitCode;

mod cli;
mod commands;
mod console;
mod live;
mod naming;
mod run;
mod tools;
mod web;

use cli::cluster::ClusterKind;
use cli::exit::Exit;
use cli::surroundings::Machine;
use cli::{Command, Refusal};
use run::Verbosity;
use run::signals::Signals;

fn main() -> ExitCode {
    console::restore_on_panic();
    let argv: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    run::core_files::forbid();
    run::fence::confine();
    let ended = commands::end_with_agent().map_err(Refusal::failed);
    let ended = ended.and_then(|()| cli::read(&argv, &Machine)).and_then(|command| {
        run::fence::put_up(&command)?;
        carry_out(command)
    });
    match run::fence::judged(ended) {
        Ok(exit) => exit.into(),
        Err(refusal) => {
            console::refuse(&cli::advice::explained(&refusal.text));
            refusal.exit.into()
        }
    }
}

fn carry_out(command: Command) -> Result<Exit, Refusal> {
    match command {
        Command::Print(text) => console::print(&text),
        Command::Write { path, text } => console::write(&path, &text),
        Command::WriteAll { directory, files } => console::write_all(&directory, &files),
        Command::SampleRateFile(path) => console::write(&path, brunt_feed::rates::SAMPLE),
        Command::Rate(args) => tools::ldap::run(&args, &Signals::default(), Verbosity::Normal)
            .map(|outcome| outcome.exit),
        Command::Perfdhcp(args) => tools::dhcp::run(&args, &Signals::default(), Verbosity::Normal)
            .map(|outcome| outcome.exit),
        Command::Loadgen(args) => tools::flow::loadgen::run(&args, &Signals::default()),
        Command::Run(args) => tools::flow::plan::run(&args, &Signals::default()),
        Command::Http(args) => tools::flow::http::run(&args, &Signals::default()),
        Command::Import(kind) => tools::flow::import::run(&kind),
        Command::Names(kind) => tools::names::run(&kind, &Signals::default()),
        Command::Leases(args) => tools::leases::run(&args, &Signals::default()),
        Command::Ubench(args) => tools::leases::ubench(&args, &Signals::default()),
        Command::UbenchUsage { complaint, usage } => {
            console::warn(&complaint);
            console::print(&usage).map(|_| Exit::Failed)
        }
        Command::FindMax(args) => commands::find_max(&args, &Signals::default()),
        Command::Report(args) => commands::report(&args),
        Command::Sizing(args) => commands::sizing(&args),
        Command::Makeldif(args) => tools::ldap::makeldif(&args),
        Command::Merge(args) => commands::merge(&args),
        Command::Cluster(ClusterKind::Run(args)) => {
            commands::cluster_run(&args, &Signals::default())
        }
        Command::Agent(args) => commands::agent(&args, &Signals::default()),
        Command::Agents(args) => commands::agents(&args),
        Command::Cluster(ClusterKind::Check(args)) => commands::cluster_check(&args),
        Command::Cluster(ClusterKind::Keys(args)) => commands::cluster_keys(&args),
        Command::Cluster(ClusterKind::Manifest(args)) => commands::cluster_manifest(&args),
        Command::Compare(args) => commands::compare(&args),
        Command::Ab(args) => commands::ab(&args),
        Command::Trend(args) => commands::trend(&args),
        Command::Serve(args) => commands::serve(&args),
        Command::Push(args) => commands::push(&args),
        Command::Target(kind) => commands::target(&kind),
        Command::Calibrate(args) => commands::calibrate(&args),
        Command::Quickstart(args) => commands::quickstart(&args),
        Command::ServeChild => commands::serve_child(),
        Command::StepChild { task, words } => commands::step_child(&task, &words),
        Command::BrokerChild { config, parent } => Ok(commands::broker_child(&config, parent)),
    }
}
