//! The two tables of the last screen: objectives, and operations.

use super::{LABEL, label, millis};
use crate::figure::{NONE, printable, rate, thousands, three_digits};
use crate::summary::met;
use crate::wrapped::shortened;
use brunt_record::{
    HistogramError, Latency, OperationRecord, OwnPart, Reach, Record, RunOutcome, SloOutcome,
    SloResult,
};

/// The titles of the columns of operations, and how wide they are.
pub(super) const COLUMNS: [(&str, usize); 7] = [
    ("sent", 11),
    ("goodput/s", 11),
    ("failed", 9),
    ("p50", 8),
    ("p99", 8),
    ("p99.9", 8),
    ("max ms", 9),
];
const QUANTILES: [f64; 3] = [0.5, 0.99, 0.999];

/// The objectives, missed ones first. Where nothing succeeded, those that were met mean nothing, and are left out.
pub(super) fn objectives(record: &Record, room: usize, width: usize) -> Vec<String> {
    let is_meaningful = |slo: &&SloResult| record.counts.ok > 0 || slo.outcome != SloOutcome::Met;
    let mut slos: Vec<&SloResult> = record.slo.iter().filter(is_meaningful).collect();
    if slos.is_empty() || room == 0 {
        return Vec::new();
    }
    slos.sort_by_key(|slo| match slo.outcome {
        SloOutcome::Missed => 0,
        SloOutcome::Undecided => 1,
        SloOutcome::Met => 2,
    });
    let names = slos.iter().map(|slo| parted(&slo.expr).0.chars().count());
    let name = (names.max().unwrap_or_default() + 1).clamp(LABEL, 32);
    let mut lines = vec![format!("  {:<name$} {:>10} {:>14}", "objective", "limit", "measured")];
    for slo in slos.iter().take(room) {
        let (what, limit) = parted(&slo.expr);
        let why = slo.why.as_ref().filter(|_| slo.outcome == SloOutcome::Undecided);
        let why = why.map_or_else(String::new, |why| format!(": {}", printable(why)));
        let what = shortened(&printable(what), name - 1, "..");
        let outcome = format!("{}{why}", slo.outcome.word());
        let line = format!("  {what:<name$} {limit:>10} {:>14}   {outcome}", found(slo));
        lines.push(cut(&line, width));
    }
    if slos.len() > room {
        lines.push(format!("  and {} more", slos.len() - room));
    }
    lines
}

/// A line without its end, where it is too long: what was measured and the result are at its beginning.
fn cut(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let kept: String = line.chars().take(width.saturating_sub(3)).collect();
    format!("{} ..", kept.trim_end())
}

/// An objective as the figure and its limit.
fn parted(expr: &str) -> (&str, String) {
    let is_sign = |c: char| ['<', '>', '='].contains(&c);
    let (what, limit) = expr.split_at(expr.find(is_sign).unwrap_or(expr.len()));
    let value = limit.trim_start_matches(is_sign);
    let sign = &limit[..limit.len() - value.len()];
    (what.trim(), format!("{sign} {}", value.trim()).trim().to_owned())
}

/// What was measured.
fn found(slo: &SloResult) -> String {
    let sign = if slo.at_least { "> " } else { "" };
    slo.value.map_or_else(
        || NONE.to_owned(),
        |value| format!("{sign}{} {}", three_digits(value), slo.unit).trim_end().to_owned(),
    )
}

/// The operations that took place, in the order of the plan.
pub(super) fn operations(
    record: &Record,
    room: usize,
    width: usize,
) -> Result<Vec<String>, HistogramError> {
    if record.counts.ok == 0 || room == 0 {
        return Ok(Vec::new());
    }
    let mut used = LABEL + 2;
    let shown = COLUMNS.iter().take_while(|(_, wide)| {
        used += wide;
        used <= width + 2
    });
    let columns: Vec<(&str, usize)> = shown.copied().collect();
    let line = |name: &str, cells: &[String]| {
        let cells = cells.iter().zip(&columns).map(|(cell, (_, wide))| format!("{cell:>wide$}"));
        label(name) + &cells.collect::<String>()
    };
    let titles: Vec<String> = columns.iter().map(|(title, _)| (*title).to_owned()).collect();
    let mut lines = vec![line("", &titles)];
    let groups = record.spans.iter().filter(|span| span.counts.sent > 0);
    let all: Vec<&OperationRecord> = met(record).chain(groups).collect();
    for operation in all.iter().take(room) {
        lines.push(line(&operation.name, &cells(operation)?));
        if let Some(cells) = without_own(record, operation) {
            lines.push(line("without brunt", &cells));
        }
    }
    if all.len() > room {
        lines.push(format!("and {} more, with --details", all.len() - room));
    }
    Ok(lines)
}

fn cells(operation: &OperationRecord) -> Result<Vec<String>, HistogramError> {
    let counts = &operation.counts;
    let goodput = operation.goodput.map_or_else(|| NONE.to_owned(), rate);
    let mut cells =
        vec![thousands(counts.sent), goodput, thousands(counts.missed() - counts.dropped)];
    cells.extend(times(&operation.response)?);
    Ok(cells)
}

/// The percentiles without the generator's own part, where the run is not reliable because of it.
fn without_own(record: &Record, operation: &OperationRecord) -> Option<Vec<String>> {
    let unreliable = record.outcome() == RunOutcome::NotReliable;
    let known = |share: &f64| {
        let parts = record.verdict.own.iter().filter(|part| part.operation == operation.name);
        let mut here = parts.filter(|part| (part.percentile - 100.0 * share).abs() < 1e-6);
        here.find(|part| unreliable && part.ours && part.too_few.is_none())
    };
    let figures = QUANTILES.each_ref().map(known);
    let cell =
        |part: Option<&OwnPart>| part.map_or_else(String::new, |it| millis(it.without_own_us));
    let any = figures.iter().any(Option::is_some);
    any.then(|| {
        [String::new(), String::new(), String::new()].into_iter().chain(figures.map(cell)).collect()
    })
}

/// The percentiles, and the longest.
fn times(latency: &Latency) -> Result<Vec<String>, HistogramError> {
    let (histogram, waits) = (latency.histogram()?, latency.waits()?);
    let cell = |took: Option<std::time::Duration>, at_least: bool| {
        let sign = if at_least { ">" } else { "" };
        took.map_or_else(
            || NONE.to_owned(),
            |took| format!("{sign}{}", millis(took.as_secs_f64() * 1e6)),
        )
    };
    let quantiles = QUANTILES.iter().map(|share| {
        let bounded = waits.quantile(*share).is_some_and(|reach: Reach| !reach.is_exact());
        cell(histogram.quantile(*share), bounded)
    });
    Ok(quantiles.chain([cell(histogram.max(), latency.censored.is_some())]).collect())
}
