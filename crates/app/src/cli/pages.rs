//! The commands that have a page, the names of these pages, and the links that stand for commands.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use clap::Command;

use super::declared::program;
use crate::tools;

/// The names of links to the program that stand for one of its commands.
pub(super) fn links() -> Vec<&'static str> {
    let mut names: Vec<_> =
        tools::all().filter(|tool| tool.is_linked).map(|tool| tool.name).collect();
    names.sort_unstable();
    names
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
