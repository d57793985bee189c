//! A search for the highest rate as a history stores it: its page, and its summary in a list of runs.

use std::path::Path;

use brunt_capacity::{Answer, Reading, Row, Verdict, rate};
use brunt_history::{Capacity, Figures, MeasuredStep, RECORD_KEPT, Searched, Summary};
use brunt_record::{Collection, Document, HistogramError, ReadError, Status};
use brunt_report::capacity;
use brunt_report::page::Page;
use brunt_serve::child::StepPage;

use super::parts;

/// Why there is no page of a search or of one of its steps.
#[derive(Debug, thiserror::Error)]
pub(super) enum SearchError {
    #[error(
        "it holds many runs that were compared; bring the records of single runs, or of find-max"
    )]
    Comparison,
    #[error("it is no search")]
    NoSearch,
    #[error("that step has no record")]
    NoRecord,
    #[error("failed to {0}")]
    Read(#[from] ReadError),
    #[error("failed to {0}")]
    Page(#[from] HistogramError),
}

/// The page of a search and its summary. The error says why a collection is not a search.
pub(super) fn read(collection: &Collection) -> Result<(Page, Summary), SearchError> {
    let Some(reading) = Reading::from_collection(collection) else {
        return Err(SearchError::Comparison);
    };
    let page = capacity::page(&reading);
    let found = match reading.answer {
        Answer::Claim { rate, .. } | Answer::Floor { rate, .. } => Some(rate),
        _ => None,
    };
    let fails_at = match reading.answer {
        Answer::Claim { fails_at, .. } => fails_at,
        _ => collection.figures.get("fails_at").copied().filter(|rate| rate.is_finite()),
    };
    let held = found.and_then(|rate| held(&reading, rate));
    let figure = |name: &str| held.and_then(|row| row.figure(name));
    let millis = |name: &str| figure(name).map(|us| us / 1e3);
    let searched = Searched {
        sentence: reading.sentence(),
        target: capacity::target(&reading),
        objectives: reading.objectives.iter().map(|&text| text.to_owned()).collect(),
        doubts: capacity::doubts(&reading),
        verdict: verdict(&reading),
        capacity: Capacity {
            word: capacity::status(&reading).to_lowercase(),
            rate: found,
            at_least: matches!(reading.answer, Answer::Floor { .. }),
            fails_at,
            steps: reading.rows.iter().map(step).collect(),
            measured: measured(&reading, found),
        },
        figures: Figures {
            requested: found,
            achieved: figure("achieved"),
            goodput: figure("achieved"),
            p50_ms: millis("p50_us"),
            p99_ms: millis("p99_us"),
            p999_ms: millis("p999_us"),
            ..Figures::default()
        },
        seconds: collection
            .figures
            .get("took_s")
            .copied()
            .filter(|it| it.is_finite())
            .unwrap_or(0.0),
    };
    Ok((page, Summary::of_search(collection, String::new(), searched)))
}

/// What was measured at each step with a rate.
fn measured(reading: &Reading<'_>, found: Option<f64>) -> Vec<MeasuredStep> {
    let confirmed = found.and_then(|rate| reading.confirmation(rate));
    let of = |(number, row): (u64, &Row<'_>)| {
        let millis = |name: &str| row.figure(name).map(|us| us / 1e3);
        Some(MeasuredStep {
            step: number,
            rate: row.rate?,
            achieved: row.figure("achieved"),
            p50_ms: millis("p50_us"),
            p99_ms: millis("p99_us"),
            errors: row.figure("errors"),
            verdict: row.verdict.word().to_owned(),
            confirms: confirmed.is_some_and(|held| std::ptr::eq(held.cell, row.cell)),
        })
    };
    (1..).zip(&reading.rows).filter_map(of).collect()
}

/// A step in a few words: `ramp, 200/s, pass`.
fn step(row: &Row<'_>) -> String {
    let at = row.rate.map_or_else(|| "one session".to_owned(), rate);
    match row.verdict {
        Verdict::None => format!("{}, {at}", row.kind.word()),
        verdict => format!("{}, {at}, {verdict}", row.kind.word()),
    }
}

/// The page and the view of one step, by its number from 1. The error says why there is none.
pub(super) fn step_page(number: usize) -> Result<StepPage, SearchError> {
    let Document::Collection(collection) = Document::read(Path::new(RECORD_KEPT))? else {
        return Err(SearchError::NoSearch);
    };
    let reading = Reading::from_collection(&collection).ok_or(SearchError::NoSearch)?;
    let row = number.checked_sub(1).and_then(|at| reading.rows.get(at));
    let record = row.and_then(Row::record).ok_or(SearchError::NoRecord)?;
    let page = brunt_report::run::page(record)?;
    let view = page.view.as_ref().and_then(|view| serde_json::to_string(view).ok());
    Ok(StepPage { page: parts(&page), view })
}

/// The step at which a rate was held: its confirmation, or another step that is evidence for it.
fn held<'a>(reading: &Reading<'a>, rate: f64) -> Option<Row<'a>> {
    let at = |row: &Row<'a>| row.rate.is_some_and(|at| (at - rate).abs() <= 1e-3 * rate);
    reading.confirmation(rate).or_else(|| reading.curve().into_iter().rev().find(at))
}

/// The verdict in a list of runs: unstable if the rate is not valid for one state of the target, partial if the result
/// is less than what was requested.
fn verdict(reading: &Reading<'_>) -> Status {
    match reading.answer {
        _ if reading.is_unstable() => Status::Unstable,
        Answer::Claim { .. } => Status::Valid,
        _ => Status::Partial,
    }
}
