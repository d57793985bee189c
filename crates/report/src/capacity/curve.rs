//! The steps of a search from the lowest rate up: as a table, as a chart with the band of the limit, and its knee.

use crate::chart::{Axis, Chart, Line, Lines};
use crate::figure::{NONE, fixed, percent};
use crate::page::{Table, Tone};
use brunt_capacity::{Answer, Reading, Row, Usl, Verdict, rate};

/// The number of the series after those of times and marks.
const USL_SERIES: usize = 5;

/// Rate, what was achieved, shares, times, errors, the server's processor, the verdict.
pub(super) fn table(reading: &Reading<'_>) -> Table {
    let curve = reading.curve();
    let seen = curve.iter().any(|row| row.figure("server_cpu").is_some());
    let mut table = Table::new("Steps that count as evidence, by rate")
        .figures(["rate/s", "achieved", "bad", "p50 ms", "p99 ms", "p99.9 ms", "errors"]);
    if seen {
        table = table.figures(["server CPU"]);
    }
    table = table.names(["verdict", "step"]);
    for row in &curve {
        let millis = |name| fixed(row.figure(name).map(|us| us / 1e3), 2);
        let mut cells = vec![
            rate(row.rate.unwrap_or_default()).trim_end_matches("/s").to_owned(),
            fixed(row.figure("achieved"), 1),
            bad(*row),
            millis("p50_us"),
            millis("p99_us"),
            millis("p999_us"),
            row.figure("errors").map_or_else(|| NONE.to_owned(), percent),
        ];
        if seen {
            cells.push(fixed(row.figure("server_cpu"), 2));
        }
        cells.extend([row.verdict.word().to_owned(), row.kind.word().to_owned()]);
        let tone = if row.verdict == Verdict::Void { Tone::Doubtful } else { Tone::Plain };
        table.row(tone, cells);
    }
    table.note("bad: share that misses the deciding objective, and the share that it allows.");
    if seen {
        table.note("server CPU: cores that the target used.");
    }
    table
}

/// The share that was bad, and the one that is allowed. A mean has none.
fn bad(row: Row<'_>) -> String {
    let shares = row.figure("share").zip(row.figure("allowed"));
    match shares.filter(|_| row.figure("clump").is_some_and(|clump| clump > 0.0)) {
        Some((share, allowed)) => format!("{} of {}", percent(share), percent(allowed)),
        None => NONE.to_owned(),
    }
}

/// Response times over the rate, the band between what was confirmed and what fails, and a law that was fitted.
pub(super) fn chart(reading: &Reading<'_>, usl: Option<&Usl>) -> Chart {
    let curve: Vec<Row<'_>> =
        reading.curve().into_iter().filter(|row| row.verdict != Verdict::Void).collect();
    let line = |series: usize, name: &str, figure: &str| {
        let points = curve.iter().filter_map(|row| Some((row.rate?, row.figure(figure)? / 1e3)));
        Line { name: name.to_owned(), points: points.collect(), published: false, series }
    };
    let mut lines = vec![line(0, "p50", "p50_us"), line(1, "p99", "p99_us")];
    let heights: Vec<f64> =
        lines.iter().flat_map(|line| line.points.iter().map(|point| point.1)).collect();
    let low = heights.iter().copied().filter(|height| *height > 0.0).min_by(f64::total_cmp);
    let high = heights.iter().copied().max_by(f64::total_cmp);
    if let (Some(low), Some(high)) = (low, high) {
        let marks = match reading.answer {
            Answer::Claim { rate, fails_at, .. } => {
                vec![("confirmed", Some(rate)), ("fails", fails_at)]
            }
            Answer::Floor { rate, .. } => vec![("at least", Some(rate))],
            _ => Vec::new(),
        };
        let knee = ("knee", reading.knee.map(|knee| knee.rate));
        for (series, (name, at)) in (2..).zip(marks.into_iter().chain([knee])) {
            let Some(at) = at else { continue };
            let points = vec![(at, low), (at, high)];
            lines.push(Line {
                name: format!("{name} {}", rate(at)),
                points,
                published: true,
                series,
            });
        }
    }
    lines.extend(usl.map(|usl| super::usl::line(usl, USL_SERIES)));
    lines.retain(|line| line.points.len() > 1);
    Chart::Lines(Lines {
        title: "Response time by rate".to_owned(),
        x: Axis::linear("rate per second"),
        y: Axis::logarithmic("milliseconds"),
        lines,
        bands: band(reading),
        ..Lines::default()
    })
}

/// Between what was confirmed and what fails: the limit is in it.
fn band(reading: &Reading<'_>) -> Vec<(f64, f64, String)> {
    match reading.answer {
        Answer::Claim { rate, fails_at: Some(fails), .. } => {
            vec![(rate, fails, "the limit".to_owned())]
        }
        _ => Vec::new(),
    }
}

/// Where the power (rate divided by response time) is greatest.
pub(super) fn knee(reading: &Reading<'_>) -> String {
    reading.knee.map_or_else(
        || "No knee: no valid step has response times.".to_owned(),
        |knee| {
            format!(
                "Knee: of the measured rates, {} has the highest ratio of achieved rate to mean response time \
                 (Kleinrock's power), with a mean of {:.2} ms. The knee is not the limit.",
                rate(knee.rate),
                1e3 * knee.mean_s
            )
        },
    )
}
