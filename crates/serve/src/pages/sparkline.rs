//! A figure of the last runs of a test as a small line.
//!
//! A run that is not reliable is not on the line, and neither is one in which nothing worked: it has a mark of its own.

use std::fmt::Write as _;

use brunt_record::{OutcomeTone, RunOutcome};
use maud::{Markup, html};

use crate::store::{Point, outcome_key};

/// How many runs a line shows.
pub(super) const RUNS: usize = 20;
const WIDE: f64 = 112.0;
const HIGH: f64 = 30.0;
/// The room at its edges, for marks.
const EDGE: f64 = 4.0;
/// A figure that changes less than this share of itself is a line in the middle, not a mountain range.
const SPREAD_MIN: f64 = 0.25;

/// The outcome of a run that the index names; `None` if it is unknown.
pub(super) fn outcome_of(point: &Point) -> Option<RunOutcome> {
    RunOutcome::ALL.into_iter().find(|outcome| outcome_key(outcome.words()) == point.outcome)
}

/// A line of a figure of each run, the oldest first. `what` is what it shows, for readers who do not see it.
pub(super) fn sparkline(points: &[Point], figure: fn(&Point) -> Option<f64>, what: &str) -> Markup {
    let shown = &points[points.len().saturating_sub(RUNS)..];
    let first = RUNS - shown.len();
    let placed = shown
        .iter()
        .zip(first..)
        .filter_map(|(point, at)| Some((x(at), figure(point)?, tone(point), at + 1 == RUNS)));
    let placed: Vec<(f64, f64, Tone, bool)> = placed.collect();
    let y = scale(&placed);
    let line = placed.iter().filter(|(_, _, tone, _)| *tone != Tone::Doubtful);
    let mut path = String::new();
    for (x, value, ..) in line {
        let separator = if path.is_empty() { "" } else { " " };
        _ = write!(path, "{separator}{x:.1},{:.1}", y(*value));
    }
    html! {
        @if placed.is_empty() { span.none { "no figures yet" } }
        @else {
            svg.spark viewBox="0 0 112 30" width="112" height="30" role="img" aria-label=(what) {
                polyline points=(path) {}
                @for (x, value, tone, is_last) in &placed {
                    @if *is_last || *tone != Tone::Trusted {
                        circle class=[tone.class()] cx=(format!("{x:.1}")) cy=(format!("{:.1}", y(*value))) r="2.6" {}
                    }
                }
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tone {
    Trusted,
    Missed,
    Doubtful,
}

impl Tone {
    const fn class(self) -> Option<&'static str> {
        match self {
            Self::Trusted => None,
            Self::Missed => Some("bad"),
            Self::Doubtful => Some("hollow"),
        }
    }
}

fn tone(point: &Point) -> Tone {
    match outcome_of(point) {
        Some(RunOutcome::NotReliable | RunOutcome::Incomplete) => Tone::Doubtful,
        Some(outcome) if outcome.tone() == OutcomeTone::Bad => Tone::Missed,
        _ => Tone::Trusted,
    }
}

fn x(at: usize) -> f64 {
    EDGE + (WIDE - 2.0 * EDGE) * at as f64 / (RUNS - 1) as f64
}

/// Where a figure is drawn, by the figures on the line; doubtful ones may lie at the edge.
fn scale(placed: &[(f64, f64, Tone, bool)]) -> impl Fn(f64) -> f64 {
    let on_line = placed.iter().filter(|(_, _, tone, _)| *tone != Tone::Doubtful);
    let values: Vec<f64> = on_line.map(|(_, value, ..)| *value).collect();
    let values = if values.is_empty() {
        placed.iter().map(|(_, value, ..)| *value).collect()
    } else {
        values
    };
    let most = values.iter().copied().fold(f64::MIN, f64::max);
    let least = values.iter().copied().fold(f64::MAX, f64::min);
    let middle = f64::midpoint(most, least);
    let half = ((most - least) / 2.0).max(middle.abs() * SPREAD_MIN / 2.0).max(f64::MIN_POSITIVE);
    move |value| {
        let share = ((value - middle) / half).clamp(-1.0, 1.0);
        HIGH / 2.0 - share * (HIGH / 2.0 - EDGE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(p99_ms: Option<f64>, outcome: &str) -> Point {
        let (id, started) = (String::new(), String::new());
        Point { id, started, outcome: outcome.to_owned(), p99_ms, goodput: None }
    }

    fn drawn(points: &[Point]) -> String {
        sparkline(points, |point| point.p99_ms, "p99").into_string()
    }

    #[test]
    fn sparkline_marks_doubtful_runs_off_the_line() {
        let points = [
            point(Some(8.0), "passed"),
            point(Some(80.0), "not-reliable"),
            point(None, "nothing-worked"),
            point(Some(4.0), "missed"),
        ];
        let svg = drawn(&points);
        assert!(svg.contains(r#"points="91.6,4.0 108.0,26.0""#), "{svg}");
        assert!(svg.contains(r#"<circle class="hollow" cx="97.1" cy="4.0""#), "{svg}");
        assert!(svg.contains(r#"<circle class="bad" cx="108.0" cy="26.0""#), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 2, "{svg}");
    }

    #[test]
    fn sparkline_is_flat_for_small_changes_and_shows_the_last_runs() {
        let points: Vec<Point> =
            (0..30).map(|number| point(Some(1_000.0 + f64::from(number)), "passed")).collect();
        let svg = drawn(&points);
        assert_eq!(svg.matches(',').count(), RUNS, "{svg}");
        assert!(svg.contains("4.0,15.") && svg.contains("108.0,14."), "{svg}");
        assert!(drawn(&[]).contains("no figures yet"));
        assert!(drawn(&[point(Some(0.0), "")]).contains(r#"cy="15.0""#));
    }
}
