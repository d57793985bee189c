//! The command line: from words to a [`Command`] with only legal values.
//!
//! The LDAP rate tools keep the grammar of the original tools, which no parser library supports, so they have a small
//! parser over tables of options; every other command uses clap. Reading a command line is a function of its words and
//! of the [`Surroundings`]: nothing is printed and nothing is started here.

mod abouts;
pub(crate) mod advice;
pub(crate) mod agent;
pub(crate) mod args;
pub(crate) mod cluster;
pub(crate) mod cluster_check;
pub(crate) mod cluster_keys;
pub(crate) mod cluster_manifest;
pub(crate) mod cluster_run;
pub(crate) mod compare;
mod completions;
mod declared;
pub(crate) mod dhcp_target;
#[cfg(test)]
mod docs;
pub(crate) mod find_max;
mod left_out;
#[cfg(test)]
mod load_table;
mod manual;
mod markdown;
mod pages;
pub(crate) mod plane;
pub(crate) mod push;
#[cfg(test)]
mod quoted;
pub(crate) mod rest_target;
mod screens;
#[cfg(feature = "website")]
pub(crate) mod serve;
pub(crate) mod site_url;
pub(crate) mod sizing;
mod spellings;
mod topics;
pub(crate) mod typed;
mod value_error;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

#[cfg(feature = "website")]
use brunt_flow_tool::options::run::RunArgs;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::options::run_options::RunOptions;
use brunt_run::options::surroundings::Surroundings;
use brunt_run::tool::{Grammar, Reading, Tool};
use brunt_run::version;
use brunt_run::{Load, Task};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, FromArgMatches as _};

use crate::tools;

use args::{Brunt, Verb};
use screens::Screen;

/// The action that a command line requests.
#[derive(Debug)]
pub(crate) enum Command {
    /// Print this to standard output.
    Print(String),
    /// Write this text to a file.
    Write {
        /// The file.
        path: PathBuf,
        /// The text.
        text: String,
        /// What to print when it is written.
        printed: String,
    },
    /// Write these files into a directory.
    WriteAll {
        /// The directory, which is created if it does not exist.
        directory: PathBuf,
        /// Their names and texts.
        files: Vec<(String, String)>,
    },
    /// Make a load.
    Load(Box<dyn Load>),
    /// Carry out another command of a tool.
    Task(Box<dyn Task>),
    /// Carry out a command of the program's own.
    Verb(Verb),
    /// Act as a process of a website; its task is on its standard input. Not for users.
    #[cfg(feature = "website")]
    ServeChild,
    /// Carry out a share of a step of a search. Not for users.
    StepChild {
        /// The task, as JSON.
        task: String,
        /// The command that makes the load.
        words: Vec<String>,
    },
    /// Act as the broker of local agents. Not for users.
    BrokerChild {
        /// The broker's configuration.
        config: PathBuf,
        /// The process whose end also ends this one.
        parent: i32,
    },
}

impl Command {
    /// The options that every run takes, for a command that makes one run.
    pub(crate) fn run_options(&self) -> Option<&RunOptions> {
        match self {
            Self::Load(load) => load.results(),
            _ => None,
        }
    }

    /// The options that decide which addresses the command may reach. Commands that make no load, or only on loopback,
    /// have none, and find-max sets up its own address policy.
    pub(crate) fn address_policy_options(&self) -> Option<Cow<'_, RunOptions>> {
        match self {
            Self::Load(load) => Some(Cow::Borrowed(&load.output().run)),
            Self::Task(task) => task.sends().then(Cow::default),
            _ => None,
        }
    }

    /// Whether standard error gets only what needs attention, for a command that makes a load.
    pub(crate) fn is_quiet(&self) -> bool {
        match self {
            Self::Load(load) => load.output().run.quiet.quiet,
            Self::Task(task) => task.is_quiet(),
            Self::Verb(verb) => verb.quiet().is_some_and(|it| it.quiet),
            Self::Print(_)
            | Self::Write { .. }
            | Self::WriteAll { .. }
            | Self::StepChild { .. }
            | Self::BrokerChild { .. } => false,
            #[cfg(feature = "website")]
            Self::ServeChild => false,
        }
    }
}

impl From<Reading> for Command {
    fn from(reading: Reading) -> Self {
        match reading {
            Reading::Print(text) => Self::Print(text),
            Reading::Write { path, text, message } => Self::Write { path, text, printed: message },
            Reading::Load(load) => Self::Load(load),
            Reading::Task(task) => Self::Task(task),
        }
    }
}

/// The word by which an agent starts its share of a step of a search.
pub(crate) const STEP_CHILD: &str = "step-child";

/// The word by which the program starts the broker of local agents.
pub(crate) const BROKER_CHILD: &str = "broker-child";

/// The name of a program without its directory.
fn base_name(argv0: &str) -> Option<&str> {
    Path::new(argv0).file_name()?.to_str()
}

/// The tool that a program called like this stands for.
fn linked(argv0: &str) -> Option<&'static Tool> {
    tools::named(base_name(argv0)?).filter(|tool| tool.is_linked)
}

/// Whether a program called like this stands for an older tool whose runs end with a summary on standard error.
pub(crate) fn is_older_name(argv0: &str) -> bool {
    linked(argv0).is_some_and(|tool| tool.makes_load)
}

/// Reads the command line of a load for another command, or returns what else it is.
pub(crate) fn load(
    words: &[String],
    surroundings: &dyn Surroundings,
) -> Result<Result<Box<dyn Load>, Command>, Refusal> {
    let line: Vec<String> =
        std::iter::once("brunt".to_owned()).chain(words.iter().cloned()).collect();
    Ok(match read(&line, surroundings)? {
        Command::Load(load) => Ok(load),
        other => Err(other),
    })
}

/// Reads the command line of a plan, for a website, which grants plans more and less than a user has.
#[cfg(feature = "website")]
pub(crate) fn plan(words: &[String]) -> Result<RunArgs, Refusal> {
    let line: Vec<String> =
        std::iter::once("brunt".to_owned()).chain(words.iter().cloned()).collect();
    brunt_flow_tool::run_args(words.get(1..).unwrap_or_default(), typed::typed(&line))
}

/// Reads a command line; its first word is the name that the program was called by.
pub(crate) fn read(argv: &[String], surroundings: &dyn Surroundings) -> Result<Command, Refusal> {
    #[cfg(feature = "website")]
    if let [_, name] = argv
        && name == brunt_serve::child::COMMAND
    {
        return Ok(Command::ServeChild);
    }
    if let [_, name, task, separator, words @ ..] = argv
        && (name.as_str(), separator.as_str()) == (STEP_CHILD, "--")
    {
        return Ok(Command::StepChild { task: task.clone(), words: words.to_vec() });
    }
    if let [_, name, config, parent] = argv
        && name == BROKER_CHILD
        && let Ok(parent) = parent.parse()
    {
        return Ok(Command::BrokerChild { config: config.into(), parent });
    }
    let mut words = argv.iter();
    let called = words.next().and_then(|argv0| base_name(argv0));
    for name in [called, words.clone().next().map(String::as_str)].into_iter().flatten() {
        if let Some(tool) = tools::named(name)
            && let Grammar::Own { read, .. } = tool.grammar
        {
            return read(name, words.as_slice(), surroundings).map(Command::from);
        }
        words.next();
    }
    // A link with the name of a command stands for that command.
    let linked = argv.first().and_then(|argv0| linked(argv0)).map(|tool| tool.name.to_owned());
    let line: Vec<String> = std::iter::once("brunt".to_owned())
        .chain(linked)
        .chain(argv.iter().skip(1).cloned())
        .collect();
    parsed(&help_first(line))
}

/// Reads a command line that clap parses.
fn parsed(line: &[String]) -> Result<Command, Refusal> {
    if let [_, name, words @ ..] = line
        && let Some(Grammar::Clap { refusal, .. }) = tools::named(name).map(|tool| tool.grammar)
        && let Some(text) = refusal(words)
    {
        return Err(Refusal { text, exit: Exit::Usage });
    }
    let mut command = screens::command_for(line);
    let matches = command.try_get_matches_from_mut(line);
    match matches.and_then(|matches| made(&matches, line)) {
        Ok(Made::Command(command)) => Ok(command),
        Ok(Made::Verb(verb)) => chosen(verb, typed::typed(line)),
        Err(error) => instead(error, line),
    }
}

/// What clap has read.
enum Made {
    Command(Command),
    Verb(Verb),
}

fn made(matches: &ArgMatches, line: &[String]) -> Result<Made, clap::Error> {
    let of_tool = matches.subcommand().and_then(|(name, below)| Some((tools::named(name)?, below)));
    match of_tool.map(|(tool, below)| (tool.grammar, below)) {
        Some((Grammar::Clap { read, .. }, below)) => {
            read(below, typed::typed(line)).map(|reading| Made::Command(reading.into()))
        }
        _ => Brunt::from_arg_matches(matches).map(|brunt| Made::Verb(brunt.verb)),
    }
}

/// The same line with `help` before the group of commands that it follows: `brunt target help ldap`.
fn help_first(mut line: Vec<String>) -> Vec<String> {
    let requested = line.get(2).is_some_and(|word| word == "help");
    let group = line.get(1).filter(|_| requested).is_some_and(|name| {
        declared::parsed().find_subcommand(name).is_some_and(clap::Command::has_subcommands)
    });
    if group {
        line.swap(1, 2);
    }
    line
}

/// The result if clap found nothing to carry out: the help, or an error message.
///
/// The page about the program is our own, because clap's would not name the tools that clap does not parse.
fn instead(mut error: clap::Error, argv: &[String]) -> Result<Command, Refusal> {
    let words = argv.get(1..).unwrap_or_default();
    let refused = |text| Err(Refusal { text, exit: Exit::Usage });
    match (error.kind(), words) {
        (ErrorKind::DisplayVersion, _) => Ok(Command::Print(version())),
        (_, []) => refused(screens::program(Screen::Short)),
        (ErrorKind::InvalidSubcommand, [name, ..]) => {
            refused(left_out::error(name).unwrap_or_else(|| error.to_string()))
        }
        (ErrorKind::DisplayHelp, [word]) => {
            let screen = if word == "-h" { Screen::Short } else { Screen::Full };
            Ok(Command::Print(screens::program(screen)))
        }
        (ErrorKind::DisplayHelp, _) if words.iter().any(|word| word == "-h") => {
            Ok(Command::Print(screens::short(words)))
        }
        (ErrorKind::DisplayHelp, _) => Ok(Command::Print(error.to_string())),
        (ErrorKind::UnknownArgument, [command, ..]) => {
            advise(&mut error, command);
            refused(error.to_string())
        }
        _ => refused(error.to_string()),
    }
}

/// Replaces clap's advice about an unknown option: to pass it as a value is never what was meant, and the option of
/// another tool has a spelling here.
fn advise(error: &mut clap::Error, command: &str) {
    let suggested = error.remove(ContextKind::Suggested);
    let mut tips = match suggested {
        Some(ContextValue::StyledStrs(tips)) => tips,
        _ => Vec::new(),
    };
    tips.retain(|tip| !tip.to_string().starts_with("to pass "));
    let word = error.get(ContextKind::InvalidArg).map(ToString::to_string);
    let similar = error.get(ContextKind::SuggestedArg).is_some();
    let tip = word.and_then(|word| {
        let mistyped = || spellings::similar(command, &word).filter(|_| !similar);
        spellings::instead(command, &word).or_else(mistyped)
    });
    if let Some(tip) = tip {
        error.remove(ContextKind::SuggestedArg);
        tips.push(tip.into());
    }
    // clap prints an empty line for advice, even if there is none.
    if !tips.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
}

/// The command to carry out, given the command line as a record may show it.
fn chosen(mut verb: Verb, typed: Vec<String>) -> Result<Command, Refusal> {
    verb.keep(typed);
    Ok(match verb {
        Verb::Help { topic } => {
            Command::Print(topics::text(&topic).map_err(|reason| unknown(&reason.to_string()))?)
        }
        Verb::Completions { shell, all: Some(directory), .. } => {
            Command::WriteAll { directory, files: completions::all_completions(shell) }
        }
        Verb::Completions { shell, link: None, .. } => {
            Command::Print(completions::completions(shell))
        }
        Verb::Completions { shell, link: Some(name), .. } => {
            Command::Print(completions::completions_of_link(shell, &name).ok_or_else(|| {
                let links = pages::links().join(", ");
                unknown(&format!("no link to brunt is called '{name}': {links}"))
            })?)
        }
        Verb::Man { all: Some(directory), .. } => {
            Command::WriteAll { directory, files: manual::all() }
        }
        Verb::Man { command, .. } => Command::Print(manual::page(&command).ok_or_else(|| {
            let name = command.join(" ");
            unknown(&format!("there is no command '{name}': see 'brunt --help' for all commands"))
        })?),
        verb => Command::Verb(verb),
    })
}

fn unknown(what: &str) -> Refusal {
    Refusal { text: format!("error: {what}\n"), exit: Exit::Usage }
}

#[cfg(test)]
mod tests;
