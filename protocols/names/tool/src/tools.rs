//! The commands that name services add to the program: `brunt names` and what is below it.

use brunt_names_driver::nss;
use brunt_net::Network;
use brunt_run::Task;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::tool::{Grammar, Reading, Tool, nothing_refused, purpose};
use clap::{ArgMatches, Command, FromArgMatches as _, Subcommand as _};

use crate::options::lookup as options;
use crate::options::matrix::{MATRIX, MatrixArgs, SWEEP, SweepArgs};
use crate::options::names::{CellArgs, NamesKind};
use crate::{lookup, matrix, sandbox};

/// The commands.
pub const TOOLS: &[Tool] = &[Tool {
    name: "names",
    aliases: &[],
    is_linked: false,
    makes_load: true,
    declared,
    grammar: Grammar::Clap { refusal: nothing_refused, read },
    abouts: &[
        ("names lookup", &options::ABOUT),
        ("names matrix", &MATRIX),
        ("names sweep", &SWEEP),
    ],
    secrets: &[],
}];

fn declared(name: &'static str) -> Command {
    let about = "Measure user and group lookups, and compare files, directories and caches";
    let command = purpose(NamesKind::augment_subcommands(Command::new(name)), about);
    command.subcommand_required(true).arg_required_else_help(true)
}

fn read(matches: &ArgMatches, typed: Vec<String>) -> Result<Reading, clap::Error> {
    Ok(match NamesKind::from_arg_matches(matches)? {
        NamesKind::Lookup(args) => Reading::load(*args, typed),
        NamesKind::Matrix(args) => Reading::Task(Box::new(MatrixArgs { typed, ..*args })),
        NamesKind::Sweep(args) => Reading::Task(Box::new(SweepArgs { typed, ..*args })),
        NamesKind::Cell(args) => Reading::Task(Box::new(args)),
    })
}

/// Lookups of a comparison are separate processes, and would be refused one after another.
fn usable() -> Result<(), Refusal> {
    let usable = lookup::usable(nss::loads_modules());
    usable.map_err(|why| Refusal::usage(format!("failed to {why}")))
}

impl Task for MatrixArgs {
    fn run(&self, world: &World, _: &Network) -> Result<Exit, Refusal> {
        usable()?;
        matrix::run(self, world)
    }

    fn is_quiet(&self) -> bool {
        self.output.quiet.quiet
    }
}

impl Task for SweepArgs {
    fn run(&self, world: &World, _: &Network) -> Result<Exit, Refusal> {
        usable()?;
        matrix::sweep(self, world)
    }

    fn is_quiet(&self) -> bool {
        self.output.quiet.quiet
    }
}

impl Task for CellArgs {
    fn run(&self, _: &World, _: &Network) -> Result<Exit, Refusal> {
        sandbox::enter(self)
    }
}
