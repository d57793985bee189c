//! The word for the outcome of a run, and the few sentences after it: the cause first where little or nothing
//! succeeded, then the figures, then whether to trust them.

use super::millis;
use crate::branches::passed_over;
use crate::failures::{cause, explained, lost};
use crate::figure::{printable, rate, thousands};
use crate::screen::Screen;
use crate::summary::scenarios;
use crate::summary::{found_nothing, outcome_dressed, overloaded, response, sessions_needed};
use crate::trust::{COMPLETE, Trust};
use crate::wrapped::wrapped;
use brunt_record::{HistogramError, Reach, Record, RunOutcome, SampleRecord, Status};
use std::fmt::Write as _;

/// The most lines for whether to believe the figures, where there is too little room.
const BELIEVED: usize = 3;
/// How far sentences are from the left where the word for the outcome is longer than a column.
const INDENT_MAX: usize = 16;
/// The most steps and groups that are named because they were passed over.
const BRANCHES_MAX: usize = 2;

/// The lines: the word, and the sentences beside it. The first failure is not in the room.
pub(super) fn lines(
    record: &Record,
    screen: Screen,
    room: usize,
    width: usize,
) -> Result<Vec<String>, HistogramError> {
    let outcome = record.outcome();
    let word = outcome.words().to_uppercase();
    let indent = (word.chars().count() + 2).min(INDENT_MAX);
    let paragraph = |sentences: &[String], first: &str| -> Vec<String> {
        let text = printable(&sentences.join(" "));
        wrapped(&text, first, width).lines().map(str::to_owned).collect()
    };
    let mut lines = paragraph(&sentences(record)?, &format!("{word:<indent$}"));
    let mut believed = paragraph(&[believed(record)], &" ".repeat(indent));
    let dots = screen.either("…", "..");
    if lines.len() + believed.len() > room {
        cut(&mut believed, BELIEVED.max(room.saturating_sub(lines.len())), width, dots);
        cut(&mut lines, room.saturating_sub(believed.len()).max(1), width, dots);
    }
    if let Some(first) = lines.first_mut() {
        *first = first.replacen(&word, &outcome_dressed(screen, outcome, &word), 1);
    }
    lines.extend(believed);
    if record.counts.due() > 0 && record.counts.ok == 0 {
        lines.extend(first_failure(record, width));
    }
    Ok(lines)
}

/// Leaves so many lines, and shows that there are more.
fn cut(lines: &mut Vec<String>, room: usize, width: usize, dots: &str) {
    if lines.len() <= room {
        return;
    }
    lines.truncate(room);
    if let Some(last) = lines.last_mut() {
        let kept = width.saturating_sub(dots.chars().count() + 1);
        *last = last.chars().take(kept).collect::<String>().trim_end().to_owned() + " " + dots;
    }
}

/// Words as a sentence.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map_or_else(String::new, |first| first.to_uppercase().collect());
    format!("{first}{}.", letters.as_str())
}

/// The outcome of the run.
pub(crate) fn sentences(record: &Record) -> Result<Vec<String>, HistogramError> {
    let (counts, noun) = (&record.counts, &record.plan.noun);
    if counts.due() == 0 {
        return Ok(vec![format!("No {} was scheduled, so nothing was measured.", noun.one)]);
    }
    if counts.ok == 0 {
        let why = explained(record).map_or_else(String::new, |why| format!(": {why}"));
        let mut all = format!("None of {} {} succeeded{why}", thousands(counts.due()), noun.many);
        if counts.dropped > 0 {
            let _ = write!(all, "; {} were dropped unsent", thousands(counts.dropped));
        }
        all.push('.');
        return Ok([all].into_iter().chain(not_begun(record)).collect());
    }
    let mut sentences: Vec<String> = away(record).into_iter().collect();
    sentences.extend(cause(record).map(|why| sentence(&why)));
    sentences.extend(scenarios::overloaded(record).iter().map(|words| sentence(words)));
    sentences.extend(carried(record));
    sentences.extend(if record.rates.overload.is_some() {
        at_the_target(record)?
    } else {
        times(record)?
    });
    sentences.push(sentence(&lost(record)));
    sentences.extend(found_nothing(record).map(sentence));
    sentences.extend(branches(record));
    Ok(sentences)
}

/// The iterations of scenarios with a load of their own that were due and did not begin: their requests are not among
/// those that were due.
fn not_begun(record: &Record) -> impl Iterator<Item = String> + '_ {
    let scenarios = record.scenarios.iter().filter_map(|it| Some((it, it.not_begun?, it.due?)));
    scenarios.filter(|(_, left, _)| *left > 0).map(|(scenario, left, due)| {
        let name = &scenario.name;
        format!("{} of {} iterations of {name} did not begin.", thousands(left), thousands(due))
    })
}

/// What was passed over each time.
fn branches(record: &Record) -> Vec<String> {
    let never = passed_over(record);
    let more = never.len().saturating_sub(BRANCHES_MAX);
    let mut sentences: Vec<String> =
        never.iter().take(BRANCHES_MAX).map(|it| sentence(it)).collect();
    if more > 0 {
        sentences.push(format!("So were {more} more."));
    }
    sentences
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

/// What was offered to the target, and what it achieved.
fn carried(record: &Record) -> Vec<String> {
    let rates = &record.rates;
    if let Some(doubt) = rates.doubt {
        return vec![format!("The rate is not known: {}.", doubt.words())];
    }
    if let Some(overload) = &rates.overload {
        let parts = overloaded(record, overload).into_iter().chain(sessions_needed(record));
        return parts.map(|part| sentence(&part)).collect();
    }
    let (offered, achieved, what) = match rates.iterations {
        Some(of) => (of.offered, of.achieved, "iterations"),
        None => (rates.target.and(rates.offered), rates.achieved, &*record.plan.noun.many),
    };
    vec![match (offered, achieved) {
        (Some(offered), Some(achieved)) => {
            format!("{} {what} a second offered, {} achieved.", rate(offered), rate(achieved))
        }
        (None, Some(achieved)) => format!("{} {what} a second achieved.", rate(achieved)),
        (_, None) => format!("{} {what} succeeded.", thousands(record.counts.ok)),
    }]
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
            (true, true) => format!("Half took at most {half} ms and 99 of 100 at most {most} ms."),
            (true, false) => {
                format!("Half took at most {half} ms, the slowest 1 of 100 more than {most} ms.")
            }
            (false, _) => format!("Half took more than {half} ms."),
        }
    }))
}

/// How long an overloaded target took: response times depend on how long the run lasts.
fn at_the_target(record: &Record) -> Result<Option<String>, HistogramError> {
    let [operation] = record.operations.as_slice() else { return Ok(None) };
    let took = operation.service.histogram()?.quantile(0.5);
    Ok(took.map(|took| {
        let took = millis(took.as_secs_f64() * 1e6);
        format!("Half of those sent took at most {took} ms at the target, beside waiting here.")
    }))
}

/// Whether the figures can be believed.
fn believed(record: &Record) -> String {
    if record.counts.due() > 0 && record.counts.ok == 0 {
        let nothing = "This run says nothing about speed.".to_owned();
        let ended = cut_short(record).map(|why| sentence(&why));
        return [nothing].into_iter().chain(ended).collect::<Vec<_>>().join(" ");
    }
    match Trust::new(record) {
        Trust::Complete => format!("The figures can be trusted: {COMPLETE}."),
        trust => format!("Trust: {trust}."),
    }
}

/// Why the run ended early, without what helps.
fn cut_short(record: &Record) -> Option<String> {
    let verdict = &record.verdict;
    let mut reasons = verdict.reasons.iter().filter(|reason| reason.status == Status::Partial);
    let first = reasons.next().filter(|_| verdict.cut_short)?;
    Some(first.brief(&record.plan.noun))
}

/// The first failure of the most frequent kind that left a text.
fn first_failure(record: &Record, width: usize) -> Vec<String> {
    let earliest = |a: &&SampleRecord, b: &&SampleRecord| a.at_s.total_cmp(&b.at_s);
    let Some(first) = record.samples.iter().min_by(earliest) else { return Vec::new() };
    let step = format!("step {}, at {:.3} s", printable(&first.operation), first.at_s);
    let mut lines = vec![String::new(), format!("  {:<15}{step}", "first failure")];
    let sent = first.sent.as_ref().map(|sent| ("sent", sent.replace('\n', "; "), 2));
    for (name, text, most) in sent.into_iter().chain([("answered", first.text.clone(), 3)]) {
        let text = wrapped(&printable(&text), &format!("  {name:<15}"), width);
        lines.extend(text.lines().take(most).map(str::to_owned));
    }
    lines
}
