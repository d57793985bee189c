//! What the charts of pages are drawn with: scales, their ticks, and lines with gaps. A chart is drawn for two widths,
//! since text in a picture that is scaled becomes too small.

use maud::{Markup, html};

/// A width for which a chart is drawn.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) class: &'static str,
    pub(super) width: f64,
    /// What is free on the left, for the figures of the axis, and on the right.
    pub(super) left: f64,
    pub(super) right: f64,
    /// About so many times or dates are below it.
    pub(super) ticks: usize,
}

/// A wide window and a narrow one.
pub(super) const FRAMES: [Frame; 2] = [
    Frame { class: "at-wide", width: 616.0, left: 52.0, right: 14.0, ticks: 6 },
    Frame { class: "at-narrow", width: 340.0, left: 46.0, right: 10.0, ticks: 3 },
];

/// From values to pixels.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    is_log: bool,
}

impl Scale {
    /// A scale of equal steps.
    pub(super) fn linear((low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        let high = if high > low { high } else { low + 1.0 };
        Self { low, high, from, to, is_log: false }
    }

    /// A scale of equal ratios. The values are positive.
    pub(super) fn logarithmic((low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        let low = low.max(1e-6);
        let high = if high > low { high } else { low * 10.0 };
        Self { low, high, from, to, is_log: true }
    }

    /// The pixels of its ends.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.from, self.to)
    }

    /// Where a value is.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = if self.is_log {
            (value.max(1e-9) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        let at = self.from + (self.to - self.from) * share;
        (at * 10.0).round() / 10.0
    }

    /// Round values within the scale.
    pub(super) fn ticks(&self, about: usize) -> Vec<f64> {
        if self.is_log {
            let decades =
                (-6..9).flat_map(|power| [1.0, 2.0, 5.0].map(|one| one * 10_f64.powi(power)));
            let within = |tick: &f64| *tick >= self.low * 0.999 && *tick <= self.high * 1.001;
            let all: Vec<f64> = decades.filter(within).collect();
            let only_tens = all.len() > 2 * about;
            let is_ten = |tick: &f64| (tick.log10() - tick.log10().round()).abs() < 1e-9;
            return all.into_iter().filter(|tick| !only_tens || is_ten(tick)).collect();
        }
        let step = round_step((self.high - self.low) / about.max(1) as f64);
        let first = (self.low / step).ceil();
        let ticks = (0..200).map(|number| (first + f64::from(number)) * step);
        ticks.take_while(|tick| *tick <= self.high + step * 1e-6).collect()
    }
}

/// A step of 1, 2 or 5 times a power of ten.
pub(super) fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.max(1e-9).log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .map(|one| one * power)
        .into_iter()
        .find(|step| *step >= least * 0.999)
        .unwrap_or(power)
}

/// The end of an axis that begins at zero: the next round value.
pub(super) fn round_end(most: f64) -> f64 {
    let step = round_step(most / 4.0);
    ((most / step).ceil() * step).max(step)
}

/// A figure of an axis.
pub(super) fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 1_000.0 => brunt_report::figure::thousands(value.round() as u64),
        size if size >= 10.0 || size == 0.0 => format!("{}", (value * 10.0).round() / 10.0),
        _ => format!("{}", (value * 1e4).round() / 1e4),
    }
}

/// A line through points, with a gap where there is none.
pub(super) fn line(points: &[(f64, Option<f64>)], x: &Scale, y: &Scale, class: &str) -> Markup {
    let mut parts: Vec<Vec<String>> = vec![Vec::new()];
    for (at, value) in points {
        match (value, parts.last_mut()) {
            (Some(value), Some(part)) => part.push(format!("{},{}", x.at(*at), y.at(*value))),
            _ => parts.push(Vec::new()),
        }
    }
    html! {
        @for part in parts.iter().filter(|part| !part.is_empty()) {
            polyline class=(class) points=(part.join(" ")) {}
        }
    }
}

/// The lines and figures of an upright axis.
pub(super) fn upright(y: &Scale, frame: &Frame, about: usize) -> Markup {
    html! {
        @for tick in y.ticks(about) {
            line.g x1=(frame.left) x2=(frame.width - frame.right) y1=(y.at(tick)) y2=(y.at(tick)) {}
            text.e x=(frame.left - 6.0) y=(y.at(tick) + 4.0) { (figure(tick)) }
        }
    }
}

/// A sample of a line, for a legend.
pub(super) fn sample(class: &str) -> Markup {
    html! {
        svg.swatch width="22" height="10" viewBox="0 0 22 10" aria-hidden="true" {
            line class=(class) x1="0" x2="22" y1="5" y2="5" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_ticks_are_round_and_within_range() {
        let scale = Scale::linear((0.0, 12.0), (100.0, 0.0));
        assert_eq!(scale.ticks(4), [0.0, 5.0, 10.0]);
        assert_eq!([0.0, 6.0, 12.0].map(|value| figure(scale.at(value))), ["100", "50", "0"]);
        let scale = Scale::logarithmic((0.5, 50.0), (0.0, 100.0));
        assert_eq!(scale.ticks(6), [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        assert_eq!(Scale::logarithmic((0.01, 1e4), (0.0, 1.0)).ticks(3).len(), 7);
        let ends = [8.1, 0.0021, 1_990.0].map(|most| figure(round_end(most)));
        assert_eq!(ends, ["10", "0.003", "2,000"]);
    }

    #[test]
    fn chart_line_has_gaps_without_measurements() {
        let scale = Scale::linear((0.0, 10.0), (0.0, 10.0));
        let points = [(0.0, Some(1.0)), (1.0, Some(2.0)), (2.0, None), (3.0, Some(4.0))];
        let drawn = line(&points, &scale, &scale, "l").into_string();
        assert_eq!(drawn.matches("<polyline").count(), 2, "{drawn}");
    }
}
