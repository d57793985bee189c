//! A comparison for a terminal and as a page: [`page`], [`closing`].

use super::document::{Comparison, Difference, Pair};
use super::figured::{FiguredSide, Spectrum};
use super::mismatch::differences;
use super::{Given, words};
use crate::chart::{Axis, Chart, Line, Lines};
use crate::figure::printable;
use crate::page::{Block, Page, Table, Tone, Verdict};
use crate::screen::Screen;
use crate::summary::closing_line;
use brunt_record::{Histogram, HistogramError, Status};

/// The points of a spectrum in each decade: the share of exchanges beyond them, as one in this
/// many.
const ONE_IN: [f64; 5] = [1.0, 1.25, 2.0, 4.0, 7.0];
/// A spectrum ends where fewer exchanges than this lie beyond.
const BEYOND_MIN: f64 = 3.0;

/// A comparison; `charts` are for pages.
pub fn page(comparison: &Comparison, charts: Vec<Chart>) -> Page {
    let letters = comparison.sides.iter().map(|side| side.letter.as_str());
    let mut page = Page::new(format!("Comparison of {}", letters.collect::<Vec<_>>().join(", ")));
    let html = !charts.is_empty();
    if html {
        let message = comparison.pairs.iter().map(|pair| words::sentence(comparison, pair) + ".");
        page.push(Block::Lead(message.collect::<Vec<_>>().join(" ")));
        page.push(Block::Verdict(verdict(comparison)));
    } else {
        for doubt in words::doubts(comparison) {
            page.warning(doubt);
        }
    }
    for difference in differences(&comparison.unlike) {
        page.warning(difference);
    }
    let sides = comparison.sides.iter();
    page.facts(sides.map(|side| (side.letter.clone(), words::described(side))).collect());
    for pair in &comparison.pairs {
        tables(&mut page, comparison, pair);
    }
    if html {
        for note in words::notes(comparison) {
            page.push(Block::Note(note));
        }
    } else if !comparison.pairs.is_empty() {
        page.list(words::notes(comparison));
    }
    if html {
        page.heading("Response times");
        page.paragraph(
            "Each line is a side, with all its runs together. The further to the right, the fewer took \
             longer: at 100 it was one in a hundred, which is the 99th percentile. Hollow marks are service times.",
        );
        for chart in charts {
            page.chart(chart);
        }
        if let Ok(json) = crate::json(comparison) {
            page.heading("Data");
            page.raw("The comparison as JSON", json);
        }
    }
    page
}

/// Whether the comparison can be trusted.
fn verdict(comparison: &Comparison) -> Verdict {
    let (tone, word, meaning) = if comparison.trusted {
        (Tone::Plain, "Valid", "The figures of all runs can be trusted.")
    } else {
        (
            Tone::Doubtful,
            "Not valid",
            "The figures of a run cannot be trusted, and neither can this comparison.",
        )
    };
    let reasons = words::doubts(comparison);
    Verdict { tone, word: word.to_owned(), meaning: meaning.to_owned(), reasons }
}

/// A table for the whole run and each operation.
fn tables(page: &mut Page, comparison: &Comparison, pair: &Pair) {
    if comparison.pairs.len() > 1 {
        page.heading(format!("{} against A", pair.side));
    }
    for figures in pair.figures.chunk_by(|a, b| a.operation == b.operation) {
        let name = figures[0].operation.as_deref().unwrap_or("the whole run");
        let caption = format!("{name}: {} against A", pair.side);
        let mut table = Table::new(caption)
            .names(["figure"])
            .figures(["A", pair.side.as_str(), "change", "interval"])
            .names(["result"]);
        for figure in figures {
            let tone = if comparison.trusted { Tone::Plain } else { Tone::Doubtful };
            table.row(tone, row(figure));
        }
        page.table(table);
    }
}

/// The cells of a figure.
pub(super) fn row(found: &Difference) -> [String; 6] {
    let figure = found.figure;
    [
        figure.title().to_owned(),
        words::value(figure, found.baseline, found.baseline_at_least),
        words::value(figure, found.value, found.value_at_least),
        words::change(figure, found.change),
        words::interval(figure, found.interval),
        found.result.word().to_owned(),
    ]
}

/// The closing lines of a comparison: the result, and whether to trust it.
pub fn closing(comparison: &Comparison, screen: Screen) -> String {
    let status = if comparison.trusted { Status::Valid } else { Status::Partial };
    closing_line("Result:", &result(comparison), screen, None)
        + &closing_line("Trust:", &trust(comparison), screen, Some(status))
}

/// What of a comparison needs attention, in one line; none if it can be trusted and all `is_well`.
pub fn attention(comparison: &Comparison, is_well: bool) -> Option<String> {
    let line = || format!("{}; trust: {}", result(comparison), trust(comparison));
    (!(is_well && comparison.trusted)).then(|| printable(&line()))
}

fn result(comparison: &Comparison) -> String {
    let message = comparison.pairs.iter().map(|pair| words::sentence(comparison, pair));
    message.collect::<Vec<_>>().join("; ")
}

/// Whether all runs can be believed, and why not.
fn trust(comparison: &Comparison) -> String {
    let doubts = words::doubts(comparison);
    match doubts.as_slice() {
        [] => "yes: every run is valid".to_owned(),
        [doubt] => format!("no: {doubt}"),
        [doubt, rest @ ..] => format!("no: {doubt}; and {} more", rest.len()),
    }
}

/// The spectra of each operation, all sides in one chart.
pub fn spectra(sides: &[Given]) -> Result<Vec<Chart>, HistogramError> {
    let mut all = Vec::new();
    for side in sides {
        let runs = side.runs.iter().map(|run| Spectrum::all(&run.record));
        all.push(runs.collect::<Result<Vec<_>, _>>()?);
    }
    Ok(drawn(&all))
}

/// The same for runs whose records were read before.
pub fn spectra_figured(sides: &[FiguredSide]) -> Vec<Chart> {
    let of = |side: &FiguredSide| side.runs.iter().map(|run| run.steps.spectra.clone()).collect();
    drawn(&sides.iter().map(of).collect::<Vec<_>>())
}

/// By side, run and operation.
fn drawn(sides: &[Vec<Vec<Spectrum>>]) -> Vec<Chart> {
    let first = sides.iter().flatten().next().map(Vec::as_slice).unwrap_or_default();
    first.iter().map(|of| spectrum(sides, &of.operation)).collect()
}

fn spectrum(sides: &[Vec<Vec<Spectrum>>], name: &str) -> Chart {
    let mut lines = Vec::new();
    for (series, (letter, side)) in ('A'..='Z').zip(sides).enumerate() {
        let (mut response, mut service) = (Histogram::new(), Histogram::new());
        for of in side.iter().flatten().filter(|of| of.operation == name) {
            response.merge(&of.response);
            service.merge(&of.service);
        }
        lines.push(line(format!("{letter} response"), series, &response, false));
        lines.push(line(format!("{letter} service"), series, &service, true));
    }
    Chart::Lines(Lines {
        title: format!("{name}: response and service times"),
        x: Axis::logarithmic("one in so many took longer"),
        y: Axis::logarithmic("milliseconds"),
        lines,
        dense: false,
        bands: Vec::new(),
    })
}

fn line(name: String, series: usize, times: &Histogram, hollow: bool) -> Line {
    let decades = (0..6).map(|power| 10_f64.powi(power));
    let places = decades.flat_map(|decade| ONE_IN.map(|one| one * decade));
    let known = places.take_while(|one_in| times.count() as f64 / one_in >= BEYOND_MIN);
    let point = |one_in: f64| {
        let at = times.quantile(1.0 - 1.0 / one_in)?;
        Some((one_in, at.as_nanos() as f64 / 1e6))
    };
    Line { name, points: known.filter_map(point).collect(), published: hollow, series }
}
