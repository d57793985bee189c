//! A load as a drawing: the rate over time, drawn once for wide windows and once for narrow ones.

use maud::{Markup, html};

use super::sheet::Load;
use crate::moment::clock;

/// A size of the drawing.
struct Frame {
    class: &'static str,
    width: f64,
    height: f64,
    /// About so many times are written below it.
    times: f64,
}

const FRAMES: [Frame; 2] = [
    Frame { class: "at-wide", width: 796.0, height: 170.0, times: 7.0 },
    Frame { class: "at-narrow", width: 330.0, height: 140.0, times: 4.0 },
];
/// What is free around the drawing, in pixels.
const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 20.0;

/// The drawing of a load; words if it cannot be drawn. Its highest point can be dragged where a field has its value.
pub(super) fn drawing(load: &Load, highest: Option<&str>) -> Markup {
    let end = load.points.last().map_or(0.0, |(at, _)| *at);
    let peak = load.points.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
    if end <= 0.0 || peak <= 0.0 {
        return html! { p.note { "This load cannot be drawn before it is run." } };
    }
    html! { @for frame in &FRAMES { (framed(load, frame, (end, peak), highest)) } }
}

fn framed(load: &Load, frame: &Frame, (end, peak): (f64, f64), highest: Option<&str>) -> Markup {
    let Frame { class, width, height, times } = frame;
    let (right, floor) = (width - RIGHT, height - BOTTOM);
    let x = |at: f64| LEFT + (right - LEFT) * at / end;
    let y = |rate: f64| floor - (floor - TOP) * rate / peak;
    let points: Vec<String> =
        load.points.iter().map(|(at, rate)| format!("{:.1},{:.1}", x(*at), y(*rate))).collect();
    let line = points.join(" ");
    let last = format!("{:.1},{floor}", x(end));
    let unit = if load.shape == "people" { "people" } else { "visits a second" };
    let label = format!("Load over time: at most {} {unit}, for {}", figure(peak), clock(end));
    let every = step(end / times);
    let ticks = (0..).map(|tick| f64::from(tick) * every).take_while(|at| *at <= end);
    html! {
        svg class=(class) viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) role="img"
            aria-label=(label)
        {
            text.t x="4" y="14" { (unit) }
            @for rate in [0.0, peak / 2.0, peak] {
                line.g x1=(LEFT) x2=(right) y1=(round(y(rate))) y2=(round(y(rate))) {}
                text.e x=(LEFT - 7.0) y=(round(y(rate) + 4.0)) { (figure(rate)) }
            }
            @if load.steady > 0.0 {
                rect.ph x=(LEFT) y=(TOP) width=(round(x(load.steady) - LEFT)) height=(floor - TOP) {}
                text.m x=(round(LEFT.midpoint(x(load.steady)))) y=(floor - 8.0) { "ramp" }
            }
            polygon.band points={ (LEFT) "," (floor) " " (line) " " (last) } {}
            polyline.l.one points={ (line) " " (last) } {}
            line.axis x1=(LEFT) x2=(right) y1=(floor) y2=(floor) {}
            @if let (Some(field), Some((at, _))) = (highest, load.points.iter().find(|(_, rate)| *rate >= peak)) {
                circle.hand cx=(round(x(*at))) cy=(round(y(peak))) r="6" data-field=(field) data-value=(peak)
                    data-height=(round(floor - TOP)) {}
            }
            @for at in ticks { text.m x=(round(x(at))) y=(height - 5.0) { (clock(at)) } }
        }
    }
}

fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn figure(value: f64) -> String {
    if value >= 1_000.0 {
        return brunt_report::figure::thousands(value.round() as u64);
    }
    format!("{}", round(value))
}

/// A round step of a time axis.
fn step(least: f64) -> f64 {
    const STEPS: [f64; 14] = [
        1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_800.0, 3_600.0, 7_200.0,
        21_600.0,
    ];
    STEPS
        .into_iter()
        .find(|step| *step >= least)
        .unwrap_or_else(|| (least / 86_400.0).ceil() * 86_400.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_chart_is_drawn_for_two_widths() {
        let points = vec![(0.0, 0.0), (30.0, 200.0), (330.0, 200.0)];
        let load = Load { shape: "ramp".to_owned(), points, steady: 30.0, ..Load::default() };
        let drawn = drawing(&load, Some("load.ramp.rate")).into_string();
        assert_eq!(drawn.matches("<svg").count(), 2);
        let hand = "cy=\"28\" r=\"6\" data-field=\"load.ramp.rate\" data-value=\"200\"";
        assert_eq!(drawn.matches(hand).count(), 2, "{drawn}");
        assert!(drawn.contains(">200</text>") && drawn.contains(">5:00</text>"), "{drawn}");
        assert!(drawn.contains("at most 200 visits a second, for 5:30"), "{drawn}");
        assert!(drawing(&Load::default(), None).into_string().contains("cannot be drawn"));
    }

    #[test]
    fn load_chart_times_are_round() {
        let shown = [0.3, 47.0, 90_000.0].map(|least| clock(step(least)));
        assert_eq!(shown, ["0:01", "1:00", "48:00:00"]);
    }
}
