//! Every command as it is declared to clap.
//!
//! clap's generators need declarations also for the tools with grammars of their own; their crates make them from their
//! tables. Those declarations only describe: no such tool is ever parsed by them.

use brunt_run::tool::Tool;
use clap::{Args as _, Command};

use super::args::Brunt;
use crate::tools;

/// Every command, including those that clap does not parse.
pub(super) fn program() -> Command {
    parsed().subcommands(declared(|tool| !tool.is_read_by_clap()))
}

/// The commands that clap parses.
pub(super) fn parsed() -> Command {
    let program = Command::new("brunt").subcommands(declared(Tool::is_read_by_clap));
    Brunt::augment_args(program)
}

fn declared(which: impl Fn(&Tool) -> bool) -> impl Iterator<Item = Command> {
    tools::all().filter(move |tool| which(tool)).map(|tool| (tool.declared)(tool.name))
}
