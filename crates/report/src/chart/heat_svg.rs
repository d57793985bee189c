//! A map of how many exchanges took how long, over time, as SVG: [`HeatMap`].
//!
//! A stronger colour means more exchanges, on a logarithmic scale, since a reader looks for the few slow ones. Cells of
//! one shade are one path, so that a map of thousands of cells takes a few kilobytes.

use super::Ruler;
use super::svg::{Entry, WIDTH, framed, length};
use super::{Axis, Scale};
use crate::escaped::escaped;
use crate::figure::short;
use std::fmt::Write;

const HEIGHT: f64 = 260.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 24.0;
const FOOT: f64 = 48.0;
const SHADES: usize = 5;

/// How many exchanges took how long, over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMap {
    /// What is shown.
    pub title: String,
    /// What x is.
    pub x: Axis,
    /// What y is. It is logarithmic.
    pub y: Axis,
    /// From and to on x, from and to on y, and how many to each unit of x.
    pub cells: Vec<([f64; 2], [f64; 2], f64)>,
}

impl HeatMap {
    /// Draws the map.
    pub fn svg(&self, id: &str) -> String {
        let xs = self.cells.iter().flat_map(|(x, ..)| *x);
        let ys = self.cells.iter().flat_map(|(_, y, _)| *y);
        let (x, y) =
            (Ruler::of_points(Scale::Linear, xs), Ruler::of_points(Scale::Logarithmic, ys));
        let widest = y.ticks().iter().map(|tick| length(&short(*tick))).fold(0.0, f64::max);
        let (left, bottom) = (widest + 14.0, TOP + HEIGHT);
        let room = WIDTH - left - RIGHT;
        let description = format!(
            "{} over {}. A stronger colour is more.",
            self.y.described(),
            self.x.described()
        );
        let legend: [Entry<'_>; 0] = [];
        framed(id, 0, [&self.title, &description], &legend, bottom + FOOT, |text| {
            for (shade, path) in self.paths(&x, &y, left, room).iter().enumerate() {
                let _ = writeln!(text, "<path class=\"heat{}\" d=\"{path}\"/>", shade + 1);
            }
            for (tick, at) in
                y.some_ticks(10).into_iter().filter_map(|tick| Some((tick, y.at(tick)?)))
            {
                let place = TOP + (1.0 - at) * HEIGHT;
                let (x, y, tick) = (left - 6.0, place + 4.0, short(tick));
                let _ = writeln!(
                    text,
                    "<text class=\"faint end\" x=\"{x:.1}\" y=\"{y:.1}\">{tick}</text>"
                );
            }
            for (tick, at) in
                x.some_ticks(12).into_iter().filter_map(|tick| Some((tick, x.at(tick)?)))
            {
                let (x, y, tick) = (left + at * room, bottom + 18.0, short(tick));
                let _ = writeln!(
                    text,
                    "<text class=\"faint middle\" x=\"{x:.1}\" y=\"{y:.1}\">{tick}</text>"
                );
            }
            let (middle, below) = (left + room / 2.0, bottom + 37.0);
            let (x, y) = (escaped(&self.x.described()), escaped(&self.y.described()));
            let _ = writeln!(
                text,
                "<path class=\"axis\" d=\"M{left:.1} {TOP}V{bottom:.1}h{room:.1}\"/>\
                 <text class=\"faint\" x=\"0\" y=\"10\">{y}</text>\
                 <text class=\"faint middle\" x=\"{middle:.1}\" y=\"{below:.1}\">{x}</text>"
            );
        })
    }

    /// The cells of each shade. Adjoining cells of one shade are merged.
    fn paths(&self, x: &Ruler, y: &Ruler, left: f64, room: f64) -> [String; SHADES] {
        let most = self.cells.iter().map(|(.., count)| *count).fold(0.0, f64::max);
        let mut paths = <[String; SHADES]>::default();
        let mut draw = |(shade, [from, to], [low, high]): Placed| {
            let (width, height) = (to - from, low - high);
            let _ = write!(paths[shade], "M{from} {high}h{width}v{height}h-{width}z");
        };
        let mut before: Option<Placed> = None;
        for (xs, ys, count) in &self.cells {
            let part = count.ln_1p() / most.ln_1p();
            let shade = ((part * SHADES as f64).ceil() as usize).clamp(1, SHADES) - 1;
            let across = xs.map(|at| (left + x.at(at).unwrap_or_default() * room).round());
            let down = ys.map(|at| (TOP + (1.0 - y.at(at).unwrap_or_default()) * HEIGHT).round());
            let next = (shade, across.map(|at| at as i32), down.map(|at| at as i32));
            before = Some(match before {
                Some((s, a, [low, high])) if s == shade && a == next.1 && high == next.2[0] => {
                    (s, a, [low, next.2[1]])
                }
                other => {
                    other.map(&mut draw);
                    next
                }
            });
        }
        before.map(draw);
        paths
    }
}

/// A shade, from and to on x, from and to on y, in units of the drawing.
type Placed = (usize, [i32; 2], [i32; 2]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heat_map_cell_with_most_exchanges_is_darkest() {
        let map = HeatMap {
            title: "<map>".to_owned(),
            x: Axis::linear("seconds"),
            y: Axis::logarithmic("ms"),
            cells: vec![([0.0, 1.0], [1.0, 10.0], 1_000.0), ([1.0, 2.0], [10.0, 100.0], 1.0)],
        };
        let svg = map.svg("m");
        // Two seconds and two decades: each cell is half as wide and half as high as the map. 100 has three characters.
        let left = 3.0 * 6.4 + 14.0_f64;
        let middle = (left + (800.0 - left - 24.0) / 2.0).round();
        let wide = middle - left.round();
        let darkest = format!("<path class=\"heat5\" d=\"M{left:.0} 154h{wide}v130h-{wide}z\"/>");
        assert!(svg.contains(&darkest), "{darkest} in {svg}");
        let faintest = format!("<path class=\"heat1\" d=\"M{middle} 24h");
        assert!(svg.contains(&faintest), "{faintest} in {svg}");
        assert!(!svg.contains("<map>"));
    }
}
