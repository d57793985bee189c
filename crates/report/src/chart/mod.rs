//! Charts: bars side by side, and lines over a value that was varied.
//!
//! A chart is data and the meaning of its axes. Two renderings are made from it, text for a terminal and SVG for a
//! page. Both place a value by the same [`Ruler`], so that they show the same. Figures published by others can be shown
//! beside the measured ones: hollow, so that they are not mistaken for measurements.

mod bars_svg;
mod bars_text;
mod heat_svg;
mod lines_svg;
mod lines_text;
mod panel;
mod ruler;
mod svg;

pub use heat_svg::HeatMap;
pub(crate) use panel::{Panel, PanelLine, PanelSize};
pub use ruler::{Ruler, Scale};
pub(crate) use svg::STYLE;

use crate::Screen;

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    /// Bars in groups.
    Bars(Bars),
    /// Lines over x.
    Lines(Lines),
}

/// Bars in groups, one of each series in every group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// What is shown.
    pub title: String,
    /// What the length of a bar means.
    pub value: Axis,
    /// What the bars of a group are called.
    pub series: Vec<String>,
    /// The groups, from the top.
    pub groups: Vec<Group>,
    /// What the hollow bars are: `the guide, 2012`.
    pub published: Option<String>,
}

/// The bars of one name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// The name.
    pub name: String,
    /// A bar for each series.
    pub bars: Vec<Bar>,
}

/// One bar, and what was published of the same.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bar {
    /// What was measured.
    pub value: Option<f64>,
    /// What others published.
    pub published: Option<f64>,
}

/// Lines over a value that was varied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    /// What is shown.
    pub title: String,
    /// What was varied.
    pub x: Axis,
    /// What was measured.
    pub y: Axis,
    /// The lines.
    pub lines: Vec<Line>,
    /// Whether points lie so close that marks would hide the lines. The texts of single points are left out, too.
    pub dense: bool,
    /// Stretches of x that are shaded, with their names.
    pub bands: Vec<(f64, f64, String)>,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// The name.
    pub name: String,
    /// x and y, in any order.
    pub points: Vec<(f64, f64)>,
    /// Whether others published it.
    pub published: bool,
    /// Which series the line belongs to, from 0: lines of one series look alike, so that a
    /// published one is seen to be the counterpart of a measured one.
    pub series: usize,
}

/// What an axis means.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What it shows, with its unit: `operations a second`.
    pub title: String,
    /// How values lie on it.
    pub scale: Scale,
}

/// How many colours there are, and how many shapes of each kind.
const LOOKS: usize = 6;

/// How a series looks: two series of the same colour differ in their shapes. Without colours the two shapes distinguish
/// it. Both hold for the first 36 series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Look {
    colour: usize,
    /// The mark of a point.
    mark: usize,
    /// The dashes of a line, the strokes of a bar.
    stroke: usize,
}

impl Look {
    fn new(series: usize) -> Self {
        let round = series / LOOKS;
        Self {
            colour: (series + 2 * round) % LOOKS,
            mark: series % LOOKS,
            stroke: (series + round) % LOOKS,
        }
    }
}

impl Axis {
    /// An axis with equal steps.
    pub fn linear(title: impl Into<String>) -> Self {
        Self { title: title.into(), scale: Scale::Linear }
    }

    /// An axis on which a factor of ten is the same distance everywhere.
    pub fn logarithmic(title: impl Into<String>) -> Self {
        Self { title: title.into(), scale: Scale::Logarithmic }
    }

    /// The title and, where it matters to a reader, the scale.
    pub(crate) fn described(&self) -> String {
        match self.scale {
            Scale::Linear => self.title.clone(),
            Scale::Logarithmic => format!("{}, logarithmic", self.title),
        }
    }
}

impl Chart {
    /// What is shown.
    pub fn title(&self) -> &str {
        match self {
            Self::Bars(bars) => &bars.title,
            Self::Lines(lines) => &lines.title,
        }
    }

    /// The chart for a terminal, ending in a newline.
    pub fn text(&self, screen: Screen) -> String {
        match self {
            Self::Bars(bars) => bars_text::draw(bars, screen),
            Self::Lines(lines) => lines_text::draw(lines, screen),
        }
    }

    /// The chart as SVG that needs nothing else. `id` distinguishes it from others on the same page and consists of
    /// letters and digits.
    pub fn svg(&self, id: &str) -> String {
        match self {
            Self::Bars(bars) => bars_svg::draw(bars, id),
            Self::Lines(lines) => lines_svg::draw(lines, id),
        }
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Bars(bars) => bars.values().next().is_none(),
            Self::Lines(lines) => lines.lines.iter().all(|line| line.points.is_empty()),
        }
    }
}

impl Bars {
    /// All values, measured and published.
    fn values(&self) -> impl Iterator<Item = f64> + '_ {
        let bars = self.groups.iter().flat_map(|group| &group.bars);
        bars.flat_map(|bar| [bar.value, bar.published]).flatten()
    }

    /// The ruler for all bars. A bar must begin somewhere below the least value.
    fn ruler(&self) -> Ruler {
        Ruler::of_bars(self.value.scale, self.values())
    }
}

impl Lines {
    /// All places on the axis of x.
    fn xs(&self) -> impl Iterator<Item = f64> + '_ {
        let points = self.lines.iter().flat_map(|line| &line.points).map(|point| point.0);
        points.chain(self.bands.iter().flat_map(|(from, to, _)| [*from, *to]))
    }

    fn rulers(&self) -> (Ruler, Ruler) {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        (
            Ruler::of_points(self.x.scale, self.xs()),
            if self.dense && self.y.scale == Scale::Linear {
                // Over time a small change must not look like a large one.
                Ruler::of_bars(self.y.scale, points().map(|point| point.1))
            } else {
                Ruler::of_points(self.y.scale, points().map(|point| point.1))
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn series_all_look_different() {
        let looks: Vec<Look> = (0..LOOKS * LOOKS).map(Look::new).collect();
        let count = |shown: &dyn Fn(&Look) -> (usize, usize)| {
            looks.iter().map(shown).collect::<HashSet<_>>().len()
        };
        // Lines and points in black and white, bars in colours.
        assert_eq!(count(&|look| (look.mark, look.stroke)), looks.len());
        assert_eq!(count(&|look| (look.colour, look.stroke)), looks.len());
    }

    #[test]
    fn seventh_line_differs_from_the_first_in_every_rendering() {
        let line = |series| Line {
            name: "x".to_owned(),
            points: vec![(1.0, 1.0), (2.0, 2.0)],
            published: false,
            series,
        };
        let drawn = |series| {
            let chart = Chart::Lines(Lines { lines: vec![line(series)], ..Lines::default() });
            let screen = |unicode| Screen { unicode, ..Screen::default() };
            [chart.svg("c"), chart.text(screen(true)), chart.text(screen(false))]
        };
        for (first, seventh) in drawn(0).iter().zip(drawn(6)) {
            assert_ne!(*first, seventh);
        }
        let bars = Bars {
            series: (0..8).map(|n| n.to_string()).collect(),
            groups: vec![Group {
                name: "g".to_owned(),
                bars: vec![Bar { value: Some(1.0), published: None }; 8],
            }],
            ..Bars::default()
        };
        let svg = Chart::Bars(bars).svg("c");
        assert!(svg.contains("id=\"cp7\"") && svg.contains("url(#cp7)"), "{svg}");
    }
}
