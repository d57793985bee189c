//! One figure of a load over its runs: a chart by date, with levels, changes and the baseline.

use std::collections::BTreeSet;

use brunt_report::comparison::{ALARMS, Figure, Level};
use jiff::Timestamp;
use maud::{Markup, html};

use crate::levels::Levels;
use crate::pages::drawing::{FRAMES, Frame, Scale, line, round_end, round_step, upright};
use crate::pages::moments::{Brief, Grain};
use crate::store::{Annotation, FollowedRun};

const TOP: f64 = 34.0;
const FLOOR: f64 = 200.0;
const HEIGHT: f64 = 232.0;
/// Labels of annotations are on so many lines, one after the other, so that they do not cover each other.
const LINES: usize = 3;
const LINE: f64 = 13.0;
/// The most characters of a label in a chart.
const LABEL_MAX: usize = 24;
/// The words of a run whose figures do not measure the target.
const VALID: &str = "valid";
/// So many figures are followed at the same time.
const TOGETHER: f64 = 2.0;
/// So many standard deviations about the baseline are its usual spread.
const SPREAD: f64 = 2.0;

/// A figure over the runs of a load.
pub(super) struct Trend<'a> {
    pub(super) runs: &'a [FollowedRun],
    pub(super) figure: Figure,
    /// The values of runs that are valid.
    values: Vec<Option<f64>>,
    pub(super) levels: Vec<Level>,
}

/// Whether a run is left out: its figures are about the generator, or about a part of the load.
pub(super) fn is_left_out(run: &FollowedRun) -> bool {
    run.verdict != VALID || matches!(run.outcome.as_str(), "nothing-worked" | "unavailable")
}

impl<'a> Trend<'a> {
    /// The course of a figure.
    pub(super) fn new(runs: &'a [FollowedRun], figure: Figure, kept: &Levels) -> Self {
        let value = |run: &FollowedRun| measured(run, figure).filter(|_| !is_left_out(run));
        let values: Vec<Option<f64>> = runs.iter().map(value).collect();
        let levels = kept.of(figure, &values, ALARMS / TOGETHER);
        Self { runs, figure, values, levels }
    }

    /// The changes: the run that is the first after each, and by how much the level changed.
    pub(super) fn changes(&self) -> impl Iterator<Item = (&'a FollowedRun, &Level, &Level)> {
        self.levels.windows(2).map(|pair| (&self.runs[pair[1].from], &pair[0], &pair[1]))
    }

    /// Whether a change is one for the worse.
    pub(super) fn is_worse(&self, before: &Level, after: &Level) -> bool {
        (after.value > before.value) != self.figure.more_is_better()
    }

    /// How much runs of one level usually differ from it.
    fn spread(&self) -> Option<f64> {
        let apart = self.levels.iter().flat_map(|level| {
            let within = self.values[level.from..=level.to].iter().flatten();
            within.map(move |value| value - level.value)
        });
        let squares: Vec<f64> = apart.map(|apart| apart * apart).collect();
        let degrees = squares.len().checked_sub(self.levels.len()).filter(|left| *left >= 2)?;
        Some((squares.iter().sum::<f64>() / degrees as f64).sqrt())
    }

    fn baseline(&self) -> Option<f64> {
        let newest = self.runs.iter().rev().find(|run| run.baseline && !is_left_out(run))?;
        measured(newest, self.figure)
    }

    /// The chart, with what happened meanwhile.
    pub(super) fn chart(&self, happened: &[Annotation]) -> Markup {
        let name = name(self.figure);
        let label = format!("{name} of {} runs by date", self.runs.len());
        html! {
            figure {
                figcaption { (name) " " small { (unit(self.figure)) ", by date" } }
                @for frame in &FRAMES {
                    svg class=(frame.class) viewBox={ "0 0 " (frame.width) " " (HEIGHT) } width=(frame.width)
                        height=(HEIGHT) role="img" aria-label=(label) { (self.drawn(frame, happened)) }
                }
            }
        }
    }

    fn drawn(&self, frame: &Frame, happened: &[Annotation]) -> Markup {
        let times: Vec<Option<f64>> = self.runs.iter().map(seconds).collect();
        let known = || times.iter().flatten().copied();
        let (first, last) = (known().fold(f64::INFINITY, f64::min), known().fold(0.0, f64::max));
        let x =
            Scale::linear((first, last.max(first + 60.0)), (frame.left, frame.width - frame.right));
        let (baseline, spread) = (self.baseline(), self.spread().unwrap_or_default());
        let band = baseline.map(|value| [value - SPREAD * spread, value + SPREAD * spread]);
        // What is left out does not set the scale: it is drawn at the top if it is beyond.
        let most = self
            .values
            .iter()
            .flatten()
            .copied()
            .chain(band.map(|[_, high]| high))
            .fold(0.0, f64::max);
        let y = Scale::linear((0.0, round_end(most * 1.05)), (FLOOR, TOP));
        let at = |run: usize| times.get(run).copied().flatten().unwrap_or(first);
        html! {
            (upright(&y, frame, 4))
            @if let (Some([low, high]), Some(value)) = (band, baseline) {
                rect.band2 x=(frame.left) width=(frame.width - frame.left - frame.right) y=(y.at(high))
                    height=((y.at(low.max(0.0)) - y.at(high)).max(1.0)) {}
                line.l.two x1=(frame.left) x2=(frame.width - frame.right) y1=(y.at(value)) y2=(y.at(value)) {}
            }
            @for level in &self.levels {
                (line(&[(at(level.from), Some(level.value)), (at(level.to), Some(level.value))], &x, &y, "l one"))
            }
            @for (run, before, after) in self.changes() {
                @let place = x.at(seconds(run).unwrap_or(first));
                @let class = if self.is_worse(before, after) { "bad e" } else { "e" };
                line.chg x1=(place) x2=(place) y1=(TOP - 8.0) y2=(FLOOR) {}
                text class=(class) x=(place - 4.0) y=(TOP - 12.0) { (change_words(before, after)) (commit_words(run)) }
            }
            @for (number, one) in happened.iter().enumerate() { (annotated(one, number, &x)) }
            @for (run, time) in self.runs.iter().zip(&times) {
                @if let (Some(value), Some(time)) = (measured(run, self.figure), time) {
                    @let class = if is_left_out(run) { "dot hol" } else { "dot" };
                    circle class=(class) cx=(x.at(*time)) cy=(y.at(value.min(most * 1.05))) r="3" {}
                }
            }
            line.axis x1=(frame.left) x2=(frame.width - frame.right) y1=(FLOOR) y2=(FLOOR) {}
            (dates(&x, frame, (first, last)))
        }
    }
}

/// Something that happened, as a line through the chart. Its label is on the side where there is more room.
fn annotated(one: &Annotation, number: usize, x: &Scale) -> Markup {
    let place = x.at(one.at as f64);
    let (left, right) = x.ends();
    let is_right = place > f64::midpoint(left, right);
    let (class, text_at) =
        if is_right { ("happened e", place - 4.0) } else { ("happened", place + 4.0) };
    let line = FLOOR - 6.0 - LINE * (number % LINES) as f64;
    let label = match one.label.char_indices().nth(LABEL_MAX) {
        Some((end, _)) => format!("{}…", &one.label[..end]),
        None => one.label.clone(),
    };
    html! {
        line.happened x1=(place) x2=(place) y1=(TOP) y2=(FLOOR) { title { (one.label) } }
        text class=(class) x=(text_at) y=(line) { (label) }
    }
}

/// The dates below a chart.
fn dates(x: &Scale, frame: &Frame, (first, last): (f64, f64)) -> Markup {
    const DAY: f64 = 86_400.0;
    let days = ((last - first) / DAY).max(0.0);
    let grain = if days < 2.0 { Grain::Clock } else { Grain::Day };
    let step = if days < 2.0 {
        let steps = [60.0, 300.0, 600.0, 1_800.0, 3_600.0, 7_200.0, 21_600.0, 43_200.0];
        let wanted = (last - first) / frame.ticks as f64;
        steps.into_iter().find(|step| *step >= wanted).unwrap_or(43_200.0)
    } else {
        round_step((days / frame.ticks as f64).max(1.0)).max(1.0) * DAY
    };
    let begin = (first / step).ceil();
    let ticks = (0..40).map(|tick| (begin + f64::from(tick)) * step).take_while(|at| *at <= last);
    let ticks: BTreeSet<i64> = ticks.map(|at| at as i64).collect();
    let shown = ticks.into_iter().filter_map(|at| Timestamp::from_second(at).ok());
    html! {
        @for at in shown { (Brief { at, grain }.drawn((x.at(at.as_second() as f64), FLOOR + 17.0))) }
    }
}

fn seconds(run: &FollowedRun) -> Option<f64> {
    run.started.parse::<Timestamp>().ok().map(|at| at.as_second() as f64)
}

fn measured(run: &FollowedRun, figure: Figure) -> Option<f64> {
    if figure == Figure::P99 { run.p99_ms } else { run.goodput }
}

/// What a figure is called.
pub(super) fn name(figure: Figure) -> &'static str {
    if figure == Figure::P99 { "Response p99" } else { "Goodput" }
}

pub(super) fn unit(figure: Figure) -> &'static str {
    if figure == Figure::P99 { "ms" } else { "per second" }
}

/// By how much a level changed.
pub(super) fn change_words(before: &Level, after: &Level) -> String {
    if before.value <= 0.0 {
        return String::new();
    }
    format!("{:+.0} %", 100.0 * (after.value / before.value - 1.0)).replace('-', "\u{2212}")
}

fn commit_words(run: &FollowedRun) -> String {
    if run.commit.is_empty() { String::new() } else { format!(", {}", short(&run.commit)) }
}

/// The beginning of a commit.
pub(super) fn short(commit: &str) -> &str {
    commit.char_indices().nth(8).map_or(commit, |(end, _)| &commit[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(number: u32, p99: f64) -> FollowedRun {
        FollowedRun {
            id: format!("{number:024x}"),
            started: format!("2026-11-{:02}T02:30:00Z", number + 1),
            verdict: "valid".to_owned(),
            outcome: "passed".to_owned(),
            baseline: number == 2,
            commit: format!("c0ffee{number:02}"),
            p99_ms: Some(p99),
            goodput: Some(2_000.0),
            project: None,
        }
    }

    #[test]
    fn trend_chart_names_the_commit_of_a_change_and_omits_bad_runs() {
        let wave = |number: u32| 0.05 * f64::from(number % 3);
        let level = |number: u32| if number < 12 { 7.0 } else { 9.0 };
        let mut runs: Vec<_> =
            (0..24).map(|number| run(number, level(number) + wave(number))).collect();
        runs[5].verdict = "generator-limited".to_owned();
        runs[5].p99_ms = Some(90.0);
        let course = Trend::new(&runs, Figure::P99, &Levels::default());
        let changes: Vec<_> = course.changes().collect();
        let [(first, before, after)] = changes[..] else { panic!("{changes:?}") };
        assert_eq!(first.started, "2026-11-13T02:30:00Z");
        assert!(course.is_worse(before, after));
        let happened = Annotation {
            at: "2026-11-20T10:00:00Z".parse::<Timestamp>().unwrap().as_second(),
            label: "deploy <42>".to_owned(),
            ..Annotation::default()
        };
        let drawn = course.chart(&[happened]).into_string();
        // In each width, beside its line.
        assert_eq!(drawn.matches("<title>deploy &lt;42&gt;</title>").count(), 2, "{drawn}");
        assert_eq!(drawn.matches("class=\"happened e\"").count(), 2, "{drawn}");
        assert!(drawn.contains("c0ffee12") && drawn.contains("13 Nov"), "{drawn}");
        assert_eq!(drawn.matches("dot hol").count(), 2);
        assert_eq!(Trend::new(&runs, Figure::Goodput, &Levels::default()).changes().count(), 0);
    }
}
