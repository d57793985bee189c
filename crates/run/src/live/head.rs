//! The top of the view: the name of the run, its progress, its provisional verdict, and its objectives.

use std::time::Duration;

use brunt_record::{OutcomeTone, Phase, RunOutcome, SloOutcome, Status};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Widget as _, Wrap};

use super::figures::{count, lasting, percent};
use super::model::Model;
use super::picture::Picture;
use super::theme::{bold, faint};

/// The name of the run, and the time.
pub(super) fn title(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let Picture { model, choice, now, theme } = *picture;
    let time = time(model, now);
    let room = usize::from(area.width).saturating_sub(time.len() + 2);
    let mut spans = Vec::new();
    if choice.paused {
        let paused = Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD);
        spans.push(Span::styled(" view paused, the run goes on ", paused));
        spans.push(Span::raw(" "));
    }
    spans.push(bold(model.about.title.clone()));
    if !model.about.target.is_empty() {
        spans.push(Span::raw(format!(" {} {}", theme.either('\u{2192}', '>'), model.about.target)));
    }
    let left = Rect { width: area.width.min(room as u16), ..area };
    Line::from(spans).render(left, buffer);
    Line::raw(time).right_aligned().render(area, buffer);
}

fn time(model: &Model, now: Duration) -> String {
    let elapsed = lasting(model.elapsed(now).as_secs_f64());
    let of = model.about.lasting.map(|all| format!(" of {}", lasting(all.as_secs_f64())));
    let phase = model.latest.as_ref().map(|latest| latest.phase);
    let doing = match phase {
        None | Some(Phase::Prepare) => "preparing ",
        Some(Phase::Steady) => "",
        Some(Phase::WarmUp) => "warm-up ",
        Some(Phase::Ramp) => "ramp ",
        Some(Phase::Drain) => "waiting for answers ",
    };
    format!("{doing}{elapsed}{}", of.unwrap_or_default())
}

/// How much is done, and how much is left; or only the program's message, if nothing more is known.
pub(super) fn progress(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let Picture { model, choice, now, theme } = *picture;
    let done = model.progress(now);
    let waits = model.latest.is_none() || done.is_some_and(|(done, _)| done >= 1.0);
    let message = model.message.clone().filter(|_| waits || choice.stopping);
    let stopping = "stopping: waiting for the answers in flight; ^C ends the run at once";
    let line = if choice.stopping {
        Line::styled(message.unwrap_or_else(|| stopping.to_owned()), theme.loud(Color::Yellow))
    } else if let Some(message) = message {
        Line::styled(message, theme.colour(Color::Yellow))
    } else if let Some((share, left)) = done {
        let words = format!(" {:>4}, {} left", percent_whole(share), lasting(left.ceil()));
        let room = usize::from(area.width).saturating_sub(words.len().max(22));
        Line::from(vec![
            Span::styled(theme.bar(share, room), theme.colour(Color::Green)),
            Span::raw(words),
        ])
    } else {
        Line::styled("no end of its own: s or ^C ends it", faint())
    };
    line.render(area, buffer);
}

fn percent_whole(share: f64) -> String {
    percent((share * 100.0).floor() / 100.0)
}

/// What would come of the run if it ended now, and why.
pub(super) fn verdict(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let Picture { model, theme, .. } = *picture;
    let mut spans = vec![bold("So far:     ")];
    match model.standing.as_ref().filter(|standing| standing.measured) {
        None => spans.push(Span::raw("nothing is measured yet")),
        Some(standing) => {
            let doubt = match standing.status {
                Status::Valid => OutcomeTone::Plain,
                Status::Unstable | Status::Partial => OutcomeTone::Care,
                Status::GeneratorLimited => OutcomeTone::Bad,
            };
            let look = match standing.outcome.tone().max(doubt) {
                OutcomeTone::Plain => Style::new().add_modifier(Modifier::BOLD),
                OutcomeTone::Good => theme.loud(Color::Green),
                OutcomeTone::Care => theme.loud(Color::Yellow),
                OutcomeTone::Bad => theme.loud(Color::Red),
            };
            spans.push(Span::styled(standing.outcome.words().to_lowercase(), look));
            let is_implied = matches!(
                (standing.status, standing.outcome),
                (Status::Valid, _)
                    | (Status::GeneratorLimited, RunOutcome::NotReliable)
                    | (Status::Partial, RunOutcome::Incomplete)
            );
            if !is_implied {
                spans.push(Span::raw(format!("; {}", standing.status.word())));
            }
            if let Some((offered, achieved)) = standing.rates {
                let [achieved, offered] = [achieved, offered].map(count);
                spans.push(Span::raw(format!("; {achieved} of {offered}/s achieved")));
            }
            let why = match (standing.reasons.as_slice(), standing.status) {
                ([], _) => "nothing speaks against the figures".to_owned(),
                (notes, Status::Valid) => format!("note: {}", notes.join("; ")),
                (reasons, _) => reasons.join("; "),
            };
            spans.push(Span::raw(format!(": {why}")));
        }
    }
    Paragraph::new(Line::from(spans)).wrap(Wrap { trim: true }).render(area, buffer);
}

/// The results that the objectives would have.
pub(super) fn objectives(picture: &Picture<'_>, area: Rect, buffer: &mut Buffer) {
    let Picture { model, theme, .. } = *picture;
    let mut spans = vec![bold("Objectives: ")];
    let known = model.standing.as_ref().filter(|standing| standing.measured);
    match known.map(|standing| standing.objectives.as_slice()) {
        _ if model.about.objectives == 0 => {
            spans.push(Span::styled("none (--slo 'p99<20ms' sets one)", faint()));
        }
        None | Some([]) => spans.push(Span::raw("not yet: nothing is measured")),
        Some(all) => {
            // In one line, missed objectives must be visible.
            let mut all: Vec<_> = all.iter().collect();
            all.sort_by_key(|one| match one.outcome {
                SloOutcome::Missed => 0,
                SloOutcome::Undecided => 1,
                SloOutcome::Met => 2,
            });
            for (at, one) in all.into_iter().enumerate() {
                let colour = match one.outcome {
                    SloOutcome::Met => Color::Green,
                    SloOutcome::Undecided => Color::Yellow,
                    SloOutcome::Missed => Color::Red,
                };
                spans.push(Span::raw(if at == 0 { "" } else { ", " }));
                spans.push(Span::styled(one.outcome.word(), theme.loud(colour)));
                spans.push(Span::raw(format!(" {} ({})", one.objective, one.value)));
            }
        }
    }
    Paragraph::new(Line::from(spans)).wrap(Wrap { trim: true }).render(area, buffer);
}
