//! The commands of brunt as a library: [`carry_out`] reads a command line and carries it out, [`main`] does so for the
//! program.
//!
//! The list of commands is here, with their help and manual pages, and the commands that use the loads of others:
//! find-max, ab, compare, cluster, agent, serve. What makes a load of one protocol is in `protocols`.

use std::process::ExitCode;

use brunt_net::Network;
pub use brunt_run::RunClock;
pub use brunt_run::World;
pub use brunt_run::environment::Environment;
pub use brunt_run::options::exit::Exit;
pub use brunt_run::options::refusal::Refusal;
use brunt_run::tool::Tool;
use brunt_run::{address_policy, console, core_files};

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
    let world = World::of_process();
    console::restore_on_panic(&world.console);
    let argv: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let linked = argv.first().is_some_and(|name| cli::is_older_name(name));
    if linked && !world.console.is_terminal() {
        world.console.hold();
    }
    core_files::forbid();
    address_policy::confine(&world);
    let ended = commands::end_with_agent(&world).map_err(Refusal::failed);
    reported(ended.and_then(|()| carry_out(&argv, &world)), &world).into()
}

/// Carries out a command line as the program does, which also writes why it could not be carried out.
pub fn run(argv: &[String], world: &World) -> Exit {
    reported(carry_out(argv, world), world)
}

fn reported(ended: Result<Exit, Refusal>, world: &World) -> Exit {
    match ended {
        Ok(exit) => {
            world.console.release();
            exit
        }
        Err(refusal) => {
            world.console.refuse(&cli::advice::explained(&refusal.text));
            refusal.exit
        }
    }
}

/// Carries out a command line, whose first word is the name that the program is called by. What it says goes to the
/// console of its world, as the program would write it, and its variables are those of the world's environment. Several
/// commands can be carried out at once, each in a world of its own, with a network and rules about files of its own.
///
/// # Errors
///
/// The command line is wrong, or what it asks for could not be done; the refusal has the message and the exit code.
pub fn carry_out(argv: &[String], world: &World) -> Result<Exit, Refusal> {
    cli::read(argv, world).and_then(|command| {
        if command.is_quiet() {
            world.console.hold();
        } else if command.run_options().is_some_and(|options| options.summary || options.details) {
            world.console.release();
        }
        let made = command
            .address_policy_options()
            .map(|options| address_policy::network(&options, world));
        let network = made.unwrap_or_else(|| Ok(address_policy::private(world)))?;
        address_policy::judged(dispatched(command, (world, &network)), &network)
    })
}

fn dispatched(command: Command, (world, network): (&World, &Network)) -> Result<Exit, Refusal> {
    match command {
        Command::Print(text) => world.console.print(&text),
        Command::Write { path, text, printed } => {
            console::write(&path, &text).and_then(|_| world.console.print(&printed))
        }
        Command::WriteAll { directory, files } => console::write_all(&directory, &files),
        Command::Load(load) => load.run(world, network),
        Command::Task(task) => task.run(world, network),
        Command::Verb(verb) => dispatched_verb(verb, world),
        #[cfg(feature = "website")]
        Command::ServeChild => commands::serve_child(world),
        Command::StepChild { task, words } => commands::step_child(&task, &words, world),
        Command::BrokerChild { config, parent } => Ok(commands::broker_child(&config, parent)),
    }
}

/// Carries out a command that clap parses.
fn dispatched_verb(verb: Verb, world: &World) -> Result<Exit, Refusal> {
    match verb {
        Verb::FindMax(args) => commands::find_max(&args, world),
        Verb::Report(args) => commands::report(&args, world),
        Verb::Sizing(args) => commands::sizing(&args, world),
        Verb::Merge(args) => commands::merge(&args, world),
        Verb::Cluster { kind: ClusterKind::Run(args) } => commands::cluster_run(&args, world),
        Verb::Agent(args) => commands::agent(&args, world),
        Verb::Agents(args) => commands::agents(&args, world),
        Verb::Cluster { kind: ClusterKind::Check(args) } => commands::cluster_check(&args, world),
        Verb::Cluster { kind: ClusterKind::Keys(args) } => commands::cluster_keys(&args, world),
        Verb::Cluster { kind: ClusterKind::Manifest(args) } => {
            commands::cluster_manifest(&args, world)
        }
        Verb::Compare(args) => commands::compare(&args, world),
        Verb::Ab(args) => commands::ab(&args, world),
        Verb::Trend(args) => commands::trend(&args, world),
        #[cfg(feature = "website")]
        Verb::Serve(args) => commands::serve(&args, world),
        Verb::Push(args) => commands::push(&args, world),
        Verb::Target { kind } => commands::target(&kind, world),
        Verb::Calibrate(args) => commands::calibrate(&args, world),
        Verb::Quickstart(args) => commands::quickstart(&args, world),
        Verb::Help { .. } | Verb::Completions { .. } | Verb::Man { .. } => {
            unreachable!("they were made into texts as the command line was read")
        }
    }
}
