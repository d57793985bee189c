//! What to do next: a command that can be typed, with what it gives.

use crate::figure::printable;
use crate::wrapped::command_line;
use brunt_record::{Record, RunOutcome};
use std::path::Path;

/// Where the words after a command begin, if the command leaves room.
const WORDS_AT: usize = 48;
const LABEL: &str = "next  ";

/// The lines. `kept` is the file of the record.
pub(super) fn lines(record: &Record, kept: Option<&str>, width: usize) -> Vec<String> {
    let mut told = match record.outcome() {
        RunOutcome::NothingWorked => plan(record)
            .map(|plan| (typed(&["brunt", "run", plan, "--once"]), "one user; shows every answer"))
            .into_iter()
            .collect(),
        RunOutcome::NotReliable => vec![
            ("end what else runs here, or use another machine, and run again".to_owned(), ""),
            ("brunt calibrate".to_owned(), "how much this machine can ask"),
        ],
        _ => Vec::new(),
    };
    if told.is_empty() {
        told.push(match kept {
            Some(file) => (typed(&["brunt", "report", file, "--details"]), "all figures"),
            None => ("the same with --record run.json".to_owned(), "keeps all figures"),
        });
    }
    let lines = told.into_iter().enumerate().map(|(place, (command, words))| {
        let first = if place == 0 { LABEL.to_owned() } else { " ".repeat(LABEL.len()) };
        let line = format!("{first}{command}");
        let long = format!("{line:<WORDS_AT$} {words}").trim_end().to_owned();
        if long.chars().count() <= width { long } else { line }
    });
    lines.collect()
}

/// What was run: the file of a plan, or the name of the tool.
pub(super) fn title(record: &Record) -> String {
    let tool = || words(record).first().map_or(record.tool.name.as_str(), String::as_str);
    printable(plan(record).unwrap_or_else(tool))
}

/// The file of the plan, if a plan was run.
fn plan(record: &Record) -> Option<&str> {
    let (first, rest) = words(record).split_first()?;
    let is_plan = |word: &str| Path::new(word).extension().is_some_and(|kind| kind == "toml");
    let file = || rest.iter().find(|word| !word.starts_with('-') && is_plan(word));
    (first == "run").then(file).flatten().map(String::as_str)
}

/// The command line after the name of the program. A tool that was started through a link has none before its own.
fn words(record: &Record) -> &[String] {
    match record.command.split_first() {
        Some((first, rest)) if first == "brunt" || first.ends_with("/brunt") => rest,
        _ => &record.command,
    }
}

/// A command in one line.
fn typed(words: &[&str]) -> String {
    command_line(words, usize::MAX)
}
