//! Both runs over each other: over time, aligned at the steady phase, and by the share of requests.

use brunt_report::view::View;
use maud::{Markup, html};

use super::labels::Labels;
use crate::moment::clock;
use crate::pages::drawing::{FRAMES, Frame, Scale, line, round_end, sample, upright};

/// The classes of the lines: the base and the other run.
const CLASSES: [&str; 2] = ["l two", "l one"];
/// The two panels of the chart over time: their tops and heights.
const UPPER: (f64, f64) = (22.0, 150.0);
const LOWER: (f64, f64) = (212.0, 90.0);
const HEIGHT: f64 = 330.0;

/// A run over time: seconds since its steady phase began, and a value.
type Series = Vec<(f64, Option<f64>)>;

/// The charts of both runs, if both have what is drawn.
pub(super) fn both(views: &[Option<String>; 2], labels: &Labels) -> Markup {
    let read = |view: &Option<String>| serde_json::from_str::<View>(view.as_ref()?).ok();
    let [Some(base), Some(other)] = [read(&views[0]), read(&views[1])] else {
        return html! { p.note { "The course of a run is missing, so the runs are not drawn over each other." } };
    };
    let views = [base, other];
    html! {
        div.over.cols {
            (over_time(&views, labels)) (spectra(&views, labels))
        }
    }
}

fn key(labels: &Labels) -> Markup {
    html! {
        p.key { @for (at, class) in CLASSES.iter().enumerate() { span { (sample(class)) (labels.of(at)) } } }
    }
}

fn over_time(views: &[View; 2], labels: &Labels) -> Markup {
    let times = [series(&views[0], "p99"), series(&views[1], "p99")];
    let rates = [series(&views[0], "achieved"), series(&views[1], "achieved")];
    html! {
        figure {
            figcaption { "Over time " small { "aligned at the steady phase" } }
            (key(labels))
            @for frame in &FRAMES {
                svg class=(frame.class) viewBox={ "0 0 " (frame.width) " " (HEIGHT) } width=(frame.width)
                    height=(HEIGHT) role="img" aria-label="p99 and achieved requests a second of both runs over time"
                {
                    (panel(frame, UPPER, &times, "response p99, ms"))
                    (panel(frame, LOWER, &rates, "achieved, per second"))
                    (seconds(frame, &times))
                }
            }
        }
    }
}

/// A column of the steady phase.
fn series(view: &View, key: &str) -> Series {
    let steady = view.spans.iter().find(|span| span.name == "steady");
    let (from, to) = steady.map_or((0.0, f64::INFINITY), |span| (span.from_s, span.to_s));
    let Some(column) = view.columns.iter().position(|column| column.key == key) else {
        return Vec::new();
    };
    let rows = view.rows.iter().filter(|row| row.from_s >= from - 1e-6 && row.from_s < to);
    let middle = |row: &brunt_report::view::Row| row.from_s + row.lasted_s / 2.0 - from;
    rows.map(|row| (middle(row), row.values.get(column).copied().flatten())).collect()
}

fn end(both: &[Series; 2]) -> f64 {
    both.iter().flatten().map(|(at, _)| *at).fold(1.0, f64::max)
}

fn panel(frame: &Frame, (top, height): (f64, f64), both: &[Series; 2], title: &str) -> Markup {
    let most = both.iter().flatten().filter_map(|(_, value)| *value).fold(0.0, f64::max);
    let x = Scale::linear((0.0, end(both)), (frame.left, frame.width - frame.right));
    let y = Scale::linear((0.0, round_end(most)), (top + height, top));
    html! {
        text.t x="2" y=(top - 8.0) { (title) }
        (upright(&y, frame, 4))
        @for (class, series) in CLASSES.iter().zip(both) { (line(series, &x, &y, class)) }
        line.axis x1=(frame.left) x2=(frame.width - frame.right) y1=(top + height) y2=(top + height) {}
    }
}

/// The times below both panels.
fn seconds(frame: &Frame, both: &[Series; 2]) -> Markup {
    let x = Scale::linear((0.0, end(both)), (frame.left, frame.width - frame.right));
    let steps = [
        1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_800.0, 3_600.0, 7_200.0,
        21_600.0,
    ];
    let least = end(both) / frame.ticks as f64;
    let step = steps.into_iter().find(|step| *step >= least).unwrap_or(least);
    let ticks = (0..100).map(|tick| f64::from(tick) * step).take_while(|at| *at <= end(both));
    html! {
        @for at in ticks { text.m x=(x.at(at)) y=(LOWER.0 + LOWER.1 + 17.0) { (clock(at)) } }
    }
}

/// How long requests took, by the share that took no longer.
fn spectra(views: &[View; 2], labels: &Labels) -> Markup {
    const TOP: f64 = 14.0;
    const FLOOR: f64 = 290.0;
    let both = [beyond(&views[0]), beyond(&views[1])];
    let values =
        || both.iter().flatten().filter_map(|(_, value)| *value).filter(|value| *value > 0.0);
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let farthest = both.iter().flatten().map(|(at, _)| *at).fold(1.0, f64::max);
    if most <= 0.0 {
        return html! {};
    }
    let shares = [
        (0.301, "50 %"),
        (1.0, "90 %"),
        (2.0, "99 %"),
        (3.0, "99.9 %"),
        (4.0, "99.99 %"),
        (5.0, "99.999 %"),
    ];
    html! {
        figure {
            figcaption { "How long requests took " small { "ms, both axes logarithmic" } }
            (key(labels))
            @for frame in &FRAMES {
                @let x = Scale::linear((0.0, farthest), (frame.left, frame.width - frame.right));
                @let y = Scale::logarithmic((least * 0.8, most * 1.2), (FLOOR, TOP));
                svg class=(frame.class) viewBox={ "0 0 " (frame.width) " " (HEIGHT) } width=(frame.width)
                    height=(HEIGHT) role="img" aria-label="Percentile spectra of both runs"
                {
                    (upright(&y, frame, 6))
                    @for (at, words) in shares.iter().filter(|(at, _)| *at <= farthest) {
                        line.g x1=(x.at(*at)) x2=(x.at(*at)) y1=(TOP) y2=(FLOOR) {}
                        text.m x=(x.at(*at)) y=(FLOOR + 17.0) { (words) }
                    }
                    @for (class, series) in CLASSES.iter().zip(&both) { (line(series, &x, &y, class)) }
                    text.e x=(frame.width - frame.right) y=(FLOOR + 34.0) { "share of requests that took no longer" }
                }
            }
        }
    }
}

/// The spectrum of all requests: how many powers of ten are beyond, and the time.
fn beyond(view: &View) -> Series {
    let all = view.spectra.first().map_or(&[][..], |spectrum| &spectrum.response);
    let pairs = all.chunks_exact(2).filter(|pair| pair[0] < 1.0);
    pairs.map(|pair| (-(1.0 - pair[0]).log10(), Some(pair[1]))).collect()
}
