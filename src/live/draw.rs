//! [`draw`]: the whole view, of a model and what somebody chose to look at. It changes neither.

use std::time::Duration;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph, Widget as _, Wrap};

use super::model::{Choice, Model};
use super::theme::{Theme, bold, faint};
use super::{curves, generator, head, operations};

/// From this size on, figures stand beside the charts.
const WIDE: (u16, u16) = (120, 30);
/// Below this there is no room for charts.
const SMALL: (u16, u16) = (40, 10);

const HELP: &str = "\
p  hold the picture; the run goes on
w  show a longer time, then the shortest again
o  show the next operation, then all; so do the arrows
s  end the run: wait for what is in flight (as ^C; q does the same)
?  show or hide this page

Offered is what fell due, achieved what was answered, goodput what
succeeded. Response counts from the moment an exchange was due,
service from when it was sent. Times are on a logarithmic axis; what
is shaded between response and service p99 is waiting. Where a column
holds several intervals it shows their worst percentile and their mean
rate. Counts are since the measured phase began. 'So far' is what the
verdict would be if the run ended now. Late p99 is the generator's
own delay, own drops what this machine lost.

^C ends the run, twice at once. ^Z stops it, and fg goes on.";

/// What is shown, and when.
pub(super) struct Picture<'a> {
    pub(super) model: &'a Model,
    pub(super) choice: &'a Choice,
    /// By the clock of the view.
    pub(super) now: Duration,
    pub(super) theme: Theme,
}

/// Draws the view.
pub(super) fn draw(picture: &Picture<'_>, frame: &mut Frame<'_>) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
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

/// Everything below each other.
fn narrow(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let Picture { model, choice, now, theme } = *picture;
    let rows = (model.rows.len().max(1) as u16).min(3 + area.height.saturating_sub(24) / 3);
    let fixed = [1, 1, if area.height > 26 { 2 } else { 1 }, 1].map(Constraint::Length);
    let below = [rows + 1, 1, 2, 1].map(Constraint::Length);
    let charts = [Constraint::Fill(5), Constraint::Fill(6)];
    let all = [&fixed[..], &charts, &below].concat();
    let areas = Layout::vertical(all).split(area);
    head::title((model, choice, now), areas[0], buffer, theme);
    head::progress((model, choice, now), areas[1], buffer, theme);
    head::verdict(model, areas[2], buffer, theme);
    head::objectives(model, areas[3], buffer, theme);
    curves::throughput(model, choice, areas[4], buffer, theme);
    curves::latency(model, choice, areas[5], buffer, theme);
    operations::table(model, choice, areas[6], buffer, theme);
    operations::outcomes(model, choice, areas[7], buffer, theme);
    generator::lines_of(model, areas[8], buffer, theme);
    keys(picture, areas[9], buffer);
}

/// Charts at the left, figures at the right.
fn wide(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let Picture { model, choice, now, theme } = *picture;
    let areas = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(2),
        Constraint::Length(2),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(1),
    ]);
    let [title, progress, verdict, objectives, _, body, foot] = areas.areas(area);
    head::title((model, choice, now), title, buffer, theme);
    head::progress((model, choice, now), progress, buffer, theme);
    head::verdict(model, verdict, buffer, theme);
    head::objectives(model, objectives, buffer, theme);
    let columns = [Constraint::Fill(3), Constraint::Length(2), Constraint::Fill(2)];
    let [left, _, right] = Layout::horizontal(columns).areas(body);
    let [upper, _, lower] =
        Layout::vertical([Constraint::Fill(4), Constraint::Length(1), Constraint::Fill(5)])
            .areas(left);
    curves::throughput(model, choice, upper, buffer, theme);
    curves::latency(model, choice, lower, buffer, theme);
    let table = (model.rows.len().max(1) as u16).min(body.height / 3) + 1;
    let [table, _, outcomes, _, generator, _, said] = Layout::vertical([
        Constraint::Length(table),
        Constraint::Length(1),
        Constraint::Length(operations::outcome_rows(model, choice)),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(1),
        Constraint::Length(5),
    ])
    .areas(right);
    operations::table(model, choice, table, buffer, theme);
    operations::outcome_table(model, choice, outcomes, buffer, theme);
    generator::table(model, generator, buffer, theme);
    messages(picture, said, buffer);
    keys(picture, foot, buffer);
}

/// A few lines where there is no room for more.
fn small(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let Picture { model, choice, now, theme } = *picture;
    for (number, area) in area.rows().enumerate() {
        match number {
            0 => head::title((model, choice, now), area, buffer, theme),
            1 => head::progress((model, choice, now), area, buffer, theme),
            2 => head::verdict(model, area, buffer, theme),
            3 => curves::throughput(model, choice, area, buffer, theme),
            4 => curves::latency(model, choice, area, buffer, theme),
            5 => generator::lines_of(model, area, buffer, theme),
            6 => operations::outcomes(model, choice, area, buffer, theme),
            _ => {}
        }
    }
}

/// What the program and the target said last.
fn messages(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let model = picture.model;
    let mut lines = Vec::new();
    if let Some(failure) = &model.failure {
        lines.push(Line::from(vec![bold("Last failure: "), failure.clone().into()]));
    }
    if let Some(said) = &model.said {
        lines.push(Line::from(vec![bold("Note: "), said.clone().into()]));
    }
    Paragraph::new(lines).wrap(Wrap { trim: true }).render(area, buffer);
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
