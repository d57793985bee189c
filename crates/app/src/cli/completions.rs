//! Completions, generated from the declarations of all commands.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use clap::Command;
use clap::builder::PossibleValue;
use clap_complete::{Generator as _, Shell};

use super::declared::program;
use super::pages::{NAMES, leaves, links};
use super::topics;

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
