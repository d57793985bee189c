//! The texts made from the declarations of all commands: completions and manual pages.
//!
//! clap's generators need the tools with grammars of their own declared to clap, which is done here from their tables.
//! Those declarations only describe: no such tool is ever parsed by them.

use std::fmt::Write as _;

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, Command, CommandFactory as _};
use clap_complete::{Generator as _, Shell};

use super::args::Brunt;
use super::dhcp::{self, switches};
use super::options::{self, Kind};
use super::prose;
use super::screens;
use super::tool::Tool;
use super::ubench::{self, Ubench};

/// The commands that have two words, as their pages are called.
const OF_TWO_WORDS: [&str; 13] = [
    "cluster-check",
    "cluster-keys",
    "cluster-manifest",
    "cluster-run",
    "import-curl",
    "import-har",
    "import-openapi",
    "names-lookup",
    "names-matrix",
    "names-sweep",
    "target-dhcp",
    "target-ldap",
    "target-rest",
];

/// The names under which a link to the program is one of its commands.
pub(super) const LINKS: [&str; 13] = [
    "addrate",
    "authrate",
    "comparerate",
    "deleterate",
    "loadgen",
    "memfile_ubench",
    "moddnrate",
    "modrate",
    "mysql_ubench",
    "perfdhcp",
    "search-and-mod-rate",
    "searchrate",
    "sqlite_ubench",
];

/// The completion scripts of the program and of every link, by the names of files under which shells look for them.
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

/// Every command, with the words that stand for themselves and that clap cannot know.
fn completed() -> Command {
    let names = screens::listed().chain(OF_TWO_WORDS);
    let names: Vec<&'static str> = names.collect();
    program()
        .mut_subcommand("man", |man| man.mut_arg("command", |arg| arg.value_parser(names)))
        .mut_subcommand("leases", |leases| {
            leases.mut_arg("stores", |arg| arg.value_parser(["sqlite", "memfile", "redb"]))
        })
}

/// The commands below one that have none below themselves, by their words.
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

/// What clap's script for fish leaves out: the values of arguments that have no dash. Files fish completes by itself.
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
    // Gives those below their whole names.
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

/// Every command, those that clap does not parse included.
pub(super) fn program() -> Command {
    Brunt::command()
        .subcommands(Tool::ALL.map(describe))
        .subcommand(describe_perfdhcp())
        .subcommands(Ubench::ALL.map(describe_lease_benchmark))
}

fn sentence(purpose: &str) -> String {
    format!("{}{}", purpose[..1].to_uppercase(), &purpose[1..])
}

fn describe_perfdhcp() -> Command {
    let options = switches::all().into_iter().map(|switch| {
        let arg = Arg::new(switch.name).help(switch.help);
        let arg = switch.names().fold(arg, |arg, name| match name.chars().next() {
            Some(short) if name.len() == 1 => arg.short(short),
            _ => arg.long(name),
        });
        match switch.kind {
            switches::Kind::Flag => arg.action(ArgAction::SetTrue),
            switches::Kind::Choice(words) => {
                arg.value_name(switch.value).value_parser(words.to_vec())
            }
            switches::Kind::Path => {
                arg.value_name(switch.value).value_hint(clap::ValueHint::FilePath)
            }
            switches::Kind::Attached => attached(arg, switch.value),
            _ => arg.value_name(switch.value),
        }
    });
    Command::new(dhcp::NAME)
        .about(sentence(dhcp::PURPOSE))
        .long_about(dhcp::help::description())
        .disable_help_flag(true)
        .args(options)
        .arg(Arg::new("server").value_name("server"))
}

/// An argument whose value follows an `=` or is left out.
fn attached(arg: Arg, value: &'static str) -> Arg {
    arg.value_name(value).num_args(0..=1).require_equals(true)
}

fn describe_lease_benchmark(program: Ubench) -> Command {
    let old = ubench::SWITCHES.into_iter().map(|(letter, value, help)| {
        let arg = Arg::new(letter).short(letter.chars().next()).help(sentence(help));
        if value.is_empty() { arg.action(ArgAction::SetTrue) } else { arg.value_name(value) }
    });
    let ours = ubench::OURS.into_iter().map(|(name, value, help)| {
        let arg = Arg::new(name).long(name).help(sentence(help));
        match value {
            "" => arg.action(ArgAction::SetTrue),
            "FILE" => arg.value_name(value).value_hint(clap::ValueHint::FilePath),
            _ => arg.value_name(value),
        }
    });
    Command::new(program.name())
        .about(sentence(program.purpose()))
        .long_about(ubench::description())
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(old.chain(ours))
}

fn describe(tool: Tool) -> Command {
    let about = sentence(tool.purpose());
    let command = Command::new(tool.name()).about(about).long_about(prose::description(tool));
    let options = options::of(tool).into_iter().map(|option| {
        let arg = Arg::new(option.long).long(option.long).help(option.help);
        let arg = option.short.map_or(arg.clone(), |short| arg.short(short));
        match option.kind {
            Kind::Switch => arg.action(ArgAction::SetTrue),
            Kind::Choice(words) => arg.value_name(option.value).value_parser(words.to_vec()),
            Kind::Path => arg.value_name(option.value).value_hint(clap::ValueHint::FilePath),
            Kind::Attached => attached(arg, option.value),
            _ => arg.value_name(option.value),
        }
    });
    command
        .disable_help_flag(true)
        .args(options)
        .arg(Arg::new("trailing").value_name(tool.trailing()).num_args(0..))
}
