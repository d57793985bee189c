//! What failed in a run, how often and since when, and the first requests that did, with their outcomes.

use super::curl::curl;
use crate::failures::named;
use crate::figure::{fixed, thousands};
use crate::page::{Block, FailedExchange, Page, Table, Tone};
use brunt_record::{CodeRecord, Record, SampleRecord};

/// The most kinds of failure that are listed.
const KINDS_MAX: usize = 100;
/// The most requests that are shown: the first of each kind, then further ones.
const SAMPLES_MAX: usize = 20;

/// Adds the section, if anything failed.
pub(super) fn add(page: &mut Page, record: &Record) {
    let samples = chosen(record);
    let kinds = kinds(record);
    let counts = &record.counts;
    if kinds.is_empty() && samples.is_empty() && counts.dropped == 0 {
        return;
    }
    page.heading("Failures");
    if counts.dropped > 0 {
        page.paragraph(format!(
            "{} were dropped unsent: no session became free before there was no room to wait, or before the end.",
            thousands(counts.dropped)
        ));
    }
    let mut table = Table::new("What failed").names(["operation", "what came of it"]).figures([
        "count",
        "share %",
        "first at s",
    ]);
    for (operation, sent, code) in kinds.iter().take(KINDS_MAX) {
        let share = (*sent > 0).then(|| 100.0 * code.count as f64 / *sent as f64);
        let alike = |sample: &&SampleRecord| is_kind(sample, operation, code);
        let first = record.samples.iter().filter(alike).map(|sample| sample.at_s);
        let first = first.min_by(f64::total_cmp);
        let words = [(*operation).to_owned(), named(code), thousands(code.count)];
        table.row(Tone::Plain, words.into_iter().chain([fixed(share, 3), fixed(first, 3)]));
    }
    page.table(table);
    for (number, sample) in samples.iter().enumerate() {
        let is_open = number == 0 && counts.ok == 0;
        page.push(Block::Failed(exchange(sample, record, is_open)));
    }
}

/// The first failure, as a part of what a reader sees at once.
pub(super) fn first(record: &Record) -> Option<FailedExchange> {
    let earliest = |a: &&SampleRecord, b: &&SampleRecord| a.at_s.total_cmp(&b.at_s);
    let first = record.samples.iter().min_by(earliest)?;
    let shown = exchange(first, record, true);
    Some(FailedExchange { title: format!("The first failure: {}", shown.title), ..shown })
}

/// What failed of which operation, of which so many were sent.
fn kinds(record: &Record) -> Vec<(&str, u64, &CodeRecord)> {
    let of = record.operations.iter().flat_map(|operation| {
        let name = operation.name.as_str();
        operation.codes.iter().map(move |code| (name, operation.counts.sent, code))
    });
    let is_failure = |code: &CodeRecord| !matches!(code.class.as_str(), "ok" | "skipped");
    let mut kinds: Vec<_> = of.filter(|(.., code)| is_failure(code)).collect();
    kinds.sort_by_key(|(.., code)| std::cmp::Reverse(code.count));
    kinds
}

fn is_kind(sample: &SampleRecord, operation: &str, code: &CodeRecord) -> bool {
    sample.operation == operation && sample.class == code.class && sample.code == code.code
}

/// The first of each kind, then further ones, as many as there is room for.
fn chosen(record: &Record) -> Vec<&SampleRecord> {
    let mut all: Vec<&SampleRecord> = record.samples.iter().collect();
    all.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
    let alike = |a: &SampleRecord, b: &SampleRecord| {
        (&a.operation, &a.class, a.code) == (&b.operation, &b.class, b.code)
    };
    let (mut first, mut others): (Vec<&SampleRecord>, Vec<&SampleRecord>) = Default::default();
    for sample in all {
        let known = first.iter().any(|one| alike(one, sample));
        if known { others.push(sample) } else { first.push(sample) }
    }
    first.extend(others);
    first.truncate(SAMPLES_MAX);
    first
}

fn exchange(sample: &SampleRecord, record: &Record, is_open: bool) -> FailedExchange {
    let code = |code: &&CodeRecord| code.class == sample.class && code.code == sample.code;
    let operations = record.operations.iter().filter(|one| one.name == sample.operation);
    let name = operations.flat_map(|one| &one.codes).find(code).map(named);
    let name = name.unwrap_or_else(|| sample.class.clone());
    FailedExchange {
        title: format!("{}: {name}, at {:.3} s", sample.operation, sample.at_s),
        sent: sample.sent.clone(),
        curl: sample.sent.as_deref().and_then(curl),
        message: sample.text.clone(),
        answer: sample.answer.clone(),
        is_open,
    }
}
