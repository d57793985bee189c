//! Lines as SVG: marks at measured points, joined by straight lines that are only a guide for the
//! eye.

use super::svg::{Entry, WIDTH, dashes, framed, length, mark};
use super::{Line, Lines, Look, Ruler};
use crate::escaped::escaped;
use crate::figure::{exact, short};
use std::fmt::Write;

const HEIGHT: f64 = 320.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 24.0;
const FOOT: f64 = 48.0;

/// The positions of the parts.
struct Frame {
    x: Ruler,
    y: Ruler,
    left: f64,
    room: f64,
}

impl Frame {
    fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        Some((self.left + self.x.at(x)? * self.room, TOP + (1.0 - self.y.at(y)?) * HEIGHT))
    }
}

/// Draws the lines.
pub(super) fn draw(lines: &Lines, id: &str) -> String {
    let (x, y) = lines.rulers();
    let widest = y.ticks().iter().map(|tick| length(&short(*tick))).fold(0.0, f64::max);
    let left = widest + 14.0;
    let frame = Frame { x, y, left, room: WIDTH - left - RIGHT };
    let description = description(lines);
    let legend: Vec<Entry<'_>> = lines.lines.iter().map(|line| entry(line, lines.dense)).collect();
    framed(id, 0, [&lines.title, &description], &legend, TOP + HEIGHT + FOOT, |text| {
        bands(text, lines, &frame);
        axes(text, lines, &frame);
        for line in &lines.lines {
            path(text, line, &frame, lines.dense);
        }
    })
}

fn entry(line: &Line, dense: bool) -> Entry<'_> {
    let mut picture = String::new();
    let _ = write!(picture, "<path class=\"{}\" {} d=\"M0 7h22\"/>", stroke(line), dashed(line));
    if !dense {
        marked(&mut picture, line, (11.0, 7.0), None);
    }
    Entry { name: &line.name, picture }
}

fn axes(text: &mut String, lines: &Lines, frame: &Frame) {
    let Frame { x, y, left, room } = frame;
    let bottom = TOP + HEIGHT;
    for tick in y.some_ticks(10) {
        let Some(at) = y.at(tick) else { continue };
        let place = TOP + (1.0 - at) * HEIGHT;
        let _ = writeln!(
            text,
            "<path class=\"grid\" d=\"M{left:.1} {place:.2}h{room:.1}\"/>\
             <text class=\"faint end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            left - 6.0,
            place + 4.0,
            short(tick)
        );
    }
    for tick in x.some_ticks(12) {
        let Some(at) = x.at(tick) else { continue };
        let place = left + at * room;
        let _ = writeln!(
            text,
            "<path class=\"grid\" d=\"M{place:.2} {TOP}V{:.1}\"/>\
             <text class=\"faint middle\" x=\"{place:.2}\" y=\"{:.1}\">{}</text>",
            bottom + 4.0,
            bottom + 18.0,
            short(tick)
        );
    }
    let _ = writeln!(
        text,
        "<path class=\"axis\" d=\"M{left:.1} {TOP}V{bottom:.1}h{room:.1}\"/>\
         <text class=\"faint\" x=\"0\" y=\"10\">{}</text>\
         <text class=\"faint middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        escaped(&lines.y.described()),
        left + room / 2.0,
        bottom + 37.0,
        escaped(&lines.x.described())
    );
}

/// Shades stretches of x.
fn bands(text: &mut String, lines: &Lines, frame: &Frame) {
    for (from, to, name) in &lines.bands {
        let place = |x: f64| Some(frame.left + frame.x.at(x)? * frame.room);
        let (Some(from), Some(to)) = (place(*from), place(*to)) else { continue };
        let _ = writeln!(
            text,
            "<rect class=\"band\" x=\"{from:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{HEIGHT}\"/>",
            to - from
        );
        if to - from > length(name) + 8.0 {
            let (x, y) = (from + 4.0, TOP + 14.0);
            let name = escaped(name);
            let _ = writeln!(text, "<text class=\"faint\" x=\"{x:.1}\" y=\"{y:.1}\">{name}</text>");
        }
    }
}

fn path(text: &mut String, line: &Line, frame: &Frame, dense: bool) {
    let mut points: Vec<(f64, f64)> = line.points.clone();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let places: Vec<_> =
        points.iter().filter_map(|point| Some((*point, frame.place(*point)?))).collect();
    let steps = places.iter().enumerate().map(|(number, (_, (x, y)))| {
        let step = if number == 0 { 'M' } else { 'L' };
        if dense { format!("{step}{x:.1} {y:.1}") } else { format!("{step}{x:.2} {y:.2}") }
    });
    let steps: String = steps.collect();
    let _ = writeln!(text, "<path class=\"{}\" {} d=\"{steps}\"/>", stroke(line), dashed(line));
    for ((x, y), place) in places.into_iter().filter(|_| !dense) {
        let about = format!("{}: {} at {}", line.name, exact(y), exact(x));
        marked(text, line, place, Some(&about));
    }
    text.push('\n');
}

fn stroke(line: &Line) -> String {
    let thin = if line.published { " thin" } else { "" };
    format!("line line{}{thin}", Look::new(line.series).colour)
}

fn dashed(line: &Line) -> String {
    format!("stroke-dasharray=\"{}\"", dashes(line.series))
}

fn marked(text: &mut String, line: &Line, (x, y): (f64, f64), about: Option<&str>) {
    let colour = Look::new(line.series).colour;
    let class = if line.published { "hollow".to_owned() } else { format!("mark fill{colour}") };
    let title =
        about.map_or_else(String::new, |about| format!("<title>{}</title>", escaped(about)));
    let _ = write!(
        text,
        "<path class=\"{class}\" transform=\"translate({x:.2} {y:.2})\" d=\"{}\">{title}</path>",
        mark(line.series)
    );
}

/// The figures in words, for readers who cannot see the lines.
fn description(lines: &Lines) -> String {
    let mut text = format!("{} over {}.", lines.y.described(), lines.x.described());
    for line in lines.lines.iter().filter(|_| !lines.dense) {
        let points = line.points.iter().map(|(x, y)| format!("{} at {}", exact(*y), exact(*x)));
        let _ = write!(text, " {}: {}.", line.name, points.collect::<Vec<_>>().join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Axis;

    #[test]
    fn lines_svg_points_match_their_values() {
        let lines = Lines {
            title: "Insertion".to_owned(),
            x: Axis::logarithmic("users"),
            y: Axis::linear("seconds"),
            lines: vec![
                Line {
                    name: "a<b".to_owned(),
                    points: vec![(10_000.0, 10.0), (100.0, 0.0), (1_000.0, 5.0)],
                    ..Line::default()
                },
                Line {
                    name: "theirs".to_owned(),
                    points: vec![(1_000.0, 10.0)],
                    published: true,
                    series: 0,
                },
            ],
            ..Lines::default()
        };
        let svg = draw(&lines, "c2");
        // Ticks 0, 2, … 10: two characters wide at most.
        let left = 2.0 * 6.4 + 14.0;
        let room = 800.0 - left - 24.0;
        let middle = left + room / 2.0;
        let expected = format!(
            "d=\"M{left:.2} {:.2}L{middle:.2} {:.2}L{:.2} {:.2}\"",
            24.0 + 320.0,
            24.0 + 160.0,
            left + room,
            24.0
        );
        assert!(svg.contains(&expected), "{expected} in {svg}");
        let hollow = format!("class=\"hollow\" transform=\"translate({middle:.2} 24.00)\"");
        assert!(svg.contains(&hollow), "{hollow} in {svg}");
        assert!(svg.contains("a&lt;b: 5.0000 at 1000.00") && !svg.contains("a<b"), "{svg}");
        assert!(svg.contains("seconds over users, logarithmic."), "{svg}");
    }
}
