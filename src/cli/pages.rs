//! The texts generated from the declarations of all commands: completions and manual pages.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use clap::Command;
use clap::builder::PossibleValue;
use clap_complete::{Generator as _, Shell};

use super::declared::program;

/// The names of links to the program that stand for one of its commands.
pub(super) const LINKS: [&str; 14] = [
    "addrate",
    "authrate",
    "comparerate",
    "deleterate",
    "loadgen",
    "makeldif",
    "memfile_ubench",
    "moddnrate",
    "modrate",
    "mysql_ubench",
    "perfdhcp",
    "search-and-mod-rate",
    "searchrate",
    "sqlite_ubench",
];

/// The completion scripts of the program and of every link, by the file names that shells look for.
pub(super) fn all_completions(shell: Shell) -> Vec<(String, String)> {
    let of_links = LINKS
        .iter()
        .filter_map(|name| Some((shell.file_name(name), completions_of_link(shell, name)?)));
    std::iter::once((shell.file_name("brunt"), completions(shell))).chain(of_links).collect()
}

/// The completion script of a link of this name.
pub(super) fn completions_of_link(shell: Shell, name: &str) -> Option<String> {
    LINKS.iter().find(|link| **link == name)?;
    let mut script = Vec::new();
    let mut command = completed().find_subcommand(name)?.clone();
    clap_complete::generate(shell, &mut command, name, &mut script);
    Some(String::from_utf8_lossy(&script).into_owned())
}

/// The manual pages of the program and of every command, by the names of their files.
pub(super) fn all_manuals() -> Vec<(String, String)> {
    let mut open = vec![(String::new(), program())];
    let mut pages = Vec::new();
    while let Some((name, command)) = open.pop() {
        let below = command.get_subcommands().filter(|sub| !sub.is_hide_set());
        open.extend(below.map(|sub| (format!("{name}-{}", sub.get_name()), sub.clone())));
        let words = [name.trim_start_matches('-').to_owned()];
        pages.extend(manual(&words).map(|page| (format!("brunt{name}.1"), page)));
    }
    pages
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
    let names: Vec<&'static str> = described().into_iter().map(|name| &*name.leak()).collect();
    program()
        .mut_subcommand("man", |man| man.mut_arg("command", |arg| arg.value_parser(names)))
        .mut_subcommand("leases", |leases| {
            leases.mut_arg("stores", |arg| arg.value_parser(["sqlite", "memfile", "redb"]))
        })
}

/// The names of the pages of all commands, and of groups of them. The name of a page of two words joins both with a
/// dash.
fn described() -> BTreeSet<String> {
    let program = program();
    let paths = leaves(&program).into_iter().map(|(path, _)| path);
    paths.flat_map(|path| [path.join("-"), path[..1].join("-")]).collect()
}

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

/// The manual page of the command of these words, joined by a dash or not, if there is one.
pub(super) fn manual(words: &[String]) -> Option<String> {
    let mut program = program();
    // Sets the full names of subcommands.
    program.build();
    let name = words.join("-");
    let mut command = &program;
    let mut rest = name.strip_prefix("brunt").filter(|rest| rest.is_empty()).unwrap_or(&name);
    while !rest.is_empty() {
        let below = command.get_subcommands().filter_map(|sub| {
            let after = rest.strip_prefix(sub.get_name())?;
            let after = if after.is_empty() { after } else { after.strip_prefix('-')? };
            Some((sub, after))
        });
        // `search-and-mod-rate` is one name.
        (command, rest) = below.min_by_key(|(_, after)| after.len())?;
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page).ok()?;
    Some(String::from_utf8_lossy(&page).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_that_can_be_read_is_completed() {
        let described = described();
        assert!(described.iter().all(|name| manual(std::slice::from_ref(name)).is_some()));
        let files: Vec<String> = all_manuals().into_iter().map(|(file, _)| file).collect();
        let names = files.iter().filter_map(|file| file.strip_prefix("brunt-")?.strip_suffix(".1"));
        let missing: Vec<&str> = names.filter(|name| !described.contains(*name)).collect();
        assert!(missing.is_empty() && files.len() > 30, "{missing:?} of {}", files.len());
    }
}
