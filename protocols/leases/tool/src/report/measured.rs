//! What was measured, by store and phase: the rate of the whole, its spread over the runs, and how
//! long a client of the store waited.

use super::runs::{Naming, Runs};
use brunt_record::{Histogram, Status};
use brunt_report::chart::{Axis, Bar, Bars, Chart, Group};
use brunt_report::figure::{fixed, percent};
use brunt_report::page::{Page, Table, Tone};
use brunt_report::{median, spread};
use std::time::Duration;

const QUANTILES: [(f64, &str); 3] = [(0.5, "p50 [us]"), (0.99, "p99 [us]"), (0.999, "p99.9 [us]")];

/// Adds a table for each durability.
pub(super) fn add<'a>(page: &mut Page, runs: &[Runs<'a>], naming: &Naming<'a>) {
    for durability in kinds(runs, "durability") {
        let of_kind: Vec<&Runs<'_>> =
            runs.iter().filter(|runs| runs.label("durability") == durability).collect();
        page.table(table(durability, &of_kind, naming));
    }
}

/// Adds the same rates as bars.
pub(super) fn bars<'a>(page: &mut Page, runs: &[Runs<'a>], naming: &Naming<'a>) {
    let phases = kinds(runs, "phase");
    let keys =
        ["store", "durability", "statements"].into_iter().chain(naming.varied.iter().copied());
    let keys: Vec<&str> = keys.collect();
    let mut settings: Vec<(Vec<&str>, Group)> = Vec::new();
    for runs in runs {
        // A label that only some phases have, and that never varies, does not separate phases.
        let setting: Vec<&str> = keys.iter().map(|key| runs.label(key)).collect();
        let known = settings.iter().position(|(known, _)| *known == setting);
        let number = known.unwrap_or_else(|| {
            let name = naming.of(runs).replace(&format!(", {}", runs.label("phase")), "");
            settings.push((setting, Group { name, bars: vec![Bar::default(); phases.len()] }));
            settings.len() - 1
        });
        if let Some(phase) = phases.iter().position(|phase| *phase == runs.label("phase")) {
            settings[number].1.bars[phase].value = runs.rate();
        }
    }
    page.chart(Chart::Bars(Bars {
        title: "Rates".to_owned(),
        value: Axis::logarithmic("operations a second"),
        series: phases.into_iter().map(str::to_owned).collect(),
        groups: settings.into_iter().map(|(_, group)| group).collect(),
        published: None,
    }));
}

fn table<'a>(durability: &str, runs: &[&Runs<'a>], naming: &Naming<'a>) -> Table {
    let most = runs.iter().map(|runs| runs.cells.len()).max().unwrap_or_default();
    let caption = match durability {
        "sync" => "Synchronous: each change is durable before it is acknowledged",
        "async" => "Asynchronous: the store or the system writes to disk later",
        _ => "Rates and response times",
    };
    let statements = naming.both_statements.then_some("statements");
    let keys: Vec<&str> = statements.into_iter().chain(naming.varied.iter().copied()).collect();
    let mut table = Table::new(caption)
        .names(["Store"])
        .names(keys.iter().copied())
        .names(["Phase"])
        .figures(["Rate [oper/s]", "Spread"])
        .figures(QUANTILES.map(|(_, title)| title))
        .figures(["max [us]"])
        .names(["Verdict"]);
    for runs in runs {
        let head = |phase: &str| {
            let labels = keys.iter().map(|key| runs.label(key).to_owned());
            let store = naming.store(runs.label("store")).to_owned();
            std::iter::once(store).chain(labels).chain([phase.to_owned()]).collect::<Vec<_>>()
        };
        let (tone, verdict) = verdict(runs);
        let whole = figures(runs.rate(), runs.spread(), &runs.responses(None));
        let cells = head(runs.label("phase")).into_iter().chain(whole).chain([verdict]);
        table.row(tone, cells.collect::<Vec<_>>());
        for operation in runs.operations() {
            let rates = runs.rates_of(operation);
            let times = runs.responses(Some(operation));
            let figures = figures(median(&rates), spread(&rates), &times);
            let name = head(&format!("  {operation}"));
            let cells = name.into_iter().chain(figures).chain([String::new()]);
            table.row(Tone::Beside, cells.collect::<Vec<_>>());
        }
    }
    table.note(match most {
        0 | 1 => {
            "Rate: operations of the whole phase divided by its seconds. One run each: how far runs lie apart is not \
             known."
                .to_owned()
        }
        runs => format!(
            "Rate: operations of the whole phase divided by its seconds, the median of {runs} runs. Spread: from the \
             slowest to the fastest run, in terms of that median. Response times: of all runs together."
        ),
    });
    if runs.iter().any(|runs| !["", "1"].contains(&runs.label("group"))) {
        table.note(
            "Where a transaction groups operations, a response time is that of the transaction.",
        );
    }
    table
}

fn figures(rate: Option<f64>, spread: Option<f64>, times: &Histogram) -> Vec<String> {
    let micros = |took: Option<Duration>| fixed(took.map(|took| took.as_nanos() as f64 / 1e3), 1);
    let spread = spread.map_or_else(|| "-".to_owned(), percent);
    let quantiles = QUANTILES.map(|(quantile, _)| micros(times.quantile(quantile)));
    [fixed(rate, 2), spread].into_iter().chain(quantiles).chain([micros(times.max())]).collect()
}

/// Whether a row can be trusted, and the text at its end.
fn verdict(runs: &Runs<'_>) -> (Tone, String) {
    if runs.figures("invalid").iter().any(|figure| *figure != 0.0) {
        return (Tone::Doubtful, "invalid".to_owned());
    }
    let failed = runs.cells.iter().filter_map(|cell| cell.record.as_ref());
    let failed: u64 = failed.map(|record| record.counts.errors()).sum();
    match runs.status() {
        Some(Status::Valid) if failed > 0 => (Tone::Doubtful, format!("{failed} failed")),
        Some(status @ Status::Valid) => (Tone::Plain, status.word().to_owned()),
        Some(status) => (Tone::Doubtful, status.word().to_owned()),
        None => (Tone::Plain, "-".to_owned()),
    }
}

/// The values of a label, in the order of first appearance.
fn kinds<'a>(runs: &[Runs<'a>], key: &str) -> Vec<&'a str> {
    let mut kinds: Vec<&str> = Vec::new();
    for value in runs.iter().map(|runs| runs.label(key)) {
        if !kinds.contains(&value) {
            kinds.push(value);
        }
    }
    kinds
}
