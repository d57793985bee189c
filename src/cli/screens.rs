//! The help of the program and of the commands that clap parses: `-h` on one screen, `--help` in full.
//!
//! Both begin with the usage and with examples, because most people look for a line to copy. `-h` shows the options
//! that most runs need, one line each, and says where the others are. clap renders the pages; what is declared here is
//! what it cannot know: which options those are, and in which groups the commands belong.

use std::fmt::Write as _;

use clap::{Arg, Command, CommandFactory as _};

use super::args::Brunt;
use super::declared;
use super::examples::{self, Example};
use super::fault::wrap;

/// The widest line of a screen.
const WIDTH: usize = 80;
/// The column at which the list of commands says what each does.
const PURPOSE: usize = 22;
/// How many examples `-h` has room for.
const SHORT_EXAMPLES: usize = 2;

/// The options that `-h` shows, by command, each with a line that says what it is; without one, its help is short
/// enough. A command that is not listed has few options, and shows them all.
const SHORT: &[(&str, &[(&str, &str)])] = &[
    (
        "http",
        &[
            ("connections", "Concurrent connections [default: 50]"),
            ("requests", "Stop after this many requests, such as 100k"),
            ("duration", "How long to run, such as 30s [default: 10s]"),
            ("rate", "Requests per second (open loop), such as 10k"),
            ("method", "HTTP method [default: GET, or POST with a body]"),
            ("headers", "Request header, such as 'X-Tenant: a'"),
            ("duration_or_body", "Request body; or a duration, as in wrk"),
            ("http2", "Use HTTP/2"),
            ("objectives", ""),
            ("record", "Write the record of the run as JSON"),
        ],
    ),
    (
        "run",
        &[
            ("plan", "Plan to run, a TOML file"),
            ("check", "Send nothing; print the first requests"),
            ("once", "Do each scenario once; print all exchanges"),
            ("set", "Set a key of the plan: run.users=50"),
            ("duration", "How long to run, such as 5m"),
            ("node", "Share of this node, such as 0/3"),
            ("objectives", ""),
            ("record", "Write the record of the run as JSON"),
            ("hlog", "Write an HdrHistogram interval log"),
            ("seed", "Seed for all random values"),
            ("quiet", ""),
        ],
    ),
    (
        "find-max",
        &[
            ("objectives", "Objective, such as 'p99<20ms' or 'p99<5x'"),
            ("quick", ""),
            ("confirm", "How long a rate must hold [default: 5m]"),
            ("budget", "How long the search may take [default: 45m]"),
            ("to", "Try no higher rate than this, such as 20k/s"),
            ("server_cpu", ""),
            ("allow", "Reach no address but these, such as 10.0.0.2"),
            ("owned", "Host that is yours to overload"),
            ("yes_writes", "Try a load that writes, such as modrate"),
            ("record", "Write all steps as JSON, for brunt report"),
        ],
    ),
    (
        "cluster run",
        &[
            ("keys", "Directory that 'brunt cluster keys' made"),
            ("nats", "Address of nats-server"),
            ("agents", "Number of agents that share the run"),
            ("local", "Start so many agents here, to try it out"),
            ("on_loss", "If an agent is lost [default: stop]"),
            ("objectives", "Objective, such as 'p99<20ms'"),
            ("record", "Write the record of the run as JSON"),
            ("html", "Write the run as one HTML page"),
            ("seed", "Seed for all random values"),
            ("command", "The command that makes the load"),
        ],
    ),
    (
        "sizing",
        &[
            ("file", "What find-max wrote with --record"),
            ("peak", "Rate at peak, today, such as 1200/s"),
            ("growth", "Growth to plan for, such as 30%"),
            ("headroom", "Share of each server to keep free"),
            ("spare", "Servers that may fail [default: 1]"),
            ("tested_servers", "Servers that answered the search"),
            ("cores", "Cores of each of them"),
            ("format", "text, json or html"),
        ],
    ),
    (
        "agent",
        &[
            ("keys", "Directory that 'brunt cluster keys' made"),
            ("nats", "Address of nats-server"),
            ("policy", "What its owner permits (TOML)"),
            ("once", "Take part in one run, and end"),
        ],
    ),
    (
        "cluster manifest",
        &[
            ("launcher", "k8s, slurm, nomad or ssh"),
            ("agents", "Number of agents"),
            ("nats", "Address of nats-server: tls://HOST:4222"),
            ("cores", "Whole cores of each agent [default: 2]"),
            ("deadline", "How long it may take [default: 1h]"),
            ("image", "Image that holds brunt (k8s, nomad)"),
            ("ssh_hosts", "Host of an agent, once for each (ssh)"),
            ("command", "Command that makes the load"),
        ],
    ),
    (
        "loadgen",
        &[
            ("config", ""),
            ("check", "Send nothing; print the first requests"),
            ("compat", "Reproduce LoadGen's own figures"),
            ("mix", "How to interleave workloads: rounds or smooth"),
            ("to_plan", "Convert the job into a plan for brunt run"),
            ("ca", "CA certificates (PEM) to trust"),
            ("insecure", "Do not verify the server's certificate"),
            ("objectives", ""),
            ("record", "Write the record of the run as JSON"),
            ("quiet", ""),
        ],
    ),
    (
        "makeldif",
        &[
            ("constant", "Override a constant of the template file"),
            ("output_ldif", "Write to this file [default: standard output]"),
            ("resource_path", "Directory of the files that the template names"),
            ("random_seed", "Seed of all generated values [default: 0]"),
            ("wrap_column", "Fold lines after this many columns"),
            ("entries", "Number of entries below the branches"),
            ("no_branches", ""),
        ],
    ),
    (
        "leases",
        &[
            ("stores", "sqlite, memfile, redb or a database URL"),
            ("operations", "Operations per phase, such as 100k"),
            ("duration", "Stop each phase after this time: 30s"),
            ("rate", "Operations per second (open loop): 10k"),
            ("workers", "Concurrent threads [default: 1]"),
            ("runs", "How often to measure everything"),
            ("durability", "sync, async or both [default: both]"),
            ("schema", "2012 or kea [default: 2012]"),
            ("directory", "Directory for temporary files"),
            ("html", "Write an HTML page with tables and chart"),
            ("record", "Write all results as JSON"),
        ],
    ),
    (
        "names lookup",
        &[
            ("by", "uid, gid, user, group, groups [default: uid]"),
            ("through", "nss, nscd, nslcd or ldap [default: nss]"),
            ("keys", "host, 10000-12999 or a file [default: host]"),
            ("negative", "Fraction of names that do not exist, as 0.1"),
            ("threads", "Concurrent threads [default: 4]"),
            ("duration", "How long to run, such as 30s [default: 10s]"),
            ("rate", "Lookups per second [default: 1000]"),
            ("unlimited", "Closed loop without a rate limit"),
            ("record", "Write the record of the run as JSON"),
        ],
    ),
    (
        "names matrix",
        &[
            ("users", "Numbers of users [default: 1000,3000]"),
            ("backends", "Back ends, such as files,ldap+index+nscd"),
            ("insert", "process, connection, batch, bulk or sample"),
            ("lookups", "Names to look up [default: 1000]"),
            ("passes", "Repetitions of all lookups [default: 3]"),
            ("roads", "Layers, of ls, nss, nscd, nslcd, ldap"),
            ("threads", "Concurrent threads, such as 1,4,16"),
            ("check", "Measure nothing; show what is possible"),
            ("record", "Write all results as JSON"),
            ("html", ""),
        ],
    ),
    (
        "names sweep",
        &[
            ("suggested_size", "Hash table sizes of nscd, such as 211,1009"),
            ("ttl", "Times to live, such as 5s,20s,60s"),
            ("users", "Numbers of users [default: 3000]"),
            ("backends", "Back ends [default: ldap+index+nscd]"),
            ("rate", "Lookups per second, such as 500"),
            ("duration", "Time per value [default: 5s]"),
            ("passes", "Repetitions [default: 3]"),
            ("record", "Write all results as JSON"),
            ("html", ""),
        ],
    ),
    (
        "serve",
        &[
            ("dir", "Directory of the site [default: brunt-site]"),
            ("listen", "Address [default: 127.0.0.1:7878]"),
            ("hosts", "Name by which browsers reach the site"),
            ("tls_cert", ""),
            ("tls_key", ""),
            ("behind_proxy", "Addresses of proxies that speak HTTPS"),
            ("link", "Print a link to choose a new password"),
            ("reindex", "Build the index of runs anew"),
            ("verify_audit", "Check the audit trail"),
        ],
    ),
    (
        "push",
        &[
            ("file", ""),
            ("site", "Address of the site"),
            ("token_file", "File with a token of the scope push"),
            ("name", ""),
            ("tags", "Tag to find the run by"),
            ("commit", ""),
            ("fail_on_regression", "Exit with 99 or 6 if it is worse"),
            ("ca", "Authorities (PEM) to trust"),
        ],
    ),
    (
        "compare",
        &[
            ("sides", "Records, event files or directories of runs"),
            ("anyway", "Compare runs that are unlike or not valid"),
            ("tolerances", "How much worse figures may be: 5%,p99=10%"),
            ("format", "text, markdown or json [default: text]"),
            ("html", "Write an HTML page with charts as well"),
        ],
    ),
    (
        "ab",
        &[
            ("commands", "The two commands, each after --"),
            ("runs", "How often to run each [default: 5]"),
            ("keep", "Keep the records in this directory"),
            ("anyway", "Compare runs although they are not valid"),
            ("tolerances", "How much worse figures may be: 5%,p99=10%"),
            ("format", "text, markdown or json [default: text]"),
            ("html", "Write an HTML page with charts as well"),
        ],
    ),
    (
        "trend",
        &[
            ("runs", "Directories of records, or records"),
            ("anyway", "Follow runs that are unlike"),
            ("format", "text or json [default: text]"),
            ("html", "Write an HTML page with charts as well"),
        ],
    ),
    (
        "quickstart",
        &[
            ("protocol", "ldap, dhcp or rest [default: ldap]"),
            ("duration", "How long to run each tool [default: 5s]"),
            ("users", "Number of users, or of DHCP clients"),
            ("connections", "Number of connections [default: 10]"),
            ("output", "Directory for the records"),
            ("details", "Show command lines, tables and summaries"),
        ],
    ),
    (
        "target ldap",
        &[
            ("listen", "Address [default: 127.0.0.1:1389]"),
            ("listen_tls", "Address for LDAPS"),
            ("users", "Number of users [default: 2000]"),
            ("suffix", "Base DN [default: dc=example,dc=com]"),
            ("password", "Password of every user [default: password]"),
            ("ca_out", "Write the generated certificate (PEM)"),
            ("threads", "Threads that serve connections [default: 1]"),
            ("script", "TOML file of faults to inject"),
            ("max_duration", "Stop after this time, such as 90s"),
        ],
    ),
    (
        "target dhcp",
        &[
            ("listen", "Address [default: 127.0.0.1:10067]"),
            ("pool", "IPv4 pool [default: 10.0.0.0/8]"),
            ("pool6", "IPv6 pool [default: 2001:db8:1::/64]"),
            ("prefix_pool", "Prefixes to delegate, such as 2001:db8::/36/56"),
            ("lifetime", "Lifetime of a lease [default: 3600]"),
            ("reply_to_source", "Answer DHCPv4 clients on their own port"),
            ("lab", "Serve broadcasts on a laboratory network"),
            ("interface", "Interface of the laboratory network"),
            ("script", "TOML file of faults to inject"),
            ("leases_out", "Write all leases to this CSV file"),
        ],
    ),
    (
        "target rest",
        &[
            ("listen", "Address [default: 127.0.0.1:8080]"),
            ("listen_tls", "Address for HTTPS"),
            ("users", "Number of users [default: 2000]"),
            ("password", "Password of every user [default: password]"),
            ("admin_password", "Password of administrators"),
            ("ca_out", "Write the generated certificate (PEM)"),
            ("threads", "Threads [default: 1]"),
            ("log", "Write received requests as JSON lines"),
            ("script", "TOML file of faults to inject"),
            ("max_duration", "Stop after this time, such as 90s"),
        ],
    ),
];

/// The commands by what they are for. One that is not listed is shown at the end.
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

/// The commands that are in a group.
pub(super) fn listed() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().flat_map(|(_, names)| names.iter().copied())
}

/// Which screen is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Screen {
    /// `-h`: what most runs need.
    Short,
    /// `--help`: everything.
    Full,
}

/// The commands as clap parses them, with the help that `--help` shows.
pub(super) fn command() -> Command {
    dress(Brunt::command().max_term_width(WIDTH), "", Screen::Full)
}

/// What `-h` shows for the command that these words name.
pub(super) fn short(words: &[String]) -> String {
    let mut command = dress(Brunt::command().max_term_width(WIDTH), "", Screen::Short);
    command.build();
    for word in words {
        let Some(found) = command.find_subcommand(word).cloned() else { break };
        command = found;
    }
    command.render_help().to_string()
}

/// The page about the program: what it does, and every command.
pub(super) fn program(screen: Screen) -> String {
    let program = declared::program();
    let about = program.get_about().map(ToString::to_string).unwrap_or_default();
    let mut out = format!("{about}\n\nUsage: brunt <COMMAND> [OPTIONS]\n\nExamples:\n");
    out.push_str(&shown(examples::of("")));
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
    out.push_str(match screen {
        Screen::Short => "\nSee 'brunt COMMAND -h' for one command, 'brunt --help' for what each does.\n",
        Screen::Full => {
            "\nOptions:\n  -h, --help           Print help: 'brunt COMMAND --help' for one command\n  \
             -V, --version        Print the version\n"
        }
    });
    out
}

/// The commands in their groups, those without one in a last group.
fn grouped(program: &Command) -> Vec<(&'static str, Vec<&Command>)> {
    let named = |name: &&str| program.find_subcommand(name);
    let mut groups: Vec<(&str, Vec<&Command>)> = GROUPS
        .iter()
        .map(|(title, names)| (*title, names.iter().filter_map(named).collect()))
        .collect();
    let listed = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let other = program.get_subcommands().filter(|command| !listed(command.get_name()));
    groups.push(("Other", other.collect()));
    groups
}

/// A command and what it does.
fn list(command: &Command, out: &mut String) {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut name = command.get_name();
    for line in wrap(&about, WIDTH - PURPOSE - 2).lines() {
        let _ = writeln!(out, "  {name:PURPOSE$}{line}");
        name = "";
    }
}

/// Gives a command and those below it their examples, and for `-h` a choice of their options.
fn dress(command: Command, name: &str, screen: Screen) -> Command {
    let examples = examples::of(name);
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
    let few = SHORT.iter().find(|(of, _)| *of == name).map(|(_, ids)| *ids);
    let end = format!("See 'brunt {name} --help' for all options.");
    command
        .mut_args(|arg| one_line(arg, few))
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .help_template(format!(
            "{{usage-heading}} {{usage}}\n\n{{about}}\n\n{shown}{{all-args}}\n\n{end}"
        ))
}

/// An option as `-h` shows it, if it does.
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

/// Examples, each with what it shows above it.
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

    /// Every command that clap parses, by its words, with those below it.
    fn commands() -> Vec<(String, Command)> {
        let mut program = command();
        program.build();
        let mut open = vec![(String::new(), program)];
        let mut all = Vec::new();
        while let Some((name, command)) = open.pop() {
            let below = command.get_subcommands();
            let below = below.filter(|sub| !sub.is_hide_set() && sub.get_name() != "help");
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
            assert!(screen.lines().count() <= LINES, "{name}:\n{screen}");
            assert!(screen.lines().all(|line| line.chars().count() <= WIDTH), "{name}:\n{screen}");
            assert!(screen.starts_with("Usage: ") || name.is_empty(), "{name}:\n{screen}");
            assert!(screen.contains("--help"), "{name}:\n{screen}");
        }
    }

    #[test]
    fn full_help_is_no_wider_than_a_terminal_and_names_every_option() {
        for (name, mut command) in commands() {
            let screen = match name.as_str() {
                "" => program(Screen::Full),
                _ => command.render_long_help().to_string(),
            };
            assert!(screen.lines().all(|line| line.chars().count() <= WIDTH), "{name}:\n{screen}");
            assert!(screen.contains("\nExamples:\n"), "{name}:\n{screen}");
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                let long = arg.get_long().map(|long| format!("--{long}")).unwrap_or_default();
                assert!(screen.contains(&long), "{name}: {long}");
            }
        }
    }

    #[test]
    fn every_option_of_a_short_screen_exists() {
        let commands = commands();
        for (name, ids) in SHORT {
            let command = commands.iter().find(|(of, _)| of == name).map(|(_, command)| command);
            let command = command.unwrap_or_else(|| panic!("{name}"));
            for (id, _) in *ids {
                assert!(command.get_arguments().any(|arg| arg.get_id() == id), "{name}: {id}");
            }
        }
    }

    #[test]
    fn the_page_of_the_program_names_each_command_once() {
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
