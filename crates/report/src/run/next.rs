//! What a reader of the page of a run could do next. It depends on the outcome of the run.

use crate::last_screen::next as commands;
use crate::page::{Block, NextStep, Page};
use brunt_record::{Record, RunOutcome};

/// Adds the part.
pub(super) fn add(page: &mut Page, record: &Record) {
    page.part("next", Some("What next"));
    page.push(Block::Next(steps(record)));
}

fn steps(record: &Record) -> Vec<NextStep> {
    let mut steps = Vec::new();
    let search = || commands::search(record, usize::MAX);
    match record.outcome() {
        RunOutcome::NothingWorked => {
            if let Some(command) = commands::once(record) {
                steps.push(step("Try one request", command, "one user, once; shows each answer"));
            }
            if record.counts.missed() > record.counts.dropped {
                steps.push(link(
                    "Read the first failure",
                    "failures",
                    "what was sent, and what came of it",
                ));
            }
        }
        RunOutcome::NotReliable => {
            steps.push(link(
                "What used the processor?",
                "generator",
                "end it, or use another machine",
            ));
            let calibrate = commands::calibrate();
            steps.push(step(
                "How much can this machine ask?",
                calibrate,
                "of a target that costs nothing",
            ));
        }
        RunOutcome::Overloaded => {
            if let Some(command) = search() {
                steps.push(step("Search for the limit", command, &kept_up(record)));
            }
        }
        RunOutcome::Missed => {
            steps.push(link("Which operation was it?", "operations", "and what did it wait for"));
            let trend = "brunt trend RUNS".to_owned();
            steps.push(step("When did it change?", trend, "over the records of earlier runs"));
        }
        RunOutcome::Unavailable => {
            steps.push(link("When was it away?", "result", "and how long it took to come back"));
        }
        RunOutcome::Passed | RunOutcome::Measured => {
            if let Some(command) = search() {
                steps.push(step(
                    "How much more can it take?",
                    command,
                    "searches for the highest rate",
                ));
            }
        }
        RunOutcome::Incomplete | RunOutcome::Undecided | RunOutcome::Other => {}
    }
    if !record.command.is_empty() {
        steps.push(link("Run again", "environment", "the command, with the same values"));
    }
    steps
}

fn kept_up(record: &Record) -> String {
    let most = record.rates.overload.as_ref().and_then(|overload| overload.kept_up_per_second);
    let sustained = |most| format!("it kept up until {} a second", crate::figure::rate(most));
    most.map_or_else(String::new, sustained)
}

fn step(words: &str, command: String, detail: &str) -> NextStep {
    NextStep {
        words: words.to_owned(),
        link: None,
        command: Some(command),
        detail: detail.to_owned(),
    }
}

fn link(words: &str, to: &'static str, detail: &str) -> NextStep {
    NextStep { words: words.to_owned(), link: Some(to), command: None, detail: detail.to_owned() }
}
