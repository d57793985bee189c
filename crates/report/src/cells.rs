//! A collection as comma-separated values: a line for each cell, for spreadsheets and programs.
//!
//! The columns are the labels that any cell has, the figures that any cell has, and what every
//! record contains. A column that is empty for one cell is still there, so that all lines have the
//! same columns, whatever was run.

use crate::csv_field::csv_field;
use brunt_record::{Cell, Collection, Histogram, Record};
use std::collections::BTreeSet;

const OF_RECORDS: [&str; 16] = [
    "verdict",
    "planned",
    "dropped",
    "skipped",
    "ok",
    "failed",
    "timed_out",
    "cut_off",
    "achieved",
    "mean_us",
    "p50_us",
    "p90_us",
    "p99_us",
    "p99.9_us",
    "max_us",
    "seed",
];

/// Writes the cells.
pub fn csv(collection: &Collection) -> String {
    let labels: BTreeSet<&str> = keys(collection.cells.iter().map(|cell| cell.labels.keys()));
    let figures: BTreeSet<&str> = keys(collection.cells.iter().map(|cell| cell.figures.keys()));
    // A requested value and a measured one may have the same name: a rate.
    let measured = figures.iter().map(|name| {
        let suffix = if labels.contains(name) { "_measured" } else { "" };
        format!("{name}{suffix}")
    });
    let requested = labels.iter().map(|key| (*key).to_owned());
    let rest = OF_RECORDS.into_iter().chain(["notes"]).map(str::to_owned);
    let mut text = line(requested.chain(measured).chain(rest));
    for cell in &collection.cells {
        let labels = labels.iter().map(|key| cell.label(key).unwrap_or_default().to_owned());
        let figures = figures.iter().map(|name| cell.figure(name).map_or_else(String::new, number));
        let cells = labels.chain(figures).chain(of_record(cell)).chain([cell.notes.join("; ")]);
        text += &line(cells);
    }
    text
}

/// The response times of all operations of a record together. A record whose buckets cannot be read
/// has none.
pub fn responses(record: &Record) -> Histogram {
    let mut all = Histogram::new();
    for operation in &record.operations {
        if let Ok(histogram) = operation.response.histogram() {
            all.merge(&histogram);
        }
    }
    all
}

fn keys<'a, I: Iterator<Item = &'a String>>(
    of_cells: impl Iterator<Item = I>,
) -> BTreeSet<&'a str> {
    of_cells.flatten().map(String::as_str).collect()
}

fn of_record(cell: &Cell) -> Vec<String> {
    let Some(record) = &cell.record else { return vec![String::new(); OF_RECORDS.len()] };
    let counts = &record.counts;
    let all = responses(record);
    let micros = |took: Option<std::time::Duration>| {
        took.map_or_else(String::new, |took| number(took.as_nanos() as f64 / 1e3))
    };
    let counted = [
        counts.planned,
        counts.dropped,
        counts.skipped,
        counts.ok,
        counts.failed,
        counts.timed_out,
        counts.cut_off,
    ];
    let times = [0.5, 0.9, 0.99, 0.999].map(|quantile| micros(all.quantile(quantile)));
    std::iter::once(record.verdict.status.word().to_owned())
        .chain(counted.map(|count| count.to_string()))
        .chain([record.rates.achieved.map_or_else(String::new, number), micros(all.mean())])
        .chain(times)
        .chain([micros(all.max()), record.plan.seed.to_string()])
        .collect()
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else {
        format!("{value:.6}").trim_end_matches('0').to_owned()
    }
}

/// One line, quoted as RFC 4180 requires.
fn line(cells: impl Iterator<Item = String>) -> String {
    cells.map(|cell| csv_field(&cell)).collect::<Vec<_>>().join(",") + "\n"
}
