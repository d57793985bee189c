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

/// The commands among which clap finds that of a command line. If its first word names a tool, that is the only one: to
/// declare all others takes longer than everything else before a run, and memory.
pub(super) fn parsed_for(line: &[String]) -> Command {
    let named = line.get(1).and_then(|name| tools::named(name));
    match named.filter(|tool| tool.is_read_by_clap()) {
        Some(tool) => Command::new("brunt")
            .disable_help_subcommand(true)
            .subcommand((tool.declared)(tool.name)),
        None => parsed(),
    }
}

fn declared(which: impl Fn(&Tool) -> bool) -> impl Iterator<Item = Command> {
    tools::all().filter(move |tool| which(tool)).map(|tool| (tool.declared)(tool.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_is_declared_alone_as_among_all_commands() {
        let help = |mut program: Command, name: &str| {
            program.build();
            let tool = program.find_subcommand_mut(name).expect("it is declared");
            (tool.render_long_help().to_string(), tool.render_usage().to_string())
        };
        for tool in tools::all().filter(|tool| tool.is_read_by_clap()) {
            let alone = parsed_for(&["brunt".to_owned(), tool.name.to_owned()]);
            assert_eq!(alone.get_subcommands().count(), 1, "{}", tool.name);
            assert_eq!(help(alone, tool.name), help(parsed(), tool.name), "{}", tool.name);
        }
    }

    #[test]
    fn line_that_names_no_tool_may_name_any_command() {
        for words in [&["brunt"][..], &["brunt", "--help"], &["brunt", "report"], &["brunt", "htp"]]
        {
            let line: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let names = |program: Command| -> Vec<_> {
                program.get_subcommands().map(|sub| sub.get_name().to_owned()).collect()
            };
            assert_eq!(names(parsed_for(&line)), names(parsed()), "{words:?}");
        }
    }
}
