//! The help of the program and of the commands that clap parses: `-h` on one screen, `--help` in full.
//!
//! Both begin with the usage and with examples, because most users look for a line to copy. `-h` shows the options that
//! most runs need, one line each, and names the command that shows the others. clap renders the pages; this module
//! declares what clap cannot know: which options those are, and the groups of the commands.

use std::fmt::Write as _;

use brunt_run::options::about::Example;
use brunt_run::options::page::wrap;
use clap::{Arg, Command};

use super::abouts;
use super::declared;
use super::left_out;

/// The widest line of a screen.
const WIDTH: usize = 80;
/// The column at which the list of commands shows their descriptions.
const PURPOSE: usize = 22;
/// The number of examples in `-h`.
const SHORT_EXAMPLES: usize = 2;

/// The commands by purpose. A command that is not listed is shown at the end.
const GROUPS: &[(&str, &[&str])] = &[
    ("First run", &["quickstart", "target", "calibrate"]),
    ("LDAP", &["authrate", "searchrate", "modrate", "addrate", "search-and-mod-rate"]),
    ("LDAP also", &["comparerate", "deleterate", "moddnrate", "makeldif"]),
    ("DHCP, HTTP", &["perfdhcp", "http", "loadgen"]),
    ("Plans", &["run", "import"]),
    ("Stores", &["leases", "names", "mysql_ubench", "sqlite_ubench", "memfile_ubench"]),
    ("Capacity", &["find-max", "sizing", "cluster", "agent", "agents"]),
    ("Results", &["report", "merge", "compare", "ab", "trend", "serve", "push"]),
];

/// Which help is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Screen {
    /// `-h`: what most runs need.
    Short,
    /// `--help`: everything.
    Full,
}

/// The commands as clap parses them, with the help that `--help` shows.
pub(super) fn command() -> Command {
    full(declared::parsed())
}

/// The same of those that a command line may name.
pub(super) fn command_for(line: &[String]) -> Command {
    full(declared::parsed_for(line))
}

fn full(program: Command) -> Command {
    dress(program.max_term_width(WIDTH), "", Screen::Full)
}

/// The text of `-h` for the command with these words.
pub(super) fn short(words: &[String]) -> String {
    let mut command = dress(declared::parsed().max_term_width(WIDTH), "", Screen::Short);
    command.build();
    for word in words {
        let Some(found) = command.find_subcommand(word).cloned() else { break };
        command = found;
    }
    command.render_help().to_string()
}

/// The page about the program: its description, and every command.
pub(super) fn program(screen: Screen) -> String {
    let program = declared::program();
    let about = program.get_about().map(ToString::to_string).unwrap_or_default();
    let mut out = format!("{about}\n\nUsage: brunt <COMMAND> [OPTIONS]\n\nExamples:\n");
    out.push_str(&shown(abouts::examples("")));
    for (title, commands) in grouped(&program) {
        match screen {
            Screen::Short => {
                let names: Vec<_> = commands.iter().map(|command| command.get_name()).collect();
                let start = if title == GROUPS[0].0 { "\n" } else { "" };
                let _ = writeln!(out, "{start}{title:<11}{}", names.join("  "));
            }
            Screen::Full => {
                let _ = writeln!(out, "\n{title}:");
                for command in commands {
                    list(command, &mut out);
                }
            }
        }
    }
    if let Some(notice) = left_out::notice() {
        let _ = write!(out, "\n{}\n", wrap(&notice, WIDTH));
    }
    out.push_str(match screen {
        Screen::Short => "\nSee 'brunt COMMAND -h', 'brunt --help' for all, and 'brunt help' for guides.\n",
        Screen::Full => {
            "\nOptions:\n  -h, --help           Print help: 'brunt COMMAND --help' for one command\n  \
             -V, --version        Print the version\n"
        }
    });
    out
}

/// The commands in their groups, without groups that this build leaves out; those without a group are in the last one.
fn grouped(program: &Command) -> Vec<(&'static str, Vec<&Command>)> {
    let named = |name: &&str| program.find_subcommand(name);
    let mut groups: Vec<(&str, Vec<&Command>)> = GROUPS
        .iter()
        .map(|(title, names)| (*title, names.iter().filter_map(named).collect()))
        .collect();
    let listed = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let other = program.get_subcommands().filter(|command| !listed(command.get_name()));
    groups.push(("Other", other.collect()));
    groups.retain(|(_, commands)| !commands.is_empty());
    groups
}

/// A command and its description.
fn list(command: &Command, out: &mut String) {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut name = command.get_name();
    for line in wrap(&about, WIDTH - PURPOSE - 2).lines() {
        let _ = writeln!(out, "  {name:PURPOSE$}{line}");
        name = "";
    }
}

/// Adds examples to a command and its subcommands, and for `-h` a selection of their options.
fn dress(command: Command, name: &str, screen: Screen) -> Command {
    let examples = abouts::examples(name);
    let (shown, end) = match screen {
        Screen::Short => (shown(&examples[..examples.len().min(SHORT_EXAMPLES)]), ""),
        Screen::Full => (format!("Examples:\n{}", shown(examples)), "{after-help}"),
    };
    let shown = if examples.is_empty() { String::new() } else { shown + "\n" };
    let command = command
        .help_template(format!(
            "{{usage-heading}} {{usage}}\n\n{{about}}\n\n{shown}{{all-args}}{end}"
        ))
        .mut_subcommands(|sub| {
            let name = format!("{name} {}", sub.get_name());
            dress(sub, name.trim_start(), screen)
        });
    if screen == Screen::Full {
        return command;
    }
    let few = abouts::about(name).map(|about| about.short).filter(|few| !few.is_empty());
    let end = format!("See 'brunt {name} --help' for all options.");
    command
        .mut_args(|arg| one_line(arg, few))
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .help_template(format!(
            "{{usage-heading}} {{usage}}\n\n{{about}}\n\n{shown}{{all-args}}\n\n{end}"
        ))
}

/// An option as `-h` shows it, if it is shown.
fn one_line(arg: Arg, few: Option<&[(&str, &str)]>) -> Arg {
    let own = few.map(|few| few.iter().find(|(id, _)| arg.get_id() == id).map(|(_, line)| *line));
    let hidden = own == Some(None);
    let arg = arg.hide_short_help(hidden).help_heading("Options");
    let Some(line) = own.flatten().filter(|line| !line.is_empty()) else { return arg };
    let arg = arg.help(line.to_owned());
    if arg.get_action().takes_values() {
        arg.hide_possible_values(true).hide_default_value(true)
    } else {
        arg
    }
}

/// Examples, each with its purpose above it.
fn shown(examples: &[Example]) -> String {
    let indented = |text: &str, by: usize| {
        text.lines().fold(String::new(), |mut out, line| {
            let _ = writeln!(out, "{:by$}{line}", "");
            out
        })
    };
    examples.iter().map(|(what, line)| indented(what, 2) + &indented(line, 4)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command that clap parses, with its subcommands, by its words.
    fn commands() -> Vec<(String, Command)> {
        let mut program = command();
        program.build();
        let mut open = vec![(String::new(), program)];
        let mut all = Vec::new();
        while let Some((name, command)) = open.pop() {
            let below = command.get_subcommands();
            // clap adds help to every group of commands; that of the program is ours.
            let ours = |sub: &&Command| sub.get_name() != "help" || name.is_empty();
            let below = below.filter(|sub| !sub.is_hide_set()).filter(ours);
            open.extend(
                below.map(|sub| {
                    (format!("{name} {}", sub.get_name()).trim().to_owned(), sub.clone())
                }),
            );
            all.push((name, command));
        }
        all
    }

    /// A terminal has 24 lines, and the prompt takes one.
    const LINES: usize = 23;

    fn words(name: &str) -> Vec<String> {
        name.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn short_help_fits_a_terminal() {
        for (name, _) in commands() {
            let screen =
                if name.is_empty() { program(Screen::Short) } else { short(&words(&name)) };
            assert!(
                screen.lines().count() <= LINES,
                "name the options of -h in `short` of the About of '{name}':\n{screen}"
            );
            assert!(screen.lines().all(|line| line.chars().count() <= WIDTH), "{name}:\n{screen}");
            assert!(screen.starts_with("Usage: ") || name.is_empty(), "{name}:\n{screen}");
            assert!(screen.contains("--help"), "{name}:\n{screen}");
        }
    }

    #[test]
    fn full_help_fits_the_width_and_names_every_option() {
        for (name, mut command) in commands() {
            let screen = match name.as_str() {
                "" => program(Screen::Full),
                _ => command.render_long_help().to_string(),
            };
            assert!(screen.lines().all(|line| line.chars().count() <= WIDTH), "{name}:\n{screen}");
            assert!(
                screen.contains("\nExamples:\n"),
                "add '{name}' to ABOUT in src/cli/abouts.rs:\n{screen}"
            );
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                let long = arg.get_long().map(|long| format!("--{long}")).unwrap_or_default();
                assert!(screen.contains(&long), "{name}: {long}");
            }
        }
    }

    #[test]
    fn short_help_options_exist() {
        let commands = commands();
        for (name, about) in abouts::all() {
            let command = commands.iter().find(|(of, _)| of == name).map(|(_, command)| command);
            let command = command.unwrap_or_else(|| panic!("{name}"));
            for (id, _) in about.short {
                assert!(command.get_arguments().any(|arg| arg.get_id() == id), "{name}: {id}");
            }
        }
    }

    #[test]
    fn program_help_names_each_command_once() {
        let program = declared::program();
        for (_, names) in GROUPS {
            for name in *names {
                assert!(program.find_subcommand(name).is_some(), "{name}");
            }
        }
        for command in program.get_subcommands() {
            let groups = grouped(&program);
            let all = groups.iter().flat_map(|(_, commands)| commands);
            let count = all.filter(|found| found.get_name() == command.get_name()).count();
            assert_eq!(count, 1, "{}", command.get_name());
        }
    }
}
