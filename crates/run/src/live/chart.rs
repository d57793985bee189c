//! [`Chart`]: values over time as lines of characters, with an axis that is linear or logarithmic.
//!
//! With colours, a cell contains dots of a quarter of a row and half a column, and has the colour of the curve drawn
//! last. Without colours, each curve has its own character.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;

use super::theme::{Theme, faint};

/// Columns for the labels of the axis and its line.
pub(super) const LABELS: u16 = 9;
/// The dots of a cell by half column and quarter row, from the top, as Unicode numbers them.
const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
const NO_DOTS: u32 = 0x2800;

/// How values map to positions from the bottom to the top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Axis {
    /// From zero to this value.
    Linear(f64),
    /// From one power of ten to another.
    Log(f64, f64),
}

impl Axis {
    /// From zero to a round figure that no value exceeds.
    pub(super) fn linear(values: impl Iterator<Item = f64>) -> Self {
        let most = values.fold(0.0, f64::max);
        if most <= 0.0 {
            return Self::Linear(1.0);
        }
        let power = 10_f64.powf(most.log10().floor());
        let steps = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
        let round = steps.into_iter().map(|step| step * power).find(|round| *round >= most);
        Self::Linear(round.unwrap_or(10.0 * power))
    }

    /// Over whole powers of ten, at least one.
    pub(super) fn log(values: impl Iterator<Item = f64>) -> Self {
        let range = values.filter(|value| *value > 0.0).fold(None, |range, value| match range {
            None => Some((value, value)),
            Some((least, most)) => Some((value.min(least), value.max(most))),
        });
        let (least, most) = range.unwrap_or((0.001, 0.01));
        let power = |exponent: f64| 10_f64.powi(exponent as i32);
        let low = (least.log10() + 1e-9).floor();
        let high = (most.log10() - 1e-9).ceil().max(low + 1.0);
        Self::Log(power(low), power(high))
    }

    /// The position of a value, from 0 at the bottom to 1 at the top.
    pub(super) fn place(self, value: f64) -> f64 {
        let place = match self {
            Self::Linear(most) => value / most,
            Self::Log(low, high) => (value.max(low) / low).ln() / (high / low).ln(),
        };
        place.clamp(0.0, 1.0)
    }

    /// Values that get a label, the most important first.
    fn marks(self) -> Vec<f64> {
        match self {
            Self::Linear(most) => vec![0.0, most, most / 2.0],
            Self::Log(low, high) => {
                let decades = (high / low).log10().round() as i32;
                let ends = [low, high];
                let inner = (1..decades).map(|decade| low * 10_f64.powi(decade));
                let between = (0..decades)
                    .flat_map(|decade| [2.0, 5.0].map(|step| step * low * 10_f64.powi(decade)));
                ends.into_iter().chain(inner).chain(between).collect()
            }
        }
    }
}

/// A line of a chart: one value for each column, or two where dots are drawn.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    pub mark: char,
    pub colour: Color,
    pub values: Vec<Option<f64>>,
}

/// The content of a chart.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    pub axis: Axis,
    /// The curves; later ones are drawn over earlier ones.
    pub curves: Vec<Curve>,
    /// Two curves with a filled gap between them: the lower, the upper, and the fill character.
    pub band: Option<(usize, usize, char)>,
    /// How a value is written on the axis.
    pub label: fn(f64) -> String,
}

impl Chart {
    /// How many values a curve has in an area of this width.
    pub(super) fn columns(area: Rect, theme: Theme) -> usize {
        usize::from(area.width.saturating_sub(LABELS)) * if theme.fine() { 2 } else { 1 }
    }

    /// Draws the chart.
    pub(super) fn draw(&self, area: Rect, buffer: &mut Buffer, theme: Theme) {
        let area = area.intersection(buffer.area);
        if area.width <= LABELS || area.height == 0 {
            return;
        }
        self.labels(area, buffer, theme);
        let plot = Rect { x: area.x + LABELS, width: area.width - LABELS, ..area };
        if let Some((lower, upper, fill)) = self.band {
            self.fill(plot, buffer, theme, (&self.curves[lower], &self.curves[upper], fill));
        }
        for curve in &self.curves {
            if theme.fine() {
                self.dots(curve, plot, buffer, theme);
            } else {
                self.marks(curve, plot, buffer);
            }
        }
    }

    /// The row of a value, counted from the top, out of this number of rows.
    fn row(&self, value: f64, rows: usize) -> usize {
        let last = rows.saturating_sub(1);
        last - ((self.axis.place(value) * last as f64).round() as usize).min(last)
    }

    fn labels(&self, area: Rect, buffer: &mut Buffer, theme: Theme) {
        let line = theme.either('\u{2502}', '|');
        let mut taken = vec![false; usize::from(area.height)];
        for y in area.top()..area.bottom() {
            buffer[(area.x + LABELS - 1, y)].set_char(line).set_style(faint());
        }
        for value in self.axis.marks() {
            let row = self.row(value, taken.len());
            let near = row.saturating_sub(1)..(row + 2).min(taken.len());
            if taken[near].iter().any(|taken| *taken) {
                continue;
            }
            taken[row] = true;
            let text = format!("{:>8}", (self.label)(value));
            buffer.set_stringn(area.x, area.y + row as u16, text, 8, faint());
        }
    }

    fn marks(&self, curve: &Curve, plot: Rect, buffer: &mut Buffer) {
        for (x, value) in (plot.left()..plot.right()).zip(&curve.values) {
            if let Some(value) = value {
                let y = plot.y + self.row(*value, usize::from(plot.height)) as u16;
                buffer[(x, y)].set_char(curve.mark);
            }
        }
    }

    fn dots(&self, curve: &Curve, plot: Rect, buffer: &mut Buffer, theme: Theme) {
        let rows = usize::from(plot.height) * 4;
        let mut before = None;
        for (column, value) in curve.values.iter().enumerate() {
            let x = plot.x + (column / 2) as u16;
            let row = value.map(|value| self.row(value, rows));
            if let Some(row) = row.filter(|_| x < plot.right()) {
                // From where the line was, except for the row that is already drawn there.
                let from = before.map_or(row, |before: usize| match before {
                    before if before < row => before + 1,
                    before if before > row => before - 1,
                    before => before,
                });
                for at in from.min(row)..=from.max(row) {
                    let cell = &mut buffer[(x, plot.y + (at / 4) as u16)];
                    let known = cell.symbol().chars().next().map_or(0, u32::from);
                    let known = if known & !0xff == NO_DOTS { known } else { NO_DOTS };
                    let dots = known | DOTS[column % 2][at % 4];
                    cell.set_char(char::from_u32(dots).unwrap_or(' '))
                        .set_style(theme.colour(curve.colour));
                }
            }
            before = row;
        }
    }

    fn fill(
        &self,
        plot: Rect,
        buffer: &mut Buffer,
        theme: Theme,
        (lower, upper, fill): (&Curve, &Curve, char),
    ) {
        let each = if theme.fine() { 2 } else { 1 };
        let pairs = lower.values.iter().zip(&upper.values).step_by(each);
        for (x, pair) in (plot.left()..plot.right()).zip(pairs) {
            let (Some(low), Some(high)) = pair else { continue };
            let rows = usize::from(plot.height);
            for row in self.row(*high, rows) + 1..self.row(*low, rows) {
                buffer[(x, plot.y + row as u16)].set_char(fill).set_style(faint());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(chart: &Chart, width: u16, height: u16, theme: Theme) -> Vec<String> {
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        chart.draw(area, &mut buffer, theme);
        let row = |y| (0..width).map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>();
        (0..height).map(row).collect()
    }

    fn curve(mark: char, values: &[f64]) -> Curve {
        Curve { mark, colour: Color::Green, values: values.iter().copied().map(Some).collect() }
    }

    fn chart(axis: Axis, curves: Vec<Curve>) -> Chart {
        Chart { axis, curves, band: None, label: |value| format!("{value}") }
    }

    #[test]
    fn axes_end_at_round_figures() {
        assert_eq!(Axis::linear([3.0, 740.0].into_iter()), Axis::Linear(800.0));
        assert_eq!(Axis::linear([1_000.0].into_iter()), Axis::Linear(1_000.0));
        assert_eq!(Axis::linear(std::iter::empty()), Axis::Linear(1.0));
        let Axis::Log(low, high) = Axis::log([0.0, 0.002, 0.3].into_iter()) else { panic!() };
        assert!((low - 1e-3).abs() < 1e-12 && (high - 1.0).abs() < 1e-9, "{low} {high}");
        let Axis::Log(low, high) = Axis::log([0.01].into_iter()) else { panic!() };
        assert!((low - 0.01).abs() < 1e-9 && (high - 0.1).abs() < 1e-9, "{low} {high}");
    }

    #[test]
    fn axis_logarithmic_has_equal_factors_per_row() {
        // Five rows over four decades: each row is a power of ten.
        let chart =
            chart(Axis::Log(1.0, 10_000.0), vec![curve('x', &[1.0, 10.0, 100.0, 1e3, 1e4])]);
        let theme = Theme::default();
        let expected =
            ["   10000|    x", "        |   x ", "     100|  x  ", "        | x  ", "       1|x"];
        let rows = drawn(&chart, 14, 5, theme);
        assert_eq!(
            rows.iter().map(|row| row.trim_end()).collect::<Vec<_>>(),
            expected.map(str::trim_end)
        );
    }

    #[test]
    fn band_between_two_curves_is_filled() {
        let mut chart =
            chart(Axis::Linear(4.0), vec![curve('s', &[1.0, 1.0]), curve('R', &[1.0, 4.0])]);
        chart.band = Some((0, 1, ':'));
        let rows = drawn(&chart, 11, 5, Theme::default());
        let plots: Vec<&str> = rows.iter().map(|row| &row[9..]).collect();
        assert_eq!(plots, [" R", " :", " :", "Rs", "  "]);
    }

    #[test]
    fn braille_dots_are_quarters_of_a_row_and_connected() {
        let theme = Theme { colour: true, unicode: true };
        // Eight quarter rows: the bottom for 0, the top for 7.
        let chart = chart(Axis::Linear(7.0), vec![curve('x', &[0.0, 7.0, 7.0, 3.0])]);
        let rows = drawn(&chart, 11, 2, theme);
        let plot = |row: usize| rows[row].chars().skip(9).collect::<String>();
        // Up in the second half column from just above where it was, then down again in the fourth.
        assert_eq!(plot(0), "\u{28b8}\u{28b1}");
        assert_eq!(plot(1), "\u{2878}\u{2808}");
    }

    #[test]
    fn chart_without_room_does_not_panic() {
        let chart = chart(Axis::Linear(1.0), vec![curve('x', &[0.5; 40])]);
        for (width, height) in [(0, 0), (9, 3), (10, 1), (3, 9), (12, 0)] {
            for theme in [Theme::default(), Theme { colour: true, unicode: true }] {
                drawn(&chart, width, height, theme);
            }
        }
    }
}
