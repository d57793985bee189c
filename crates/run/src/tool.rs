//! [`Tool`]: a command that a protocol adds to the program.
//!
//! A protocol lists its tools as values, so that the program needs to know only the lists.

use std::path::PathBuf;

use clap::{ArgMatches, Command};

use super::load::Load;
use super::task::Task;
use crate::options::about::About;
use crate::options::refusal::Refusal;
use crate::options::secrecy::Secrecy;
use crate::options::surroundings::Surroundings;

/// A command that a protocol adds to the program.
pub struct Tool {
    /// Its name after `brunt`.
    pub name: &'static str,
    /// Other names of links that stand for it.
    pub aliases: &'static [&'static str],
    /// Whether a link to the program with this name stands for it, as older programs have the name.
    pub is_linked: bool,
    /// Whether it makes a load, so that its run ends with a summary.
    pub makes_load: bool,
    /// Declares its options, for help, pages and completion. What clap parses is parsed by this declaration.
    pub declared: fn(&'static str) -> Command,
    /// How its words are read.
    pub grammar: Grammar,
    /// The texts about it and its subcommands beside their options, by their words after `brunt`.
    pub abouts: &'static [(&'static str, &'static About)],
    /// The arguments that can contain a secret, by their clap id.
    pub secrets: &'static [(&'static str, Secrecy)],
}

/// How the words of a command are read.
#[derive(Clone, Copy)]
pub enum Grammar {
    /// By clap.
    Clap {
        /// Refuses words that clap would read as something else than their writer meant.
        refusal: fn(&[String]) -> Option<String>,
        /// Makes a command of what clap has read, given the command line as a record may show it.
        read: fn(&ArgMatches, Vec<String>) -> Result<Reading, clap::Error>,
    },
    /// By a grammar of its own, that of an older program, given the name that it is called by and the words after it.
    Own {
        /// Reads the words.
        read: fn(&str, &[String], &dyn Surroundings) -> Result<Reading, Refusal>,
        /// The whole help.
        help: fn(&str) -> String,
        /// What its manual page contains beside its options.
        manual: Manual,
    },
}

/// What a manual page contains that a declaration for clap does not, for a command with a grammar of its own.
#[derive(Clone, Copy)]
pub struct Manual {
    /// The examples of the command of this name: the purpose of each, and its command line.
    pub examples: fn(&str) -> Vec<(String, String)>,
    /// The exit codes, and their meanings.
    pub exits: fn() -> Vec<(String, &'static str)>,
    /// The guide that explains more, by its topic.
    pub guide: Option<&'static str>,
    /// The name of its page in `docs/`, if several commands have one page.
    pub page: Option<&'static str>,
}

impl Manual {
    /// Examples that are the same whatever the command is called; a purpose may be wrapped for a terminal.
    pub fn examples(examples: &[(&str, &str)]) -> Vec<(String, String)> {
        let unwrapped =
            |(purpose, line): &(&str, &str)| (purpose.replace('\n', " "), (*line).to_owned());
        examples.iter().map(unwrapped).collect()
    }
}

/// The result of reading the command line of a tool.
#[derive(Debug)]
pub enum Reading {
    /// Print this text and exit successfully.
    Print(String),
    /// Write this text to a file and exit successfully.
    Write {
        /// The file.
        path: PathBuf,
        /// The text.
        text: String,
        /// What to print when it is written.
        message: String,
    },
    /// Make this load.
    Load(Box<dyn Load>),
    /// Carry this out.
    Task(Box<dyn Task>),
}

impl Reading {
    /// A load, with its command line as a record may show it.
    pub fn load(mut load: impl Load + 'static, typed: Vec<String>) -> Self {
        load.output_mut().typed = typed;
        Self::Load(Box::new(load))
    }
}

impl Tool {
    /// Whether clap reads its words.
    pub fn is_read_by_clap(&self) -> bool {
        matches!(self.grammar, Grammar::Clap { .. })
    }

    /// What its manual page contains beside its options, if its grammar is its own.
    pub fn manual(&self) -> Option<&Manual> {
        match &self.grammar {
            Grammar::Own { manual, .. } => Some(manual),
            Grammar::Clap { .. } => None,
        }
    }
}

/// The purpose of a tool as the first line of its help.
pub fn sentence(purpose: &str) -> String {
    let mut letters = purpose.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A declaration with this purpose as the first line of its help. That of the options' own type is for readers of the
/// source.
pub fn purpose(command: Command, about: &'static str) -> Command {
    command.about(about).long_about(None::<&'static str>)
}

/// For a grammar that reads every word as its writer meant it.
pub fn nothing_refused(_: &[String]) -> Option<String> {
    None
}
