//! [`draw`]: draws the whole view from a model and the user's choices. It changes neither.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph, Widget as _, Wrap};

use super::model::Model;
use super::parts::Part::{Fixed, Share};
use super::picture::Picture;
use super::theme::{bold, faint};
use super::{curves, generator, head, operations, parts};

/// From this size on, figures are shown beside the charts.
const WIDE: (u16, u16) = (120, 30);
/// How many rows at the top show the time. The rows below them change only with the model or the choice.
pub(super) const CLOCK_ROWS: u16 = 2;
/// Below this size there is no room for charts.
const SMALL: (u16, u16) = (40, 10);

const HELP: &str = "\
p  hold the picture; the run goes on
w  show a longer time, then the shortest again
o  show the next operation, then all; so do the arrows
s  end the run: wait for what is in flight (as ^C; q does the same)
?  show or hide this page

Offered is what fell due in the last interval, answered what had an
answer in it, goodput what succeeded; achieved is of all the time so
far, from when it is known how long an answer takes. Response counts from the moment an exchange was due,
service from when it was sent. Times are on a logarithmic axis; what
is shaded between response and service p99 is waiting. Where a column
holds several intervals it shows their worst percentile and their mean
rate. Counts are since the measured phase began. 'So far' is what the
verdict would be if the run ended now. Late p99 is the generator's
own delay, own drops what this machine lost. [NAME] is a group of
steps, whose operations have rows too.

^C ends the run, twice at once. ^Z stops it, and fg goes on.";

/// Draws the view, on an empty buffer.
pub(super) fn draw(picture: &Picture<'_>, buffer: &mut Buffer) {
    let area = buffer.area;
    if area.width < SMALL.0 || area.height < SMALL.1 {
        small(picture, area, buffer);
    } else if area.width >= WIDE.0 && area.height >= WIDE.1 {
        wide(picture, area, buffer);
    } else {
        narrow(picture, area, buffer);
    }
    if picture.choice.help {
        help(area, buffer);
    }
}

/// Draws the rows at the top that show the time; there are [`CLOCK_ROWS`] of them on a screen of any size.
pub(super) fn clock(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let [title, progress] = parts::rows(area, [Fixed(1), Fixed(1)]);
    head::title(picture, title, buffer);
    head::progress(picture, progress, buffer);
}

/// All parts, one below the other.
fn narrow(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let model = picture.model;
    let rows = (model.rows.len().max(1) as u16).min(3 + area.height.saturating_sub(24) / 3);
    let verdict = if area.height > 26 { 2 } else { 1 };
    let areas = parts::rows(
        area,
        [
            Fixed(CLOCK_ROWS),
            Fixed(verdict),
            Fixed(1),
            Share(5),
            Share(6),
            Fixed(rows + 1),
            Fixed(1),
            Fixed(2),
            Fixed(page_rows(model)),
            Fixed(1),
        ],
    );
    clock(picture, areas[0], buffer);
    head::verdict(picture, areas[1], buffer);
    head::objectives(picture, areas[2], buffer);
    curves::throughput(picture, areas[3], buffer);
    curves::latency(picture, areas[4], buffer);
    operations::table(picture, areas[5], buffer);
    operations::outcomes(picture, areas[6], buffer);
    generator::lines_of(picture, areas[7], buffer);
    page(model, areas[8], buffer);
    keys(picture, areas[9], buffer);
}

/// Charts on the left, figures on the right.
fn wide(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let Picture { model, choice, .. } = *picture;
    let heights = [
        Fixed(CLOCK_ROWS),
        Fixed(2),
        Fixed(2),
        Fixed(1),
        Share(1),
        Fixed(page_rows(model)),
        Fixed(1),
    ];
    let [top, verdict, objectives, _, body, shown, foot] = parts::rows(area, heights);
    clock(picture, top, buffer);
    head::verdict(picture, verdict, buffer);
    head::objectives(picture, objectives, buffer);
    let [left, _, right] = parts::columns(body, [Share(3), Fixed(2), Share(2)]);
    let [upper, _, lower] = parts::rows(left, [Share(4), Fixed(1), Share(5)]);
    curves::throughput(picture, upper, buffer);
    curves::latency(picture, lower, buffer);
    let table = (model.rows.len().max(1) as u16).min(body.height / 3) + 1;
    let outcomes = operations::outcome_rows(model, choice);
    let heights = [Fixed(table), Fixed(1), Fixed(outcomes), Fixed(1), Share(1), Fixed(1), Fixed(5)];
    let [table, _, outcomes, _, generator, _, message] = parts::rows(right, heights);
    operations::table(picture, table, buffer);
    operations::outcome_table(picture, outcomes, buffer);
    generator::table(picture, generator, buffer);
    messages(picture, message, buffer);
    page(model, shown, buffer);
    keys(picture, foot, buffer);
}

/// A few lines, if there is no room for more.
fn small(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    clock(picture, area, buffer);
    for (number, area) in area.rows().enumerate() {
        match number {
            2 => head::verdict(picture, area, buffer),
            3 => curves::throughput(picture, area, buffer),
            4 => curves::latency(picture, area, buffer),
            5 => generator::lines_of(picture, area, buffer),
            6 => operations::outcomes(picture, area, buffer),
            _ => {}
        }
    }
}

/// The last messages of the program and the target.
fn messages(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let model = picture.model;
    let mut lines = Vec::new();
    if let Some(failure) = &model.failure {
        lines.push(Line::from(vec![bold("Last failure: "), failure.clone().into()]));
    }
    if let Some(message) = &model.message {
        lines.push(Line::from(vec![bold("Note: "), message.clone().into()]));
    }
    Paragraph::new(lines).wrap(Wrap { trim: true }).render(area, buffer);
}

/// How many rows the address of the run's page needs.
fn page_rows(model: &Model) -> u16 {
    u16::from(model.about.page.is_some())
}

fn page(model: &Model, area: Rect, buffer: &mut Buffer) {
    if let Some(page) = &model.about.page {
        Line::raw(format!("web: {page}")).render(area, buffer);
    }
}

fn keys(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let Picture { model, choice, .. } = *picture;
    let (_, _, window) = model.window(choice);
    let operation = model.chosen(choice).map_or("all", |row| model.name(row));
    let operation = operations::cut(operation, 22);
    let pause = if choice.paused { "p go on" } else { "p pause view" };
    let text =
        format!("{pause} | w {window} | o operation: {} | s stop | ? help", operation.trim_end());
    Line::styled(text, faint()).render(area, buffer);
}

fn help(area: Rect, buffer: &mut Buffer) {
    let (width, height) = (74.min(area.width), (HELP.lines().count() as u16 + 2).min(area.height));
    let (x, y) = (area.x + (area.width - width) / 2, area.y + (area.height - height) / 2);
    let area = Rect { x, y, width, height };
    Clear.render(area, buffer);
    let block = Block::bordered().title(" Keys and figures ");
    let block = block.border_set(ratatui::symbols::border::Set {
        top_left: "+",
        top_right: "+",
        bottom_left: "+",
        bottom_right: "+",
        vertical_left: "|",
        vertical_right: "|",
        horizontal_top: "-",
        horizontal_bottom: "-",
    });
    Paragraph::new(HELP).block(block).render(area, buffer);
}
