//! The state of the generator: whether the figures describe the target, or the limits of this machine.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Widget as _, Wrap};

use super::digest::Generator;
use super::figures::{count, percent, time};
use super::model::Model;
use super::operations::lines;
use super::picture::Picture;
use super::theme::bold;

/// From this share of a core on, a worker has no reserve.
const BUSY: f64 = 0.9;
/// How many workers have a bar of their own.
const BARS_MAX: usize = 16;
/// The length of a bar.
const BAR: usize = 20;

/// A figure, and whether it needs the reader's attention.
type Figure = (&'static str, String, bool);

/// Draws the figures in a few lines, the most important first.
pub(super) fn lines_of(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let Picture { model, theme, .. } = *picture;
    let mut spans = vec![bold("Generator: ")];
    let Some(latest) = &model.latest else {
        spans.push(Span::raw("-"));
        return Line::from(spans).render(area, buffer);
    };
    let mut figures = figures(model, &latest.generator);
    // If there is no room for all of them, those that need attention must be visible.
    figures.sort_by_key(|(_, _, alarming)| !alarming);
    for (at, (name, value, alarming)) in figures.into_iter().enumerate() {
        let gap = if at == 0 { "" } else { ", " };
        let style = if alarming { theme.loud(Color::Red) } else { Style::default() };
        spans.push(Span::raw(gap));
        // A non-breaking space keeps a figure with its name.
        spans.push(Span::styled(format!("{name} {value}").replace(' ', "\u{a0}"), style));
    }
    Paragraph::new(Line::from(spans)).wrap(Wrap { trim: true }).render(area, buffer);
    let rows = area.intersection(buffer.area);
    for position in rows.positions() {
        // Text that is copied from the screen must contain plain spaces.
        if buffer[position].symbol() == "\u{a0}" {
            buffer[position].set_char(' ');
        }
    }
}

/// A line for each figure, and a bar for each worker.
pub(super) fn table(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let Picture { model, theme, .. } = *picture;
    let [heading, rows @ ..] = &*lines(area) else { return };
    Line::from(bold("Generator")).render(*heading, buffer);
    let Some(latest) = &model.latest else { return };
    let figures = figures(model, &latest.generator).into_iter().map(|(name, value, alarming)| {
        let style = if alarming { theme.loud(Color::Red) } else { Style::default() };
        Line::styled(format!("{name:<18}{value}"), style)
    });
    let workers = latest.generator.workers.iter().take(BARS_MAX).enumerate();
    let bars = workers.map(|(number, share)| {
        let colour = if *share >= BUSY { Color::Red } else { Color::Green };
        Line::from(vec![
            Span::raw(format!("{:<18}", format!("worker {number}"))),
            Span::styled(theme.bar(*share, BAR), theme.colour(colour)),
            Span::raw(format!(" {}", percent(*share))),
        ])
    });
    for (area, line) in rows.iter().zip(figures.chain(bars)) {
        line.render(*area, buffer);
    }
}

fn figures(model: &Model, generator: &Generator) -> Vec<Figure> {
    let busiest = generator.workers.iter().copied().reduce(f64::max);
    let workers = generator.workers.len();
    let busy = busiest.map_or_else(
        || "-".to_owned(),
        |share| {
            if workers > 1 {
                format!("{} ({workers} workers)", percent(share))
            } else {
                percent(share)
            }
        },
    );
    let drops = model.socket_drops + model.lacked;
    let dropped = model.counts.dropped;
    let mut figures = vec![
        ("busiest core", busy, busiest.is_some_and(|share| share >= BUSY)),
        ("late p99", time(generator.lateness), false),
        ("backlog", count(generator.backlog as f64), false),
        ("in flight", count(generator.in_flight as f64), false),
        ("own drops", count(drops as f64), drops > 0),
    ];
    if dropped > 0 {
        figures.push(("never sent", count(dropped as f64), true));
    }
    if let Some((needed, available)) = model.about.ports {
        let value = format!("{} of {}", count(needed as f64), count(available as f64));
        figures.push(("ports", value, needed > available));
    }
    if let Some(waited) = generator.waited.filter(|share| *share >= 0.01) {
        figures.push(("no core for", percent(waited), waited >= 0.1));
    }
    if let Some((others, cores)) = generator.others {
        figures.push(("other processes", format!("{others:.1} of {cores} cores"), false));
    }
    if !model.stalled.is_zero() {
        figures.push(("paused", time(Some(model.stalled.as_secs_f64())), true));
    }
    figures
}
