//! One of the charts at the top of the page of a run: lines over time as SVG, for paper and where scripts are off. A
//! line has its name at its end, the limit of an objective is a line, and what lies above it is red.
//!
//! The page draws it at two widths, because text in a picture that is scaled down cannot be read. Colours come from the
//! style of the page.

use super::{Ruler, Scale};
use crate::escaped::escaped;
use crate::figure::short;
use std::fmt::Write as _;

/// Lines over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Panel {
    /// What it shows, for readers who cannot see it.
    pub(crate) about: String,
    /// Whether the axis of values is logarithmic.
    pub(crate) logarithmic: bool,
    /// The lines.
    pub(crate) lines: Vec<PanelLine>,
    /// The limit of the area line, and its name.
    pub(crate) limit: Option<(f64, String)>,
    /// Stretches of time that are shaded, with their names.
    pub(crate) bands: Vec<(f64, f64, String)>,
    /// Moments with a name.
    pub(crate) moments: Vec<(f64, String)>,
}

/// A line of a panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PanelLine {
    /// Its name.
    pub(crate) name: String,
    /// Seconds and values, in order of time.
    pub(crate) points: Vec<(f64, f64)>,
    /// Its class in the style of the page.
    pub(crate) look: String,
    /// Whether the area below it is filled.
    pub(crate) is_area: bool,
}

/// How a panel is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PanelSize {
    /// For a wide page, with names at the ends of lines.
    Wide,
    /// For a phone.
    Narrow,
}

const TOP: f64 = 8.0;
const FOOT: f64 = 24.0;
/// The least distance of two names at the ends of lines.
const LINE: f64 = 14.0;
/// A limit this many times as high as everything that was measured is only named.
const FAR: f64 = 6.0;
/// Steps between marks on the axis of time, in seconds.
const STEPS: [f64; 16] = [
    0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_800.0, 3_600.0,
    14_400.0,
];

/// Where things are.
struct Frame {
    x: [f64; 2],
    y: Ruler,
    left: f64,
    room: f64,
    height: f64,
}

impl Frame {
    fn across(&self, seconds: f64) -> f64 {
        let [from, to] = self.x;
        self.left + self.room * ((seconds - from) / (to - from)).clamp(0.0, 1.0)
    }

    fn down(&self, value: f64) -> Option<f64> {
        Some(TOP + (1.0 - self.y.at(value)?) * self.height)
    }

    fn bottom(&self) -> f64 {
        TOP + self.height
    }

    fn right(&self) -> f64 {
        self.left + self.room
    }
}

impl Panel {
    /// Whether there is a value to show.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.iter().flat_map(|line| &line.points).all(|(_, value)| *value <= 0.0)
    }

    /// Draws it.
    pub(crate) fn svg(&self, id: &str, size: PanelSize) -> String {
        let (class, width, left, right, height) = match size {
            PanelSize::Wide => ("wide", 848.0, 50.0, 100.0, 130.0),
            PanelSize::Narrow => ("narrow", 358.0, 42.0, 8.0, 110.0),
        };
        let frame =
            Frame { x: self.reach(), y: self.ruler(), left, room: width - left - right, height };
        let whole = TOP + height + FOOT;
        let mut text = format!(
            "<svg class=\"panel {class}\" viewBox=\"0 0 {width} {whole}\" width=\"{width}\" height=\"{whole}\" \
             role=\"img\" aria-label=\"{}\">\n",
            escaped(&self.about)
        );
        self.shaded(&mut text, &frame);
        axes(&mut text, &frame, size);
        for line in &self.lines {
            self.line(&mut text, line, &frame, &format!("{id}{class}"));
        }
        self.limit(&mut text, &frame, size);
        self.moments(&mut text, &frame);
        if size == PanelSize::Wide {
            self.names(&mut text, &frame);
        }
        text.push_str("</svg>\n");
        text
    }

    fn reach(&self) -> [f64; 2] {
        let times = || {
            let points = self.lines.iter().flat_map(|line| &line.points).map(|(at, _)| *at);
            points.chain(self.bands.iter().flat_map(|(from, to, _)| [*from, *to]))
        };
        let from = times().fold(f64::INFINITY, f64::min);
        let to = times().fold(f64::NEG_INFINITY, f64::max);
        if to > from { [from, to] } else { [0.0, 1.0] }
    }

    fn ruler(&self) -> Ruler {
        let values = self.lines.iter().flat_map(|line| &line.points).map(|(_, value)| *value);
        let limit = self.near_limit().into_iter();
        if self.logarithmic {
            return Ruler::of_points(Scale::Logarithmic, values.chain(limit));
        }
        Ruler::of_points(Scale::Linear, values.chain(limit.map(|limit| limit * 1.05)).chain([0.0]))
    }

    /// The limit, unless the values would then be too low to be seen.
    fn near_limit(&self) -> Option<f64> {
        let (limit, _) = self.limit.as_ref()?;
        let areas = self.lines.iter().filter(|line| line.is_area);
        let most = areas.flat_map(|line| &line.points).map(|(_, value)| *value).fold(0.0, f64::max);
        (self.logarithmic || *limit <= FAR * most).then_some(*limit)
    }

    fn shaded(&self, text: &mut String, frame: &Frame) {
        for (from, to, name) in &self.bands {
            let (from, to) = (frame.across(*from), frame.across(*to));
            let (wide, height) = (to - from, frame.height);
            let _ = write!(
                text,
                "<rect class=\"ph\" x=\"{from:.1}\" y=\"{TOP}\" width=\"{wide:.1}\" height=\"{height}\"/>"
            );
            if wide > 7.0 * name.chars().count() as f64 + 10.0 {
                let (x, y) = (from + 6.0, TOP + 13.0);
                let _ = write!(text, "<text x=\"{x:.1}\" y=\"{y}\">{}</text>", escaped(name));
            }
        }
    }

    fn line(&self, text: &mut String, line: &PanelLine, frame: &Frame, id: &str) {
        let places: Vec<(f64, f64)> = line
            .points
            .iter()
            .filter_map(|(at, value)| Some((frame.across(*at), frame.down(*value)?)))
            .collect();
        let [Some(first), Some(last)] = [places.first(), places.last()] else { return };
        let mut path = String::new();
        for (number, (x, y)) in places.iter().enumerate() {
            let _ = write!(path, "{}{x:.1} {y:.1}", if number == 0 { 'M' } else { 'L' });
        }
        if line.is_area {
            let bottom = frame.bottom();
            let area = format!("{path}L{:.1} {bottom}L{:.1} {bottom}z", last.0, first.0);
            let _ = write!(text, "<path class=\"band\" d=\"{area}\"/>");
            if let Some(y) = self.near_limit().and_then(|limit| frame.down(limit)) {
                let (left, room, high) = (frame.left, frame.room, y - TOP);
                let _ = write!(
                    text,
                    "<clipPath id=\"{id}o\"><rect x=\"{left}\" y=\"{TOP}\" width=\"{room}\" height=\"{high:.1}\"/>\
                     </clipPath><path class=\"over\" clip-path=\"url(#{id}o)\" d=\"{area}\"/>"
                );
            }
        }
        let _ = writeln!(text, "<path class=\"l {}\" d=\"{path}\"/>", line.look);
    }

    fn limit(&self, text: &mut String, frame: &Frame, size: PanelSize) {
        let Some((_, name)) = &self.limit else { return };
        let name = escaped(name);
        let right = frame.right();
        let Some(y) = self.near_limit().and_then(|limit| frame.down(limit)) else {
            let (x, y) = (right - 6.0, TOP + 13.0);
            let _ =
                write!(text, "<text class=\"lim end\" x=\"{x}\" y=\"{y}\">{name} is above</text>");
            return;
        };
        let _ = write!(text, "<path class=\"lim\" d=\"M{} {y:.1}H{right}\"/>", frame.left);
        if size == PanelSize::Narrow {
            let (x, y) = (right - 4.0, y - 5.0);
            let _ = write!(text, "<text class=\"lim end\" x=\"{x}\" y=\"{y:.1}\">{name}</text>");
        }
    }

    fn moments(&self, text: &mut String, frame: &Frame) {
        for (at, name) in &self.moments {
            let x = frame.across(*at);
            let end = if x > frame.left + frame.room * 0.7 { "lim end" } else { "lim" };
            let aside = if end == "lim" { x + 6.0 } else { x - 6.0 };
            let _ = write!(
                text,
                "<path class=\"chg\" d=\"M{x:.1} {TOP}V{:.1}\"/><text class=\"{end}\" x=\"{aside:.1}\" y=\"{:.1}\">{}\
                 </text>",
                frame.bottom(),
                frame.bottom() - 8.0,
                escaped(name)
            );
        }
    }

    /// The names of the lines and of the limit, at their ends and not over each other.
    fn names(&self, text: &mut String, frame: &Frame) {
        let lines = self.lines.iter().filter_map(|line| {
            let (_, value) = line.points.last()?;
            Some((frame.down(*value)?, line.look.as_str(), line.name.clone()))
        });
        let limit = self.limit.as_ref().filter(|_| self.near_limit().is_some());
        let limit = limit.and_then(|(at, name)| Some((frame.down(*at)?, "lim", name.clone())));
        let mut names: Vec<(f64, &str, String)> = lines.chain(limit).collect();
        names.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut free = f64::NEG_INFINITY;
        for (y, _, _) in &mut names {
            *y = y.max(free);
            free = *y + LINE;
        }
        // What was moved below the panel moves all of them up.
        let over = names.last().map_or(0.0, |(y, ..)| (y - frame.bottom()).max(0.0));
        for (y, look, name) in names {
            let (x, y) = (frame.right() + 7.0, y - over + 4.0);
            let _ = write!(
                text,
                "<text class=\"{look}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
                escaped(&name)
            );
        }
    }
}

fn axes(text: &mut String, frame: &Frame, size: PanelSize) {
    let (left, right, bottom) = (frame.left, frame.right(), frame.bottom());
    for tick in frame.y.some_ticks(5) {
        let Some(y) = frame.down(tick) else { continue };
        let _ = write!(
            text,
            "<path class=\"g\" d=\"M{left} {y:.1}H{right}\"/><text class=\"faint end\" x=\"{:.1}\" y=\"{:.1}\">{}\
             </text>",
            left - 6.0,
            y + 4.0,
            short(tick)
        );
    }
    let most = if size == PanelSize::Wide { 8.0 } else { 4.0 };
    for tick in seconds(frame.x, most) {
        let (x, y) = (frame.across(tick), bottom + 16.0);
        let _ = write!(
            text,
            "<text class=\"faint middle\" x=\"{x:.1}\" y=\"{y}\">{}</text>",
            clock(tick, frame.x[1])
        );
    }
    let _ = writeln!(text, "<path class=\"axis\" d=\"M{left} {bottom}H{right}\"/>");
}

/// Marks on an axis of time: about as many as there is room for.
fn seconds([from, to]: [f64; 2], most: f64) -> Vec<f64> {
    let step = STEPS.into_iter().find(|step| (to - from) / step <= most);
    let step = step.unwrap_or_else(|| ((to - from) / most / 86_400.0).ceil() * 86_400.0);
    let first = (from / step).ceil() as i64;
    let last = (to / step).floor() as i64;
    (first..=last).map(|tick| tick as f64 * step).collect()
}

/// A time of a run of this length.
fn clock(seconds: f64, longest: f64) -> String {
    if longest < 60.0 {
        return format!("{} s", crate::figure::one_decimal(seconds));
    }
    let whole = seconds.round() as i64;
    match whole {
        0..3_600 => format!("{}:{:02}", whole / 60, whole % 60),
        _ => format!("{}:{:02}:{:02}", whole / 3_600, whole % 3_600 / 60, whole % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(limit: f64) -> Panel {
        let line = |name: &str, look: &str, values: [f64; 3], is_area| PanelLine {
            name: name.to_owned(),
            points: [0.0, 60.0, 120.0].into_iter().zip(values).collect(),
            look: look.to_owned(),
            is_area,
        };
        Panel {
            lines: vec![
                line("p50", "soft", [10.0, 10.0, 11.0], false),
                line("p99<b>", "one", [80.0, 100.0, 12.0], true),
            ],
            limit: Some((limit, format!("p99<{limit}"))),
            bands: vec![(0.0, 60.0, "ramp".to_owned())],
            moments: vec![(30.0, "kept up".to_owned())],
            ..Panel::default()
        }
    }

    #[test]
    fn panel_marks_values_above_the_limit_and_names_lines() {
        let svg = panel(50.0).svg("h", PanelSize::Wide);
        for part in [
            "class=\"over\" clip-path=\"url(#hwideo)\"",
            "class=\"lim\" d=\"M50 ",
            ">p99&lt;b&gt;<",
            ">p99&lt;50<",
            ">ramp<",
            ">kept up<",
            ">1:00<",
            ">2:00<",
        ] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
        assert!(!svg.contains("<b>") && !svg.contains("style"), "{svg}");
        // 11 and 12 of 100 would be over each other.
        let y = |name: &str| -> f64 {
            let before = svg.split_once(&format!("\">{name}</text>")).unwrap().0;
            before.rsplit_once("y=\"").unwrap().1.parse().unwrap()
        };
        assert!((y("p50") - y("p99&lt;b&gt;") - LINE).abs() < 0.2, "{svg}");
    }

    #[test]
    fn panel_with_a_distant_limit_keeps_its_scale() {
        let svg = panel(5_000.0).svg("h", PanelSize::Narrow);
        assert!(svg.contains("p99&lt;5000 is above") && !svg.contains("class=\"over\""), "{svg}");
        assert!(!svg.contains("5k"), "{svg}");
    }

    #[test]
    fn panel_time_labels_are_round() {
        assert_eq!(seconds([0.0, 12.0], 8.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
        assert_eq!(seconds([3.0, 350.0], 8.0), [60.0, 120.0, 180.0, 240.0, 300.0]);
        assert_eq!(clock(90.0, 350.0), "1:30");
        assert_eq!([clock(2.5, 12.0), clock(3_661.0, 7_000.0)], ["2.5 s", "1:01:01"]);
        assert_eq!(seconds([0.0, 20.0 * 86_400.0], 8.0).len(), 7);
    }
}
