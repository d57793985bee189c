//! Response against rate, for a terminal and as a page: a sentence, the curve, a row for each rate.

use brunt_record::{Collection, HistogramError, Noun, Record, SloOutcome, Status};

use super::points::{Point, QUANTILES};
use crate::chart::{Axis, Chart, Line, Lines};
use crate::figure::{NONE, fixed, percent, thousands};
use crate::page::{Block, Page, Table, Tone, Verdict};
use crate::summary::millis;

/// A target that achieves less than this share of what became due does not keep up.
const KEPT_UP: f64 = 0.99;
/// How many doubtful runs are named.
const NAMED: usize = 8;

/// The page of runs of one load at different rates.
pub fn page(collection: &Collection) -> Result<Page, HistogramError> {
    let points = Point::all(collection)?;
    let mut page = Page::new(title(&points));
    page.push(Block::Lead(sentence(&points)));
    page.push(Block::Verdict(verdict(&points)));
    page.chart(responses(&points));
    page.table(table(&points));
    let behind = points.iter().any(|point| !kept_up(point));
    if behind {
        page.chart(achieved(&points));
    }
    page.origin(collection);
    Ok(page)
}

fn title(points: &[Point<'_>]) -> String {
    let target = runs(points).find_map(|(_, record)| record.plan.target.as_deref());
    format!("Response against rate: {}", target.unwrap_or("one load at several rates"))
}

fn runs<'a>(points: &'a [Point<'a>]) -> impl Iterator<Item = (&'a str, &'a Record)> {
    points.iter().flat_map(|point| point.runs.iter().copied())
}

/// A rate in the words of a reader.
fn rate(rate: f64) -> String {
    match rate {
        whole if whole >= 1_000.0 => thousands(whole.round() as u64),
        whole if whole.fract() == 0.0 => format!("{whole:.0}"),
        part => format!("{part:.2}"),
    }
}

fn kept_up(point: &Point<'_>) -> bool {
    let (due, done) = (point.mean(|run| run.rates.offered), point.mean(|run| run.rates.achieved));
    due.zip(done).is_some_and(|(due, done)| done >= KEPT_UP * due)
}

/// The result of the curve, for a reader who reads nothing else.
fn sentence(points: &[Point<'_>]) -> String {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return "Nothing was measured.".to_owned();
    };
    let took = |point: &Point<'_>, quantile| match point.at(quantile) {
        None => "an unknown time".to_owned(),
        Some((seconds, exact)) => {
            let more = if exact { "" } else { "more than " };
            format!("{more}{} ms", millis(std::time::Duration::from_secs_f64(seconds)))
        }
    };
    let many = noun(points).many;
    let times = format!(
        "At {} a second half of all {many} took at most {} and 99 % at most {}, at {} a second {} and {}",
        rate(first.rate),
        took(first, 0.5),
        took(first, 0.99),
        rate(last.rate),
        took(last, 0.5),
        took(last, 0.99)
    );
    let kept = match points.iter().position(|point| !kept_up(point)) {
        None => "every rate that was offered was achieved".to_owned(),
        Some(at) => {
            let point = &points[at];
            let done = point.mean(|run| run.rates.achieved).unwrap_or_default();
            let due = point.mean(|run| run.rates.offered).unwrap_or_default();
            format!(
                "from {} a second on less was answered than was offered: {} of {}",
                rate(point.rate),
                rate(done),
                rate(due)
            )
        }
    };
    format!("{times}; {kept}.")
}

/// Whether the curve can be trusted.
fn verdict(points: &[Point<'_>]) -> Verdict {
    let doubtful = runs(points).filter(|(_, record)| record.verdict.status != Status::Valid);
    let doubtful: Vec<(&str, &Record)> = doubtful.collect();
    let message = doubtful.iter().take(NAMED).map(|(name, record)| {
        let reason = record.verdict.reasons.first().map(|reason| format!(": {}", reason.text));
        format!("{name} is {}{}", record.verdict.status, reason.unwrap_or_default())
    });
    let mut reasons: Vec<String> = message.collect();
    if doubtful.len() > NAMED {
        reasons.push(format!("and {} more runs", doubtful.len() - NAMED));
    }
    let (tone, word, meaning) = if doubtful.is_empty() {
        (Tone::Plain, "Valid", "The figures of all runs can be trusted.".to_owned())
    } else {
        let meaning = format!(
            "{} of {} runs cannot be trusted: there the curve may not show the target.",
            doubtful.len(),
            runs(points).count()
        );
        (Tone::Doubtful, "In part", meaning)
    };
    Verdict { tone, word: word.to_owned(), meaning, reasons }
}

/// A line for each percentile.
fn responses(points: &[Point<'_>]) -> Chart {
    let line = |(series, (quantile, name)): (usize, (f64, &str))| {
        let at = |point: &Point<'_>| Some((point.rate, point.at(quantile)?.0 * 1e3));
        let points = points.iter().filter_map(at).collect();
        Line { name: name.to_owned(), points, published: false, series }
    };
    Chart::Lines(Lines {
        title: "Response over rate".to_owned(),
        x: Axis::linear(axis(points)),
        y: Axis::logarithmic("milliseconds"),
        lines: QUANTILES.into_iter().enumerate().map(line).collect(),
        ..Lines::default()
    })
}

/// What was achieved compared with what was offered.
fn achieved(points: &[Point<'_>]) -> Chart {
    let line = |series, name: &str, of: fn(&Record) -> Option<f64>| {
        let at = |point: &Point<'_>| Some((point.rate, point.mean(of)?));
        let points = points.iter().filter_map(at).collect();
        Line { name: name.to_owned(), points, published: series == 0, series }
    };
    Chart::Lines(Lines {
        title: "Achieved over rate".to_owned(),
        x: Axis::linear(axis(points)),
        y: Axis::linear(format!("{} a second", noun(points).many)),
        lines: vec![
            line(0, "offered", |run| run.rates.offered),
            line(1, "achieved", |run| run.rates.achieved),
            line(2, "goodput", |run| run.rates.goodput),
        ],
        ..Lines::default()
    })
}

/// The unit of the rate: an iteration is several exchanges.
fn axis(points: &[Point<'_>]) -> String {
    let iterations = runs(points).any(|(_, record)| record.plan.target_iterations.is_some());
    let what = if iterations { "iterations".to_owned() } else { noun(points).many };
    format!("requested, {what} a second")
}

/// What the exchanges of these runs are called.
fn noun(points: &[Point<'_>]) -> Noun {
    Noun::common(runs(points).map(|(_, record)| &record.plan.noun))
}

/// A row for each rate.
fn table(points: &[Point<'_>]) -> Table {
    let objectives = runs(points).any(|(_, record)| !record.slo.is_empty());
    let mut table = Table::new("From the lowest rate up")
        .figures(["rate/s", "offered", "achieved", "errors", "p50 ms", "p99 ms", "p99.9 ms"])
        .names(["verdict"]);
    if objectives {
        table = table.names(["objectives"]);
    }
    table = table.names(["run"]);
    for point in points {
        let status = status(point);
        let mut cells = vec![
            rate(point.rate),
            fixed(point.mean(|run| run.rates.offered), 1),
            fixed(point.mean(|run| run.rates.achieved), 1),
            errors(point),
        ];
        cells.extend(QUANTILES.map(|(quantile, _)| cell(point.at(quantile))));
        cells.push(status.to_string());
        if objectives {
            let slos = point.runs.iter().flat_map(|(_, record)| &record.slo);
            let word = outcome(slos.map(|slo| slo.outcome));
            cells.push(word.map_or(NONE, SloOutcome::word).to_owned());
        }
        let (name, _) = point.runs[0];
        cells.push(match point.runs.len() {
            1 => name.to_owned(),
            runs => format!("{name} and {} more", runs - 1),
        });
        let tone = if status == Status::Valid { Tone::Plain } else { Tone::Doubtful };
        table.row(tone, cells);
    }
    table.note(
        "Response times of all that was due, over all operations; > where answers are missing.",
    );
    table
}

fn cell(took: Option<(f64, bool)>) -> String {
    took.map_or_else(
        || NONE.to_owned(),
        |(seconds, exact)| {
            let least = if exact { "" } else { ">" };
            format!("{least}{}", millis(std::time::Duration::from_secs_f64(seconds)))
        },
    )
}

fn errors(point: &Point<'_>) -> String {
    let (due, missed) = point.runs.iter().fold((0, 0), |(due, missed), (_, record)| {
        (due + record.counts.due(), missed + record.counts.missed())
    });
    if due == 0 { NONE.to_owned() } else { percent(missed as f64 / due as f64) }
}

/// The worst verdict of its runs.
fn status(point: &Point<'_>) -> Status {
    let all = point.runs.iter().map(|(_, record)| record.verdict.status);
    all.max().unwrap_or_default()
}

fn outcome(all: impl Iterator<Item = SloOutcome>) -> Option<SloOutcome> {
    let rank = |outcome: &SloOutcome| match outcome {
        SloOutcome::Met => 0,
        SloOutcome::Undecided => 1,
        SloOutcome::Missed => 2,
    };
    all.max_by_key(rank)
}
