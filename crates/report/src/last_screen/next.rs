//! What to do next: a command that can be typed, with what it gives.

use crate::figure::printable;
use crate::wrapped::command_line;
use brunt_record::{Mode, Record, RunOutcome};
use std::path::Path;

/// Where the words after a command begin, if the command leaves room.
const WORDS_AT: usize = 48;
const LABEL: &str = "next  ";
/// A search tries rates up to this many times what was achieved.
const ABOVE: f64 = 1.1;
/// A search must have an objective. That a rate is achieved it demands by itself.
const ANY_OBJECTIVE: [&str; 2] = ["--slo", "errors<1%"];
/// The most lines of a command.
const COMMAND_LINES: usize = 3;

/// The lines. `kept` is the file of the record.
pub(super) fn lines(record: &Record, kept: Option<&str>, width: usize) -> Vec<String> {
    let room = width.saturating_sub(LABEL.len());
    let line = |words: &[&str]| command_line(words, usize::MAX);
    let mut steps: Vec<(String, &str)> = match record.outcome() {
        RunOutcome::NothingWorked => {
            once(record).map(|it| (it, "one user; shows every answer")).into_iter().collect()
        }
        RunOutcome::NotReliable => vec![
            ("end what else runs here, or use another machine, and run again".to_owned(), ""),
            (calibrate(), "how much this machine can ask"),
        ],
        RunOutcome::Overloaded => search(record, room).map(|it| (it, "")).into_iter().collect(),
        _ => Vec::new(),
    };
    steps.push(match kept {
        Some(file) => (line(&["brunt", "report", file, "--details"]), "all figures"),
        None => {
            ("the same with --details or --record FILE".to_owned(), "shows or keeps all figures")
        }
    });
    let mut lines = Vec::new();
    for (command, words) in steps {
        let mut parts: Vec<&str> = command.lines().collect();
        let last = parts.pop().unwrap_or_default();
        for part in parts {
            lines.push(begun(&lines) + part);
        }
        let line = begun(&lines) + last;
        let long = format!("{line:<WORDS_AT$} {words}").trim_end().to_owned();
        lines.push(if long.chars().count() <= width { long } else { line });
    }
    lines
}

/// The command that carries out a plan once, for one user.
pub(crate) fn once(record: &Record) -> Option<String> {
    plan(record).map(|plan| command_line(&["brunt", "run", plan, "--once"], usize::MAX))
}

/// The command that measures the highest load that this machine can generate.
pub(crate) fn calibrate() -> String {
    command_line(&["brunt", "calibrate"], usize::MAX)
}

/// The beginning of the line after these.
fn begun(lines: &[String]) -> String {
    if lines.is_empty() { LABEL.to_owned() } else { " ".repeat(LABEL.len()) }
}

/// The search for the rate that the target carries, where the load had a rate. The load defines how it can be searched.
pub(crate) fn search(record: &Record, room: usize) -> Option<String> {
    // The rates of a search are those of iterations, where these are several exchanges.
    let achieved = record.rates.iterations.map_or(record.rates.achieved, |it| it.achieved);
    let achieved = achieved.filter(|rate| *rate > 0.0)?;
    // A redacted word is not what was typed.
    let typed = !record.search.iter().any(|word| word.contains("***"));
    if !typed || record.plan.mode != Mode::Open {
        return None;
    }
    let search: Vec<&str> = record.search.iter().map(String::as_str).collect();
    let (own, load) = search.split_at(search.iter().position(|word| *word == "--")?);
    let to = format!("{}/s", above(achieved));
    let slos: Vec<&str> = match &record.slo[..] {
        [] => ANY_OBJECTIVE.to_vec(),
        // A plan contains its objectives, or has them beside it.
        _ if load.get(1) == Some(&"run") => Vec::new(),
        slos => slos.iter().flat_map(|slo| ["--slo", slo.expr.as_str()]).collect(),
    };
    let words = [&["brunt", "find-max"], &slos[..], &["--to", &to], own, load].concat();
    let lines = command_line(&words, room);
    let narrow = lines.lines().all(|line| line.chars().count() <= room);
    (narrow && lines.lines().count() <= COMMAND_LINES).then_some(lines)
}

/// A rate somewhat above this one, in two digits.
fn above(rate: f64) -> f64 {
    let rate = (rate * ABOVE).max(1.0);
    let unit = 10_f64.powf(rate.log10().floor() - 1.0).max(1.0);
    (rate / unit).ceil() * unit
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
