//! Bars for a terminal: a line for each, drawn in eighths of a character.

use super::{Bar, Bars, LOOKS, Look, Ruler};
use crate::figure::{printable, short};
use crate::screen::Screen;
use std::fmt::Write;

/// The colours of the series, as the terminal numbers them.
const COLOURS: [&str; LOOKS] = ["36", "33", "35", "32", "34", "31"];
const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const LABEL_MAX: usize = 24;
/// The width of the figure after a bar, and of the published one after it.
const FIGURE: usize = 7;

/// Draws the bars.
pub(super) fn draw(bars: &Bars, screen: Screen) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", screen.dress("1", &printable(&bars.title)));
    let label = 3 + bars.series.iter().map(|name| width(name)).max().unwrap_or_default();
    let published = bars.published.as_deref();
    let figures = if published.is_some() { 2 * FIGURE + 2 } else { FIGURE };
    let room = screen.columns().saturating_sub(label + figures + 1).max(10);
    let ruler = bars.ruler();
    let mut axis = bars.value.described();
    if let Some(published) = published {
        let _ = write!(axis, "; {} {}", screen.either('│', '|'), printable(published));
    }
    for group in &bars.groups {
        let _ = writeln!(text, "{}", printable(&group.name));
        for (series, (name, bar)) in bars.series.iter().zip(&group.bars).enumerate() {
            let drawn = line(*bar, ruler, room, screen, series);
            let figure = bar.value.map_or_else(String::new, short);
            let mark = screen.either('│', '|');
            let beside = bar.published.map(|value| format!("{mark} {}", short(value)));
            let name = padded(name, label - 3);
            let line = format!("  {name} {drawn} {figure:>6}  {}", beside.unwrap_or_default());
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
    let _ = writeln!(text, "{:label$}{}", "", scale(ruler, room));
    let _ = writeln!(text, "{:label$}{axis}", "");
    text
}

/// The colour of a series.
pub(super) fn colour(series: usize) -> &'static str {
    COLOURS[Look::new(series).colour]
}

/// A bar and the mark of what was published, exactly `room` columns.
fn line(bar: Bar, ruler: Ruler, room: usize, screen: Screen, series: usize) -> String {
    let eighths = bar.value.and_then(|value| ruler.at(value)).map_or(0, |at| eighths(at, room));
    let mark = bar.published.and_then(|value| ruler.at(value)).map(|at| column(at, room));
    let cell = |place: usize| match eighths.saturating_sub(place * 8) {
        _ if mark == Some(place) => screen.either('│', '|'),
        8.. => screen.either('█', '#'),
        part if screen.unicode => EIGHTHS[part],
        part => [' ', '#'][usize::from(part >= 4)],
    };
    let cells: String = (0..room).map(cell).collect();
    screen.dress(colour(series), &cells)
}

/// The marks of a ruler and their values, each beginning below its mark.
fn scale(ruler: Ruler, room: usize) -> String {
    let mut text = vec![' '; room + FIGURE];
    for tick in ruler.some_ticks(room / 8) {
        let Some(at) = ruler.at(tick) else { continue };
        let from = column(at, room + 1);
        for (place, character) in (from..).zip(short(tick).chars()) {
            if let Some(cell) = text.get_mut(place) {
                *cell = character;
            }
        }
    }
    text.into_iter().collect::<String>().trim_end().to_owned()
}

/// How long a bar is, in eighths of a column. A bar that exists is always visible.
fn eighths(at: f64, room: usize) -> usize {
    ((at * room as f64 * 8.0).round() as usize).max(1)
}

/// The column in which a place lies.
pub(super) fn column(at: f64, room: usize) -> usize {
    (at * (room.max(1) - 1) as f64).round() as usize
}

pub(super) fn width(text: &str) -> usize {
    text.chars().count().min(LABEL_MAX)
}

/// A label of this width, cut where it is too long.
fn padded(text: &str, width: usize) -> String {
    let text: String = printable(text).chars().take(width).collect();
    format!("{text:<width$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Axis, Group};

    /// create 10, 100 and 1000 a second; search 10, published as 1000.
    fn decades() -> Bars {
        let group = |name: &str, value| Group {
            name: name.to_owned(),
            bars: vec![
                Bar { value: Some(value), published: None },
                Bar { value: Some(10.0), published: Some(1_000.0) },
            ],
        };
        Bars {
            title: "Rates".to_owned(),
            value: Axis::logarithmic("operations a second"),
            series: vec!["create".to_owned(), "search".to_owned()],
            groups: vec![group("a", 10.0), group("b", 100.0), group("c", 1_000.0)],
            published: Some("2012".to_owned()),
        }
    }

    fn blocks(line: &str) -> usize {
        line.chars().filter(|c| matches!(c, '█' | '#')).count()
    }

    #[test]
    fn bars_text_logarithmic_scale_is_even() {
        let ascii = Screen { unicode: false, width: 86, ..Screen::default() };
        // 86 columns without a label of 9, figures of 16 and a space: 60 for three decades.
        let text = draw(&decades(), ascii);
        let lengths: Vec<usize> =
            text.lines().filter(|line| line.contains("create")).map(blocks).collect();
        assert_eq!(lengths, [20, 40, 60], "{text}");
        assert!(text.is_ascii(), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 86), "{text}");
        let scale = text.lines().rev().nth(1).unwrap();
        let at = |mark: &str| scale.find(mark).unwrap() - 9;
        assert_eq!([at("10 "), at("100"), at("1k")], [20, 40, 60], "{text}");
        assert!(text.ends_with("operations a second, logarithmic; | 2012\n"), "{text}");
    }

    #[test]
    fn bars_text_marks_a_published_figure() {
        let text = draw(&decades(), Screen { width: 86, ..Screen::default() });
        let line = text.lines().find(|line| line.contains("search")).unwrap();
        let places: Vec<char> = line.chars().collect();
        assert_eq!((blocks(line), places[9 + 59]), (20, '│'), "{text}");
        assert!(line.ends_with("10  │ 1k"), "{line}");
    }

    #[test]
    fn bars_text_without_a_value_is_blank_in_any_colour() {
        let mut bars = decades();
        bars.groups[0].bars[0].value = None;
        let plain = draw(&bars, Screen::default());
        let line = plain.lines().nth(2).unwrap();
        assert_eq!(line, "  create", "{plain}");
        let coloured = draw(&bars, Screen { colour: true, ..Screen::default() });
        let stripped = coloured
            .replace("\x1b[0m", "")
            .replace("\x1b[1m", "")
            .replace("\x1b[36m", "")
            .replace("\x1b[33m", "");
        let trimmed = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
        assert_eq!(trimmed(&stripped), trimmed(&plain));
    }
}
