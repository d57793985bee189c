//! The common parts of all charts as SVG: the frame, the colours, the legend.
//!
//! A chart is one element that needs no script, no font and no other file, and describes in words what it shows. Series
//! differ by pattern, dash or mark as well as by colour, because one reader in twelve distinguishes few colours and a
//! printer none. Colours are those of Okabe and Ito, outlined in the colour of the text, so that they are visible on
//! light and on dark backgrounds.

use super::{LOOKS, Look};
use crate::escaped::escaped;
use std::fmt::Write;

/// The width of the drawing. A page scales it.
pub(super) const WIDTH: f64 = 800.0;
/// The approximate width of a character of a label: labels are placed and not measured.
const CHARACTER: f64 = 6.4;
const LEGEND_LINE: f64 = 20.0;

/// The style in every drawing.
pub(crate) const STYLE: &str = include_str!("chart.css");

/// The strokes that distinguish fills, on a tile of 8 by 8.
const HATCHES: [&str; LOOKS] = [
    "",
    "M-2 2l4 -4M0 8l8 -8M6 10l4 -4",
    "M4 0v8",
    "M-2 6l4 4M0 0l8 8M6 -2l4 4",
    "M0 4h8",
    "M0 4h8M4 0v8",
];

/// How lines are dashed.
const DASHES: [&str; LOOKS] = ["none", "7 3", "2 3", "9 3 2 3", "12 4", "4 2 1 2 1 2"];

/// An entry of a legend.
pub(super) struct Entry<'a> {
    /// Its text.
    pub(super) name: &'a str,
    /// The picture beside it, at 0, 0 and 22 wide.
    pub(super) picture: String,
}

/// The frame of a drawing of this height: title, description, patterns of this many series, legend, and within it all
/// that `draw` adds below the legend.
pub(super) fn framed(
    id: &str,
    patterns: usize,
    [title, description]: [&str; 2],
    legend: &[Entry<'_>],
    height: f64,
    draw: impl FnOnce(&mut String),
) -> String {
    let places = flow(legend);
    let top = 34.0 + LEGEND_LINE * places.last().map_or(0.0, |(_, line)| line + 1.0);
    let height = top + height;
    let mut text = String::new();
    let _ = write!(
        text,
        "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" \
         width=\"{WIDTH}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{}\" aria-describedby=\"{id}d\">\n\
         <title>{}</title>\n<desc id=\"{id}d\">{}</desc>\n<style>{STYLE}</style>\n<defs>\n",
        escaped(title),
        escaped(title),
        escaped(description)
    );
    for series in 0..patterns {
        let Look { colour, stroke, .. } = Look::new(series);
        let hatch = HATCHES[stroke];
        let _ = writeln!(
            text,
            "<pattern id=\"{id}p{series}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
             <rect class=\"fill{colour}\" width=\"8\" height=\"8\"/><path class=\"hatch\" d=\"{hatch}\"/></pattern>"
        );
    }
    let _ = write!(
        text,
        "</defs>\n<rect class=\"paper\" width=\"{WIDTH}\" height=\"{height:.0}\"/>\n\
         <text class=\"title\" x=\"0\" y=\"16\">{}</text>\n",
        escaped(title)
    );
    for (entry, (x, line)) in legend.iter().zip(&places) {
        let y = 28.0 + LEGEND_LINE * line;
        let _ = writeln!(
            text,
            "<g transform=\"translate({x:.1} {y:.1})\">{}<text x=\"28\" y=\"11\">{}</text></g>",
            entry.picture,
            escaped(entry.name)
        );
    }
    let _ = writeln!(text, "<g transform=\"translate(0 {top:.1})\">");
    draw(&mut text);
    text.push_str("</g>\n</svg>\n");
    text
}

/// Where the entries of a legend lie: x and the number of the line.
fn flow(legend: &[Entry<'_>]) -> Vec<(f64, f64)> {
    let (mut x, mut line) = (0.0, 0.0);
    let place = |entry: &Entry<'_>| {
        let length = 28.0 + length(entry.name) + 18.0;
        if x > 0.0 && x + length > WIDTH {
            (x, line) = (0.0, line + 1.0);
        }
        let place = (x, line);
        x += length;
        place
    };
    legend.iter().map(place).collect()
}

/// The approximate length of a label.
pub(super) fn length(text: &str) -> f64 {
    text.chars().count() as f64 * CHARACTER
}

/// How a bar or a swatch of a series is filled.
pub(super) fn fill(id: &str, series: usize) -> String {
    format!("url(#{id}p{series})")
}

/// How the line of a series is dashed.
pub(super) fn dashes(series: usize) -> &'static str {
    DASHES[Look::new(series).stroke]
}

/// The mark of a series around 0, 0.
pub(super) fn mark(series: usize) -> &'static str {
    [
        "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
        "M-3.6 -3.6h7.2v7.2h-7.2z",
        "M0 -4.8l4.6 8.2h-9.2z",
        "M0 -5l5 5l-5 5l-5 -5z",
        "M-1.6 -4.6h3.2v3h3v3.2h-3v3h-3.2v-3h-3v-3.2h3z",
        "M0 4.8l4.6 -8.2h-9.2z",
    ][Look::new(series).mark]
}
