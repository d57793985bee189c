//! A trend for a terminal and as a page: [`trend_page`].

use super::document::{Finding, RunOf};
use super::figured::left_out;
use super::trend::{Change, Trend, TrendSeries};
use super::words;
use crate::chart::{Axis, Chart, Line, Lines};
use crate::page::{Block, Page, Table, Tone};
use brunt_record::Status;

/// The most charts on a terminal.
const CHARTS_MAX: usize = 3;

/// A trend. A page shows a chart of every figure, a terminal shows those of the figures that
/// changed.
pub fn trend_page(trend: &Trend, html: bool) -> Page {
    let mut page = Page::new(format!("Trend of {}", trend.name));
    let sentence = sentence(trend);
    page.push(if html { Block::Lead(sentence) } else { Block::Paragraph(sentence) });
    let out: Vec<&RunOf> = trend.runs.iter().filter(|run| left_out(run.status)).collect();
    if !out.is_empty() {
        page.warning(format!(
            "{} of {} runs are left out: their figures are about the generator, or about a part of the load",
            out.len(),
            trend.runs.len()
        ));
        page.list(out.into_iter().map(named_with_reason).collect());
    }
    for unlike in &trend.unlike {
        let text = format!(
            "{}: the {} is {} and was {}",
            unlike.file, unlike.what, unlike.other, unlike.first
        );
        page.warning(text);
    }
    let changes = trend.changes();
    // A single change is in the sentence.
    if changes.len() > 1 {
        page.list(changes.iter().map(|(series, change)| change_text(series, change)).collect());
    }
    page.table(figures(trend));
    let moved = |series: &&TrendSeries| !series.changes.is_empty();
    let all = trend.series.iter().filter(|series| html || moved(series));
    for series in all.take(if html { usize::MAX } else { CHARTS_MAX }) {
        page.chart(chart(series));
    }
    if html {
        page.table(runs(trend));
        if let Ok(json) = crate::json(trend) {
            page.raw("The trend as JSON", json);
        }
    }
    page
}

/// A run that is left out, and why.
fn named_with_reason(run: &RunOf) -> String {
    let reason = run.reasons.first().map(|reason| format!(": {}", reason.text));
    format!("{} is {}{}", run.file, run.status, reason.unwrap_or_default())
}

fn sentence(trend: &Trend) -> String {
    let changes = trend.changes();
    let count = trend.runs.iter().filter(|run| !left_out(run.status)).count();
    match changes.last() {
        None => {
            format!("No figure changed its level in {count} runs by more than chance explains.")
        }
        Some((series, last)) => {
            let number = changes.len();
            let changes = if number == 1 { "change" } else { "changes" };
            format!("{number} {changes} in {count} runs; the last: {}.", change_text(series, last))
        }
    }
}

/// `response p99 of bind +9.8 % (worse) since r07.json (2026-11-20T10:00:00Z): 2.100 to 2.306`.
fn change_text(series: &TrendSeries, change: &Change) -> String {
    let figure = series.figure;
    let points = if figure.is_share() { " points" } else { "" };
    format!(
        "{} {}{points} ({}) since {} ({}): {} to {}",
        words::named(series.operation.as_deref(), figure),
        words::change(figure, Some(change.change)),
        change.result.word(),
        change.file,
        change.started,
        words::value(figure, change.before, false),
        words::value(figure, change.after, false),
    )
}

fn name(series: &TrendSeries) -> String {
    let title = series.figure.title();
    match &series.operation {
        Some(operation) => format!("{operation}: {title}"),
        None => title.to_owned(),
    }
}

fn figures(trend: &Trend) -> Table {
    let mut table = Table::new("Levels")
        .names(["figure"])
        .figures(["runs", "first", "last", "changes"])
        .names(["last change"]);
    for series in &trend.series {
        let value = |value: Option<f64>| {
            value.map_or_else(|| "-".to_owned(), |it| words::value(series.figure, it, false))
        };
        let known = series.values.iter().flatten().count();
        let last = series.changes.last().map_or(Finding::Same, |change| change.result);
        table.row(
            Tone::Plain,
            [
                name(series),
                known.to_string(),
                value(series.levels.first().map(|level| level.value)),
                value(series.levels.last().map(|level| level.value)),
                series.changes.len().to_string(),
                last.word().to_owned(),
            ],
        );
    }
    table
}

fn chart(series: &TrendSeries) -> Chart {
    let scale = match series.unit.as_str() {
        "us" if !series.figure.title().ends_with("each") => 1e-3,
        "share" => 100.0,
        _ => 1.0,
    };
    let unit = series.figure.title().rsplit(", ").next().unwrap_or_default();
    let number = |run: usize| run as f64 + 1.0;
    let values = series.values.iter().enumerate();
    let points = values.filter_map(|(run, value)| Some((number(run), (*value)? * scale))).collect();
    let levels = series.levels.iter().flat_map(|level| {
        [(number(level.from), level.value * scale), (number(level.to), level.value * scale)]
    });
    Chart::Lines(Lines {
        title: name(series),
        x: Axis::linear("run"),
        y: Axis::linear(unit),
        lines: vec![
            Line { name: "runs".to_owned(), points, published: false, series: 0 },
            Line { name: "level".to_owned(), points: levels.collect(), published: true, series: 1 },
        ],
        dense: false,
        bands: Vec::new(),
    })
}

fn runs(trend: &Trend) -> Table {
    let mut table = Table::new("Runs").figures(["run"]).names(["file", "began", "verdict"]);
    for (number, run) in (1..).zip(&trend.runs) {
        let tone = if run.status == Status::Valid { Tone::Plain } else { Tone::Doubtful };
        table.row(
            tone,
            [number.to_string(), run.file.clone(), run.started.clone(), run.status.to_string()],
        );
    }
    table
}
