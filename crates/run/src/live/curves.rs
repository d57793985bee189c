//! The two charts: exchanges per second, and times on a logarithmic axis, for all operations or for one.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget as _;

use super::chart::{Axis, Chart, Curve};
use super::figures::{count, lasting, time};
use super::history::{History, Point};
use super::picture::Picture;
use super::theme::{Theme, bold, faint};

/// A curve: its heading, its name in the legend, its mark where there are no colours, its colour, its value at a point.
struct Shown(&'static str, &'static str, char, Color, fn(&Point) -> Option<f64>);

const OFFERED: Shown = Shown("", "offered", '.', Color::Magenta, |it| Some(it.offered));
const ANSWERED: Shown = Shown("", "answered", 'a', Color::Yellow, |it| Some(it.answered));
const GOODPUT: Shown = Shown("", "goodput", 'g', Color::Green, |it| Some(it.goodput));
/// The upper of the band is the last but one, and its lower the first but one.
const TIMES: [Shown; 4] = [
    Shown("Service", "p50", 's', Color::Blue, |it| it.times.service[0]),
    Shown("", "p99", 'S', Color::Cyan, |it| it.times.service[1]),
    Shown("Response", "p50", 'r', Color::Green, |it| it.times.response[0]),
    Shown("", "p99", 'R', Color::Yellow, |it| it.times.response[1]),
];
const SERVICE_P99: usize = 1;
const RESPONSE_P99: usize = 3;

/// Exchanges a second.
pub(super) fn throughput(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let Picture { model, choice, theme, .. } = *picture;
    // An exchange that becomes due belongs to no operation until it is sent.
    let all = [OFFERED, ANSWERED, GOODPUT];
    let shown = if model.chosen(choice).is_some() { &all[1..] } else { &all[..] };
    let panel = Panel::new(picture, area);
    let curves = panel.curves(shown);
    let axis = Axis::linear(values(&curves));
    let mut heading = vec![bold("Per second")];
    heading.extend(legend(shown, panel.last, theme, |value| value.map_or("-".to_owned(), count)));
    panel.heading(heading, buffer);
    Chart { axis, curves, band: None, label: count }.draw(panel.plot, buffer, theme);
}

/// Response times against service times. The difference between them is waiting time.
pub(super) fn latency(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let theme = picture.theme;
    let panel = Panel::new(picture, area);
    let curves = panel.curves(&TIMES);
    let axis = Axis::log(values(&curves));
    // The times that a user experiences come first.
    let [response, service] = [&TIMES[2..], &TIMES[..2]];
    let mut heading = legend(response, panel.last, theme, time);
    heading.push(Span::raw(" "));
    heading.extend(legend(service, panel.last, theme, time));
    panel.heading(heading, buffer);
    let band = Some((SERVICE_P99, RESPONSE_P99, theme.either('\u{2591}', ':')));
    let label = |value| time(Some(value));
    Chart { axis, curves, band, label }.draw(panel.plot, buffer, theme);
}

/// The part of the screen that a chart occupies.
struct Panel<'a> {
    history: Option<&'a History>,
    last: Option<&'a Point>,
    /// The span of time that is shown, and its name.
    window: (f64, f64, &'static str),
    area: Rect,
    plot: Rect,
    theme: Theme,
}

impl<'a> Panel<'a> {
    fn new(picture: &Picture<'a>, area: Rect) -> Self {
        let Picture { model, choice, theme, .. } = *picture;
        let history = match model.chosen(choice) {
            None => Some(&model.history),
            Some(row) => row.history.as_ref(),
        };
        let plot = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        let last = history.and_then(History::last);
        Self { history, last, window: model.window(choice), area, plot, theme }
    }

    fn curves(&self, shown: &[Shown]) -> Vec<Curve> {
        let (from, to, _) = self.window;
        let columns = Chart::columns(self.plot, self.theme);
        let points = self.history.map(|history| history.columns(from, to, columns));
        let points = points.unwrap_or_default();
        let curve = |Shown(_, _, mark, colour, value): &Shown| Curve {
            mark: *mark,
            colour: *colour,
            values: points.iter().map(|point| point.as_ref().and_then(value)).collect(),
        };
        shown.iter().map(curve).collect()
    }

    /// The heading above the chart, with the time at the right if there is room.
    fn heading(&self, spans: Vec<Span<'static>>, buffer: &mut Buffer) {
        let line = Line::from(spans);
        let (from, to, name) = self.window;
        let shown = format!("{name}: {}", lasting((to - from).round()));
        let top = Rect { height: self.area.height.min(1), ..self.area };
        let used = line.width() + shown.len() + 2;
        line.render(top, buffer);
        if used <= usize::from(self.area.width) {
            Line::styled(shown, faint()).right_aligned().render(top, buffer);
        }
    }
}

fn values(curves: &[Curve]) -> impl Iterator<Item = f64> + '_ {
    curves.iter().flat_map(|curve| curve.values.iter().copied().flatten())
}

/// The legend: the curves with their last values.
fn legend(
    shown: &[Shown],
    last: Option<&Point>,
    theme: Theme,
    write: fn(Option<f64>) -> String,
) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    for Shown(heading, name, mark, colour, value) in shown {
        if !heading.is_empty() {
            spans.push(bold(*heading));
        }
        let mark = if theme.fine() { '\u{2501}' } else { *mark };
        spans.push(Span::styled(format!(" {mark} "), theme.loud(*colour)));
        spans.push(Span::raw(format!("{name} {}", write(last.and_then(value)))));
    }
    spans
}
