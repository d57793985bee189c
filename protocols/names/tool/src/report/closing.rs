//! The closing lines: the results of the tables, computed from their cells and never typed.
//!
//! The article ends in sentences (a third faster than flat files, over a hundred times faster than stock) that hold
//! only for one line of one table each. Here every sentence says for how many users it holds, and statements outside
//! the measured numbers of users are called extrapolations.

use brunt_record::Collection;
use brunt_report::figure::{percent, thousands, times};
use brunt_report::{Finding, compare};

use super::cells::{self, Way};
use super::fit::{Exponent, Line, Point, exponent};
use super::ratios::{FLAT, ls};

/// The ratio of which the article says "over a hundred times faster".
const HUNDRED: f64 = 100.0;

/// The closing lines.
pub(super) fn lines(collection: &Collection) -> Vec<String> {
    let mut lines = against_flat(collection);
    lines.extend(indices(collection));
    lines.extend(crossings(collection));
    lines.extend(growth(collection));
    lines
}

fn against_flat(collection: &Collection) -> Vec<String> {
    let mut lines = Vec::new();
    for backend in cells::backends(collection).into_iter().filter(|backend| *backend != FLAT) {
        let both = |users: &u64| {
            let measured = |backend| ls(collection, backend, *users, "cold").is_some();
            measured(FLAT) && measured(backend)
        };
        let Some(users) = cells::sizes(collection, Some(backend)).into_iter().rfind(both) else {
            continue;
        };
        for (temperature, run) in [("cold", "first"), ("warm", "next")] {
            let passes = |backend| cells::listing(collection, backend, users, temperature).passes;
            if let Some(reported) = compared(&passes(FLAT), &passes(backend), backend) {
                lines.push(format!("At n = {}, {run} run: {reported}.", thousands(users)));
            }
        }
    }
    lines
}

/// The comparison of two sets of passes in words; a difference that they do not support is not called one.
fn compared(flat: &[f64], ours: &[f64], backend: &str) -> Option<String> {
    let faster = compare(flat, ours)?;
    Some(if matches!(faster.finding, Finding::WithinSpread | Finding::Doubtful) {
        format!("{backend} beside flat files: {faster}")
    } else if faster.ratio >= 1.0 {
        format!("{backend} was faster than flat files: {faster}")
    } else {
        format!("{backend} was slower than flat files: {}", compare(ours, flat)?)
    })
}

/// The n at which a back end without an index takes a hundred times as long as the same with it.
fn indices(collection: &Collection) -> Vec<String> {
    let backends = cells::backends(collection);
    let mut lines = Vec::new();
    for plain in &backends {
        let indexed = format!("{plain}+index");
        if !backends.contains(&indexed.as_str()) {
            continue;
        }
        let (over, under) = (points(collection, plain), points(collection, &indexed));
        let largest = over.iter().rev().find_map(|(n, over)| {
            let under = under.iter().find(|point| (point.0 - n).abs() < 0.5)?;
            Some((*n, over / under.1))
        });
        let Some((n, ratio)) = largest else { continue };
        let now = format!("At n = {} the index is worth {}", whole(n), times(Some(ratio)));
        lines.push(format!("{now}; {}.", hundredfold(&over, &under, &indexed)));
    }
    lines
}

fn hundredfold(over: &[(f64, f64)], under: &[(f64, f64)], indexed: &str) -> String {
    let (Some(rising), Some(level)) = (Line::through(over), level(under)) else {
        return "one number of users does not show where the ratio reaches the article's hundred"
            .to_owned();
    };
    let largest = over.last().map_or(0.0, |point| point.0);
    match rising.meets(level, HUNDRED) {
        Some(n) if rising.slope > HUNDRED * level.slope => format!(
            "straight lines through both reach the article's hundred at n = {}{}",
            whole(n),
            if n > largest { " (an extrapolation)" } else { "" }
        ),
        _ => format!(
            "as {indexed} grows with n too, straight lines through both never reach the article's hundred"
        ),
    }
}

/// A line through times that do not fall with more users: where noise makes them fall, they are taken as constant.
fn level(points: &[(f64, f64)]) -> Option<Line> {
    let line = Line::through(points)?;
    let mean = points.iter().map(|point| point.1).sum::<f64>() / points.len() as f64;
    Some(if line.slope < 0.0 { Line { intercept: mean, slope: 0.0 } } else { line })
}

/// The n at which flat files and another back end take equally long.
fn crossings(collection: &Collection) -> Vec<String> {
    let flat = points(collection, FLAT);
    let Some(scan) = Line::through(&flat) else { return Vec::new() };
    let (least, largest) = (flat.first().map_or(0.0, |p| p.0), flat.last().map_or(0.0, |p| p.0));
    let mut lines = Vec::new();
    for backend in cells::backends(collection).into_iter().filter(|backend| *backend != FLAT) {
        let Some(other) = Line::through(&points(collection, backend)) else { continue };
        let Some(n) = scan.meets(other, 1.0) else { continue };
        let outside = if n < least || n > largest { " (an extrapolation)" } else { "" };
        let beyond = if scan.slope > other.slope { "faster" } else { "slower" };
        lines.push(format!(
            "Listings of {backend} and of flat files cost the same at n = {}{outside}; with more users {backend} is \
             {beyond}.",
            whole(n)
        ));
    }
    lines
}

/// With which power of n the seconds of inserting n users grow.
fn growth(collection: &Collection) -> Vec<String> {
    let mut lines = Vec::new();
    for backend in cells::backends(collection) {
        for way in cells::ways(collection, backend) {
            let seconds = |users: u64| {
                let work = cells::work(collection, "insert", backend, users, way)?;
                Some(Point { x: users as f64, y: work.seconds, error: work.error })
            };
            let points: Vec<_> =
                cells::sizes(collection, Some(backend)).into_iter().filter_map(seconds).collect();
            let Some(found) = exponent(&points) else { continue };
            let error = points.iter().map(|point| point.error).fold(0.0, f64::max);
            let (how, reported) = (Way::words(way), grown(found, error));
            lines.push(format!("Inserting into {backend} ({how}) grows {reported}."));
        }
    }
    lines
}

/// A power, how uncertain estimates make it, and its meaning where they do not.
fn grown(Exponent { value, range }: Exponent, error: f64) -> String {
    let cost = |power: f64| match power {
        ..0.9 => "a user costs less the more there are",
        0.9..1.1 => "a user costs the same however many there are",
        _ => "a user costs more the more there are",
    };
    let Some((least, most)) = range else {
        return format!(
            "with a power of n that its estimates do not show: they may be off by {}",
            percent(error)
        );
    };
    if error == 0.0 {
        return format!("as n^{value:.2}: {}", cost(value));
    }
    let means = if cost(least) == cost(most) {
        cost(value)
    } else {
        "whether a user costs more the more there are lies within that"
    };
    format!(
        "as n^{value:.2}, between n^{least:.2} and n^{most:.2} as its estimates may be off by {}: {means}",
        percent(error)
    )
}

/// Number of users and median seconds: from the warm run, in which no daemon has to wake up, where there is one.
fn points(collection: &Collection, backend: &str) -> Vec<(f64, f64)> {
    let seconds = |users| {
        let next = ls(collection, backend, users, "warm");
        next.or_else(|| ls(collection, backend, users, "cold"))
    };
    let point = |users: u64| Some((users as f64, seconds(users)?));
    cells::sizes(collection, Some(backend)).into_iter().filter_map(point).collect()
}

/// A number of users.
fn whole(users: f64) -> String {
    thousands(users.round() as u64)
}
