//! Lines for a terminal: a mark for each point, dots between those of one line.

use super::bars_text::{colour, column, width};
use super::{LOOKS, Line, Lines, Ruler};
use crate::figure::{printable, short};
use crate::screen::Screen;
use std::fmt::Write;

const HEIGHT: usize = 16;
/// The marks of the first measured series; published ones are hollow. Those of further series are letters.
const MARKS: [(char, char); LOOKS] =
    [('●', '○'), ('■', '□'), ('▲', '△'), ('◆', '◇'), ('★', '☆'), ('▼', '▽')];
/// The letters of measured series; those of published ones are small.
const LETTERS: &[u8; 26] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// One character of the plot and the series it belongs to.
type Cell = (char, Option<usize>);

/// Draws the lines.
pub(super) fn draw(lines: &Lines, screen: Screen) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", screen.dress("1", &printable(&lines.title)));
    let (x, y) = lines.rulers();
    let labels: Vec<(usize, String)> = y
        .some_ticks(HEIGHT / 2)
        .into_iter()
        .filter_map(|tick| Some((row(y.at(tick)?), short(tick))))
        .collect();
    let label = 1 + labels.iter().map(|(_, label)| width(label)).max().unwrap_or_default();
    let room = screen.columns().saturating_sub(label + 2 + 6).max(10);
    let _ = writeln!(text, "{}", lines.y.described());
    let mut plot = vec![vec![(' ', None); room]; HEIGHT];
    for line in &lines.lines {
        paint(&mut plot, line, x, y, screen);
    }
    for (number, cells) in plot.iter().enumerate() {
        let marked = labels.iter().find(|(row, _)| *row == number);
        let name = marked.map_or("", |(_, label)| label.as_str());
        let edge = match marked {
            Some(_) => screen.either('┤', '+'),
            None => screen.either('│', '|'),
        };
        let drawn = dressed(cells, screen);
        let _ = writeln!(text, "{}", format!("{name:>label$} {edge}{drawn}").trim_end());
    }
    foot(&mut text, x, label, room, screen);
    let _ = writeln!(text, "{:label$}  {}", "", lines.x.described());
    for line in &lines.lines {
        let mark = mark(line, screen).to_string();
        let _ = writeln!(
            text,
            "  {} {}",
            screen.dress(colour(line.series), &mark),
            printable(&line.name)
        );
    }
    text
}

/// The axis below the plot and its figures.
fn foot(text: &mut String, x: Ruler, label: usize, room: usize, screen: Screen) {
    let mut edge = vec![screen.either('─', '-'); room];
    let mut figures = vec![' '; room + 6];
    for tick in x.some_ticks(room / 9) {
        let Some(at) = x.at(tick) else { continue };
        let place = column(at, room);
        edge[place] = screen.either('┬', '+');
        for (place, character) in (place..).zip(short(tick).chars()) {
            if let Some(cell) = figures.get_mut(place) {
                *cell = character;
            }
        }
    }
    let corner = screen.either('└', '+');
    let _ = writeln!(text, "{:label$} {corner}{}", "", edge.into_iter().collect::<String>());
    let figures: String = figures.into_iter().collect();
    let _ = writeln!(text, "{:label$}  {}", "", figures.trim_end());
}

/// Puts dots between the points of a line, in empty cells only, and then its marks over them.
fn paint(plot: &mut [Vec<Cell>], line: &Line, x: Ruler, y: Ruler, screen: Screen) {
    let room = plot[0].len();
    let mut places: Vec<(usize, usize)> = line
        .points
        .iter()
        .filter_map(|(px, py)| Some((column(x.at(*px)?, room), row(y.at(*py)?))))
        .collect();
    places.sort_unstable();
    let dot = (screen.either('·', '.'), Some(line.series));
    for pair in places.windows(2) {
        let [(from, a), (to, b)] = [pair[0], pair[1]];
        let between = (from + 1..to).map(|place| {
            let share = (place - from) as f64 / (to - from) as f64;
            (place, (a as f64 + share * (b as f64 - a as f64)).round() as usize)
        });
        for (place, at) in between {
            let cell = &mut plot[at][place];
            if cell.0 == ' ' {
                *cell = dot;
            }
        }
    }
    for (place, at) in places {
        plot[at][place] = (mark(line, screen), Some(line.series));
    }
}

fn mark(line: &Line, screen: Screen) -> char {
    let letter = char::from(LETTERS[line.series % LETTERS.len()]);
    let letters = (letter, letter.to_ascii_lowercase());
    let marks = MARKS.get(line.series).copied().unwrap_or(letters);
    let (measured, published) = screen.either(marks, letters);
    if line.published { published } else { measured }
}

/// A line of the plot, in colours where they change.
fn dressed(cells: &[Cell], screen: Screen) -> String {
    let mut text = String::new();
    for run in cells.chunk_by(|a, b| a.1 == b.1) {
        let characters: String = run.iter().map(|(character, _)| character).collect();
        match run[0].1 {
            Some(series) => text += &screen.dress(colour(series), &characters),
            None => text += &characters,
        }
    }
    text
}

/// The row in which a place lies, from the top.
fn row(at: f64) -> usize {
    HEIGHT - 1 - column(at, HEIGHT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Axis;

    fn doubled() -> Lines {
        let line = |name: &str, points: &[(f64, f64)], series, published| Line {
            name: name.to_owned(),
            points: points.to_vec(),
            published,
            series,
        };
        Lines {
            title: "Insertion".to_owned(),
            x: Axis::logarithmic("users"),
            y: Axis::logarithmic("seconds"),
            lines: vec![
                line("ours", &[(1_000.0, 10.0), (100.0, 1.0)], 0, false),
                line("theirs", &[(100.0, 10.0), (1_000.0, 0.0)], 0, true),
            ],
            ..Lines::default()
        }
    }

    #[test]
    fn lines_text_marks_match_their_values() {
        let screen = Screen { unicode: false, width: 60, ..Screen::default() };
        let text = draw(&doubled(), screen);
        let lines: Vec<&str> = text.lines().collect();
        // Title and axis above; one decade each way, so the ends are the corners of the plot.
        let (top, bottom) = (lines[2], lines[2 + HEIGHT - 1]);
        let edge = top.find('+').unwrap();
        assert_eq!(top.trim_start().split('+').next(), Some("10 "), "{text}");
        assert_eq!(top.as_bytes()[edge + 1], b'a', "{text}");
        assert_eq!((top.rfind('A'), bottom.find('A')), (Some(edge + 49), Some(edge + 1)), "{text}");
        assert_eq!(text.matches('A').count(), 3, "two points and the legend: {text}");
        assert!(text.contains("A ours\n  a theirs\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 60) && text.is_ascii(), "{text}");
    }

    #[test]
    fn lines_text_draws_empty_lines_and_plots() {
        let mut lines = doubled();
        lines.lines.iter_mut().for_each(|line| line.points.clear());
        assert_eq!(draw(&lines, Screen::default()).lines().count(), 2 + HEIGHT + 3 + 2);
        assert!(draw(&Lines::default(), Screen { width: 0, ..Screen::default() }).contains('└'));
    }
}
