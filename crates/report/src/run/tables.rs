//! The tables of a run: operations, their outcomes, the parts of making a connection, what the target reported itself.

use crate::branches::shares;
use crate::failures::named;
use crate::figure::{NONE, fixed, thousands};
use crate::page::{Block, Page, Table, Tone};
use crate::summary::{met, millis};
use brunt_record::{
    CodeRecord, Counts, HistogramError, Latency, MonitorRecord, OperationRecord, Record,
    SampleRecord, errno_words,
};

const QUANTILES: [(&str, f64); 5] =
    [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999)];
/// The most operations that a table has; those with the most exchanges are shown.
pub(super) const OPERATIONS_MAX: usize = 200;
/// The most outcomes of all operations together.
const OUTCOMES_MAX: usize = 300;
/// The most readings of one source.
const READINGS_MAX: usize = 40;
/// How many different texts are listed for one outcome.
const TEXTS_MAX: usize = 2;

/// The titles of the columns of [`times`].
pub(super) fn time_titles() -> impl Iterator<Item = &'static str> {
    ["mean"].into_iter().chain(QUANTILES.map(|(name, _)| name)).chain(["max"])
}

/// Mean, percentiles and the greatest in milliseconds. A figure that is only a lower bound has a `>`.
pub(super) fn times(latency: &Latency) -> Result<Vec<String>, HistogramError> {
    let (histogram, waits) = (latency.histogram()?, latency.waits()?);
    let bounded = latency.censored.is_some();
    let quantile = |(_, share): (&str, f64)| {
        let at_least = waits.quantile(share).is_some_and(|reach| !reach.is_exact());
        (histogram.quantile(share), at_least)
    };
    let figures = std::iter::once((histogram.mean(), bounded))
        .chain(QUANTILES.map(quantile))
        .chain([(histogram.max(), bounded)]);
    let cells = figures.map(|(took, at_least)| {
        let sign = if at_least { ">" } else { "" };
        took.map_or_else(|| NONE.to_owned(), |took| format!("{sign}{}", millis(took)))
    });
    Ok(cells.collect())
}

/// Adds the results of each operation.
pub(super) fn operations(page: &mut Page, record: &Record) -> Result<(), HistogramError> {
    let shown = busiest(record);
    let many = &*record.plan.noun.many;
    let titles = [many.to_owned()].into_iter();
    let titles = titles
        .chain(["achieved /s", "goodput /s", "ok %", "failed", "no answer"].map(str::to_owned));
    let titles = titles.collect::<Vec<_>>();
    let mut table = Table::new("Operations: rates, and response times in milliseconds")
        .names(["operation"])
        .figures(titles.clone())
        .figures(time_titles());
    for operation in &shown {
        table.row(Tone::Plain, row(operation)?);
        let blank = titles.iter().map(|_| String::new());
        let service = times(&operation.service)?;
        table.row(Tone::Beside, ["service".to_owned()].into_iter().chain(blank).chain(service));
    }
    if let Some(all) = &record.response {
        table.row(Tone::Plain, together(record, all)?);
    }
    left_out(&mut table, met(record).count(), shown.len(), "operations");
    table.note(format!(
        "Response: from due to the end. Service: from sent to the end. A figure with > is the minimum possible: some \
         {many} had no answer."
    ));
    page.table(table);
    outcomes(page, record, &shown);
    chosen(page, record);
    tallies(page, record);
    Ok(())
}

/// The operations that are shown, in the order of the record.
fn busiest(record: &Record) -> Vec<&OperationRecord> {
    let mut shown: Vec<(usize, &OperationRecord)> = met(record).enumerate().collect();
    shown.sort_by_key(|(place, operation)| (std::cmp::Reverse(operation.counts.sent), *place));
    shown.truncate(OPERATIONS_MAX);
    shown.sort_by_key(|(place, _)| *place);
    shown.into_iter().map(|(_, operation)| operation).collect()
}

fn row(operation: &OperationRecord) -> Result<Vec<String>, HistogramError> {
    let rates = [operation.achieved, operation.goodput];
    figures(operation.name.clone(), &operation.counts, rates, &operation.response)
}

/// All that was due, the dropped exchanges included.
fn together(record: &Record, response: &Latency) -> Result<Vec<String>, HistogramError> {
    let (counts, rates) = (&record.counts, &record.rates);
    let name = if counts.dropped > 0 { "all, with dropped" } else { "all" };
    figures(name.to_owned(), counts, [rates.achieved, rates.goodput], response)
}

fn figures(
    name: String,
    counts: &Counts,
    [achieved, goodput]: [Option<f64>; 2],
    response: &Latency,
) -> Result<Vec<String>, HistogramError> {
    let ok = (counts.sent > 0).then(|| 100.0 * counts.ok as f64 / counts.sent as f64);
    let figures = [
        name,
        thousands(counts.sent),
        fixed(achieved, 1),
        fixed(goodput, 1),
        fixed(ok, 2),
        thousands(counts.failed),
        thousands(counts.timed_out + counts.cut_off),
    ];
    Ok(figures.into_iter().chain(times(response)?).collect())
}

fn left_out(table: &mut Table, all: usize, shown: usize, what: &str) {
    if all > shown {
        table.note(format!("{} rarer {what} are not shown; the record has them.", all - shown));
    }
}

fn outcomes(page: &mut Page, record: &Record, shown: &[&OperationRecord]) {
    let mut table = Table::new("Outcomes")
        .names(["operation", "outcome", "class"])
        .figures(["code", "count", "share %"])
        .names(["in the target's words"]);
    let all = || {
        shown.iter().flat_map(|operation| operation.codes.iter().map(move |code| (operation, code)))
    };
    for (operation, code) in all().take(OUTCOMES_MAX) {
        // Skipped exchanges occurred, but were never sent.
        let met = operation.counts.sent + operation.counts.skipped;
        let share = (met > 0).then(|| 100.0 * code.count as f64 / met as f64);
        table.row(
            Tone::Plain,
            [
                operation.name.clone(),
                code.code
                    .and_then(|number| errno_words(&code.class, number))
                    .map_or_else(|| code.name.clone(), str::to_owned),
                code.class.clone(),
                code.code.map_or_else(String::new, |number| number.to_string()),
                thousands(code.count),
                fixed(share, 2),
                texts(&record.samples, operation, code).join(" · "),
            ],
        );
    }
    if table.rows.iter().all(|row| row.cells.last().is_some_and(String::is_empty)) {
        table.columns.pop();
        table.rows.iter_mut().for_each(|row| drop(row.cells.pop()));
    }
    let rows = table.rows.len();
    left_out(&mut table, all().count(), rows, "outcomes");
    page.table(table);
    if record.orphans > 0 {
        let count = thousands(record.orphans);
        page.push(Block::Note(format!("{count} replies answered nothing in flight (orphans).")));
    }
}

/// The first few failures of a kind, in the target's words.
fn texts(samples: &[SampleRecord], operation: &OperationRecord, code: &CodeRecord) -> Vec<String> {
    let of = |sample: &&SampleRecord| {
        sample.operation == operation.name && sample.class == code.class && sample.code == code.code
    };
    let mut distinct: Vec<&SampleRecord> = Vec::new();
    for sample in samples.iter().filter(of) {
        if distinct.len() < TEXTS_MAX && distinct.iter().all(|known| known.text != sample.text) {
            distinct.push(sample);
        }
    }
    distinct.into_iter().map(|sample| format!("at {:.1} s: {}", sample.at_s, sample.text)).collect()
}

/// Adds what was performed of each group of which one step is.
fn chosen(page: &mut Page, record: &Record) {
    for choice in brunt_record::choices(&record.tallies) {
        let title = format!("Chosen of {}", choice.group);
        let mut table = Table::new(&title).names(["step"]).figures(["count", "share"]);
        for (name, count, share) in shares(&choice) {
            table.row(Tone::Plain, [name, thousands(count), share]);
        }
        page.table(table);
    }
}

fn tallies(page: &mut Page, record: &Record) {
    let mut table = Table::new("Counters of the protocol").names(["what"]).figures(["count"]);
    for tally in record.tallies.iter().filter(|tally| tally.count > 0).take(OPERATIONS_MAX) {
        table.row(Tone::Plain, [tally.name.clone(), thousands(tally.count)]);
    }
    page.table(table);
}

/// Adds how long it took to connect, to complete the handshake, until the first byte, to bind: those that the run had.
pub(super) fn parts(page: &mut Page, record: &Record) -> Result<(), HistogramError> {
    let mut table = Table::new("Parts, in milliseconds")
        .names(["part"])
        .figures(["count"].into_iter().chain(time_titles()));
    for part in record.parts.iter().filter(|part| part.took.count > 0) {
        let first = [part.name.clone(), thousands(part.took.count)];
        table.row(Tone::Plain, first.into_iter().chain(times(&part.took)?));
    }
    let connections = &record.connections;
    let reopened = connections.reconnected + connections.resent > 0;
    if table.rows.is_empty() && !reopened && connections.unready.is_empty() {
        return Ok(());
    }
    page.heading("Connections");
    page.table(table);
    if reopened {
        page.paragraph(format!(
            "{} connections that the target had closed while idle were reopened, {} requests sent again.",
            thousands(connections.reconnected),
            thousands(connections.resent)
        ));
    }
    let mut failed =
        Table::new("Why connections were not ready").names(["outcome", "class"]).figures(["count"]);
    for code in connections.unready.iter().take(OUTCOMES_MAX) {
        failed.row(Tone::Plain, [named(code), code.class.clone(), thousands(code.count)]);
    }
    page.table(failed);
    Ok(())
}

/// Adds what the target reported itself.
pub(super) fn monitors(page: &mut Page, record: &Record) {
    if record.monitors.is_empty() {
        return;
    }
    page.heading("Target");
    for monitor in &record.monitors {
        self::monitor(page, monitor, !record.nodes.is_empty());
    }
}

fn monitor(page: &mut Page, monitor: &MonitorRecord, has_nodes: bool) {
    let node = if has_nodes { format!(", node {}", monitor.node) } else { String::new() };
    let mut table = Table::new(format!("{}{node}", monitor.source)).names(["reading"]).figures([
        "first",
        "last",
        "least",
        "most",
        "mean",
        "per second",
    ]);
    let changed = monitor.readings.iter().filter(|reading| reading.least < reading.most);
    for reading in changed.take(READINGS_MAX) {
        let figures = [reading.first, reading.last, reading.least, reading.most, reading.mean];
        let figures =
            figures.into_iter().map(plain).chain([reading.rate.map_or_else(String::new, plain)]);
        table.row(Tone::Plain, [reading.name.clone()].into_iter().chain(figures));
    }
    if monitor.failed > 0 {
        let why = monitor.failure.as_deref().unwrap_or("no reason given");
        let all = monitor.failed + monitor.samples;
        page.warning(format!(
            "{} was not read {} of {all} times: failed to {why}",
            monitor.source, monitor.failed
        ));
    }
    table
        .note(format!("Read {} times; readings that never changed are left out.", monitor.samples));
    page.table(table);
}

/// A number from another program: counts are whole, others have three decimals.
fn plain(value: f64) -> String {
    let is_count = value.fract() == 0.0 && (0.0..9e15).contains(&value);
    if is_count { thousands(value as u64) } else { format!("{value:.3}") }
}
