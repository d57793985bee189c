//! Completions, generated from the declarations of all commands, and the names of their pages.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::LazyLock;

use clap::Command;
use clap::builder::PossibleValue;
use clap_complete::{Generator as _, Shell};

use super::declared::program;
use super::topics;
use crate::tools;

/// The names of links to the program that stand for one of its commands.
pub(super) fn links() -> Vec<&'static str> {
    let mut names: Vec<_> =
        tools::all().filter(|tool| tool.is_linked).map(|tool| tool.name).collect();
    names.sort_unstable();
    names
}

/// The completion scripts of the program and of every link, by the file names that shells look for.
pub(super) fn all_completions(shell: Shell) -> Vec<(String, String)> {
    let of_links = links()
        .into_iter()
        .filter_map(|name| Some((shell.file_name(name), completions_of_link(shell, name)?)));
    std::iter::once((shell.file_name("brunt"), completions(shell))).chain(of_links).collect()
}

/// The completion script of a link of this name.
pub(super) fn completions_of_link(shell: Shell, name: &str) -> Option<String> {
    links().into_iter().find(|link| *link == name)?;
    let mut script = Vec::new();
    let mut command = completed().find_subcommand(name)?.clone();
    clap_complete::generate(shell, &mut command, name, &mut script);
    Some(String::from_utf8_lossy(&script).into_owned())
}

/// A completion script.
pub(super) fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut completed(), "brunt", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    if shell == Shell::Fish { script + &positionals_of_fish() } else { script }
}

/// Every command, with the literal words that clap cannot know.
fn completed() -> Command {
    let pages = NAMES.keys().map(String::as_str).collect::<Vec<_>>();
    let readable = pages.iter().copied().chain(topics::names()).collect::<BTreeSet<_>>();
    program()
        .mut_subcommand("man", |man| man.mut_arg("command", |arg| arg.value_parser(pages)))
        .mut_subcommand("help", |help| {
            help.mut_arg("topic", |arg| arg.value_parser(readable.into_iter().collect::<Vec<_>>()))
        })
        .mut_subcommand("leases", |leases| {
            leases.mut_arg("stores", |arg| arg.value_parser(["sqlite", "memfile", "redb"]))
        })
}

/// The names of the pages of all commands, and of groups of them, with their words. The name of a page of two words
/// joins both with a dash.
pub(super) static NAMES: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let program = program();
    let paths = leaves(&program).into_iter().map(|(path, _)| path);
    let words = paths.flat_map(|path| [path.clone(), path[..1].to_vec()]);
    words.map(|words| (words.join("-"), words.join(" "))).collect()
});

/// The commands without subcommands below this one, by their words.
pub(super) fn leaves(program: &Command) -> Vec<(Vec<&str>, &Command)> {
    let mut open: Vec<(Vec<&str>, &Command)> = vec![(Vec::new(), program)];
    let mut leaves = Vec::new();
    while let Some((path, command)) = open.pop() {
        let shown = command.get_subcommands().filter(|sub| !sub.is_hide_set());
        let below: Vec<_> =
            shown.map(|sub| ([&path[..], &[sub.get_name()]].concat(), sub)).collect();
        if below.is_empty() {
            leaves.push((path, command));
        } else {
            open.extend(below.into_iter().rev());
        }
    }
    leaves
}

/// The part that clap's script for fish lacks: the values of arguments without a dash. fish completes files by itself.
fn positionals_of_fish() -> String {
    let program = completed();
    let mut script = String::new();
    for (path, command) in leaves(&program) {
        let [first, rest @ ..] = path.as_slice() else { continue };
        let mut condition = format!("__fish_brunt_using_subcommand {first}");
        for word in rest {
            let _ = write!(condition, "; and __fish_seen_subcommand_from {word}");
        }
        for arg in command.get_positionals() {
            let values = arg.get_possible_values();
            let words: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
            if !words.is_empty() {
                let words = words.join(" ");
                let _ = writeln!(script, "complete -c brunt -n \"{condition}\" -f -a \"{words}\"");
            }
        }
    }
    script
}
