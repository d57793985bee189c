//! The word for what came of a run, and the few sentences after it: the cause first where little or nothing succeeded,
//! then the figures, then whether to believe them.

use super::{millis, rate};
use crate::failures;
use crate::figure::{printable, thousands};
use crate::screen::Screen;
use crate::summary::{outcome_dressed, overloaded, response, sessions_needed, trust};
use crate::wrapped::{shortened, wrapped};
use brunt_record::{HistogramError, Reach, Record, RunOutcome, SampleRecord, Status};

/// The most lines of the sentences.
const LINES: usize = 7;
/// How far sentences are from the left where the word for the outcome is longer than a column.
const INDENT_MAX: usize = 16;
/// Failures below this share are told in more digits.
const FEW: f64 = 0.1;

/// The lines: the word, and the sentences beside it.
pub(super) fn lines(
    record: &Record,
    screen: Screen,
    width: usize,
) -> Result<Vec<String>, HistogramError> {
    let outcome = record.outcome();
    let word = outcome.words().to_uppercase();
    let indent = (word.chars().count() + 2).min(INDENT_MAX);
    let mut text = String::new();
    for sentence in sentences(record)? {
        let first = if text.is_empty() { format!("{word:<indent$}") } else { " ".repeat(indent) };
        text += &wrapped(&printable(&sentence), &first, width);
    }
    let dots = screen.either("…", "..");
    let mut lines: Vec<String> =
        text.lines().take(LINES).map(|line| shortened(line, width, dots)).collect();
    if let Some(first) = lines.first_mut() {
        *first = first.replacen(&word, &outcome_dressed(screen, outcome, &word), 1);
    }
    if record.counts.due() > 0 && record.counts.ok == 0 {
        lines.extend(first_failure(record, width));
    }
    Ok(lines)
}

fn sentences(record: &Record) -> Result<Vec<String>, HistogramError> {
    let counts = &record.counts;
    if counts.due() == 0 {
        return Ok(vec![
            "No exchange (request and answer) fell due, so nothing was measured.".to_owned(),
        ]);
    }
    let due = thousands(counts.due());
    let why = failures(record);
    if counts.ok == 0 {
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        let all = format!("None of {due} exchanges succeeded{why}.");
        return Ok(vec![all, "This run says nothing about speed.".to_owned()]);
    }
    let mut told = Vec::new();
    if let Some(why) = why.filter(|_| counts.ok * 2 < counts.due()) {
        told.push(format!("Most failed: {why}."));
    }
    told.extend(away(record));
    told.push(carried(record));
    if record.rates.overload.is_none()
        && let Some(times) = times(record)?
    {
        told.push(times);
    }
    told.push(lost(record));
    told.push(believed(record));
    // Sentences of one thought are one paragraph.
    let last = told.split_off(told.len() - 1);
    Ok([vec![told.join(" ")], last].concat())
}

/// When the target did not respond.
fn away(record: &Record) -> Option<String> {
    if record.outcome() != RunOutcome::Unavailable {
        return None;
    }
    let first = record.away.first()?;
    let until = first.to_s.map_or_else(|| "the end".to_owned(), |to| format!("{to:.1} s"));
    let more = match record.away.len() {
        1 => String::new(),
        times => format!(", and {} more times", times - 1),
    };
    Some(format!("The target did not respond from {:.1} s to {until}{more}.", first.from_s))
}

/// What was asked of the target and what it did.
fn carried(record: &Record) -> String {
    let rates = &record.rates;
    if let Some(doubt) = rates.doubt {
        return format!("The rate is not known: {}.", doubt.words());
    }
    if let Some(overload) = &rates.overload {
        let needed = sessions_needed(record).map_or_else(String::new, |it| format!(" {it}."));
        return format!("{}.{needed}", overloaded(record, overload));
    }
    let (offered, achieved, what) = match rates.iterations {
        Some(of) => (of.offered, of.achieved, "iterations"),
        None => (rates.target.and(rates.offered), rates.achieved, "exchanges"),
    };
    match (offered, achieved) {
        (Some(offered), Some(achieved)) => {
            format!("{} {what} a second offered, {} achieved.", rate(offered), rate(achieved))
        }
        (None, Some(achieved)) => format!("{} {what} a second achieved.", rate(achieved)),
        (_, None) => format!("{} {what} succeeded.", thousands(record.counts.ok)),
    }
}

/// How long exchanges took.
fn times(record: &Record) -> Result<Option<String>, HistogramError> {
    let Some(latency) = response(record) else { return Ok(None) };
    let (histogram, waits) = (latency.histogram()?, latency.waits()?);
    let at = |share: f64| {
        let exact = waits.quantile(share).is_none_or(Reach::is_exact);
        histogram.quantile(share).map(|took| (millis(took.as_secs_f64() * 1e6), exact))
    };
    Ok(at(0.5).zip(at(0.99)).map(|((half, half_exact), (most, most_exact))| {
        match (half_exact, most_exact) {
            (true, true) => format!("Half took at most {half} ms and 99 of 100 at most {most} ms;"),
            (true, false) => {
                format!("Half took at most {half} ms, the slowest 1 of 100 more than {most} ms;")
            }
            (false, _) => format!("Half took more than {half} ms;"),
        }
    }))
}

/// What did not succeed.
fn lost(record: &Record) -> String {
    let counts = &record.counts;
    let due = counts.due();
    let parts = [
        (counts.failed, "failed"),
        (counts.timed_out + counts.cut_off, "had no answer"),
        (counts.dropped, "were dropped unsent"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", thousands(count)))
        .collect();
    if parts.is_empty() {
        return format!("none of {} failed.", thousands(due));
    }
    let share = 100.0 * counts.missed() as f64 / due as f64;
    let share = if share < FEW { format!("{share:.3}") } else { format!("{share:.1}") };
    format!("of {}, {} ({share} %).", thousands(due), parts.join(", "))
}

/// Whether the figures can be believed.
fn believed(record: &Record) -> String {
    let trust = trust(record);
    match record.verdict.status {
        Status::Valid => match trust.strip_prefix("yes: ") {
            Some(why) => format!("The figures can be trusted: {why}."),
            None => format!("Trust: {trust}."),
        },
        _ => format!("Trust: {trust}."),
    }
}

/// The first failure of the most frequent kind that left a text.
fn first_failure(record: &Record, width: usize) -> Vec<String> {
    let earliest = |a: &&SampleRecord, b: &&SampleRecord| a.at_s.total_cmp(&b.at_s);
    let Some(first) = record.samples.iter().min_by(earliest) else { return Vec::new() };
    let step = format!("step {}, at {:.3} s", printable(&first.operation), first.at_s);
    let mut lines = vec![String::new(), format!("  {:<15}{step}", "first failure")];
    let text = wrapped(&printable(&first.text), &format!("  {:<15}", "answered"), width);
    lines.extend(text.lines().take(3).map(str::to_owned));
    lines
}
