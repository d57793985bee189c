//! The operations with their figures, and how exchanges ended, by code.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget as _;

use super::digest::Code;
use super::figures::{count, percent, time};
use super::model::{Choice, Model, Row};
use super::picture::Picture;
use super::theme::{Theme, bold, faint};

/// The columns to the right of a name, and their widths.
const COLUMNS: [(&str, usize); 6] =
    [("per s", 9), ("ok", 10), ("errors", 9), ("p50", 9), ("p99", 9), ("service p99", 12)];
/// The most rows of the table of outcomes, one for each outcome.
const CODES_MAX: usize = 16;

/// A row for each operation; the chosen one is always included.
pub(super) fn table(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let Picture { model, choice, theme, .. } = *picture;
    let [heading, rows @ ..] = &*lines(area) else { return };
    let figures: usize = COLUMNS.iter().map(|(_, width)| width).sum();
    let name = usize::from(area.width).saturating_sub(figures).max(8);
    let titles = COLUMNS.iter().map(|(title, width)| bold(format!("{title:>width$}")));
    let line = std::iter::once(bold(cut("Operation", name))).chain(titles);
    line.collect::<Line<'_>>().render(*heading, buffer);
    let chosen = model.chosen(choice);
    let order = order(model, chosen, rows.len());
    let hidden = model.rows.len() - order.len();
    let last = rows.len().saturating_sub(1);
    for (at, (area, row)) in rows.iter().zip(&order).enumerate() {
        let name_of_row = model.name(row);
        // The figures of a group are in no sum, as its operations have rows of their own.
        let named = if row.is_span { format!("[{name_of_row}]") } else { name_of_row.to_owned() };
        let label =
            if at == last && hidden > 0 { format!("{named} (+{hidden} more: o)") } else { named };
        let is_chosen = chosen.is_some_and(|chosen| chosen.number == row.number);
        let mark = if is_chosen { "> " } else { "" };
        let style =
            if is_chosen { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        let figures = figures_of(row);
        let texts = COLUMNS.iter().zip(figures).map(|((_, width), text)| format!("{text:>width$}"));
        let mut spans = vec![Span::styled(cut(&format!("{mark}{label}"), name), style)];
        spans.extend(texts.enumerate().map(|(column, text)| match column {
            2 if row.counts.errors() > 0 => Span::styled(text, theme.colour(Color::Red)),
            _ => Span::raw(text),
        }));
        Line::from(spans).render(*area, buffer);
    }
}

const fn kind(row: &Row) -> &'static str {
    if row.is_span { "group " } else { "" }
}

fn figures_of(row: &Row) -> [String; COLUMNS.len()] {
    [
        count(row.rate),
        count(row.counts.ok as f64),
        count(row.counts.errors() as f64),
        time(row.times.response[0]),
        time(row.times.response[1]),
        time(row.times.service[1]),
    ]
}

/// The rows to show if there is no room for all: the busiest, in the order of the catalogue.
fn order<'a>(model: &'a Model, chosen: Option<&Row>, room: usize) -> Vec<&'a Row> {
    let mut rows: Vec<&Row> = model.rows.iter().collect();
    let chosen = chosen.map(|row| row.number);
    rows.sort_by_key(|row| {
        let ended = row.counts.completed();
        (Some(row.number) != chosen, std::cmp::Reverse(ended), row.number)
    });
    rows.truncate(room);
    rows.sort_by_key(|row| row.number);
    rows
}

/// How exchanges of the chosen operation ended, or of all operations: successes first, then by frequency.
fn codes(model: &Model, choice: &Choice) -> Vec<Code> {
    let mut all: Vec<Code> = Vec::new();
    let rows = model.rows.iter();
    let chosen = model.chosen(choice).map(|row| row.number);
    for code in rows
        .filter(|row| chosen.map_or(!row.is_span, |chosen| chosen == row.number))
        .flat_map(|row| &row.codes)
    {
        match all.iter_mut().find(|known| known.name == code.name && known.ok == code.ok) {
            Some(known) => known.count += code.count,
            None => all.push(code.clone()),
        }
    }
    all.sort_by(|a, b| {
        (!a.ok, std::cmp::Reverse(a.count)).cmp(&(!b.ok, std::cmp::Reverse(b.count)))
    });
    all
}

/// Outcomes in one line, followed by the target's last message.
pub(super) fn outcomes(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let Picture { model, choice, theme, .. } = *picture;
    let mut spans = vec![bold("Outcomes:  ")];
    let codes = codes(model, choice);
    if codes.is_empty() {
        spans.push(Span::raw("none yet"));
    }
    for code in &codes {
        spans.push(Span::styled(
            format!("{} {}  ", code.name, count(code.count as f64)),
            style(code, theme),
        ));
    }
    if let Some(failure) = &model.failure {
        spans.push(Span::styled(format!("last: {failure}"), faint()));
    }
    Line::from(spans).render(area, buffer);
}

/// Outcomes as a table, with the share of each.
pub(super) fn outcome_table(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let Picture { model, choice, theme, .. } = *picture;
    let [heading, rows @ ..] = &*lines(area) else { return };
    let of = model.chosen(choice).map(|row| format!(" of {}{}", kind(row), model.name(row)));
    let title = format!("Outcomes{}", of.unwrap_or_default());
    Line::from(bold(title)).render(*heading, buffer);
    let codes = codes(model, choice);
    let all: u64 = codes.iter().map(|code| code.count).sum();
    let name = usize::from(area.width).saturating_sub(22);
    for (area, code) in rows.iter().zip(codes.iter().take(CODES_MAX)) {
        let share = percent(code.count as f64 / all.max(1) as f64);
        let text = format!("{}{:>11} {share:>9}", cut(&code.name, name), count(code.count as f64));
        Line::styled(text, style(code, theme)).render(*area, buffer);
    }
}

/// How many rows the table of outcomes needs.
pub(super) fn outcome_rows(model: &Model, choice: &Choice) -> u16 {
    codes(model, choice).len().clamp(1, CODES_MAX) as u16 + 1
}

fn style(code: &Code, theme: Theme) -> Style {
    if code.ok { Style::new() } else { theme.loud(Color::Red) }
}

/// The lines of an area.
pub(super) fn lines(area: Rect) -> Vec<Rect> {
    area.rows().collect()
}

/// A text cut or padded to exactly this number of columns, if each of its characters takes one.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() > width.saturating_sub(1) {
        let kept: String = text.chars().take(width.saturating_sub(2)).collect();
        return format!("{kept}~ ");
    }
    format!("{text:<width$}")
}
