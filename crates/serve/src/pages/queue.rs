//! What runs and what waits: its progress, its end, for whom, and in which order.

use maud::{Markup, html};

use super::bar::{called, clock, left};
use super::{hidden, moment_of, moments, page as whole};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::problem::Problem;
use crate::queue::{Expected, expected};

/// `GET /queue`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let runs = expected(call.app.queue()?.list());
    let body = html! {
        h1.large { "Queue" }
        p.note {
            "This machine executes one run at a time, because two would disturb each other. " (moments::zone())
        }
        (panel(call, &runs)?)
        @if runs.is_empty() { div.empty { p { "Nothing runs, and nothing waits." } } }
        @else { (waiting(call, &runs)?) }
    };
    Ok(Answer::page(whole(call, "Queue", &body)))
}

/// The run that is active, with its progress, and what is next.
pub(super) fn panel(call: &Call, runs: &[Expected]) -> Result<Markup, Problem> {
    let Some(first) = runs.first() else { return Ok(html! {}) };
    let (status, now) = (&first.status, call.app.now());
    let reached = status.reached_s;
    let runner = call.who()?.user.role >= Role::Runner;
    Ok(html! {
        section.running aria-label="Running now" {
            div {
                p {
                    a.big href={ "/live/" (status.id) } { (called(first)) }
                    span.soft {
                        @if let Some(target) = &status.target { " at " (target) }
                        ", " (status.state.word())
                        @if !status.reason.is_empty() { ", " (status.reason) }
                        @if !status.by.is_empty() { ", by " (status.by) }
                    }
                }
                @if let Some(planned) = status.planned_s.filter(|_| status.state.is_active()) {
                    progress max=(format!("{planned:.0}")) value=(format!("{:.0}", reached.min(planned)))
                        aria-label={ (clock(reached)) " of " (clock(planned)) } {}
                }
                p.small.soft {
                    @if status.state.is_active() {
                        (clock(reached)) " measured" (left(first))
                        @if let Some(ends) = first.ends_s { ", ends about " (moment_of(now + ends as i64)) }
                        ". "
                    }
                    (next(runs, now))
                }
            }
            div.acts {
                a.b href={ "/live/" (status.id) } { "Watch" }
                @if runner {
                    form method="post" action={ "/live/" (status.id) "/stop" } {
                        (hidden(call.who()?))
                        button name="act" value="stop" { "Stop, and report" }
                    }
                }
            }
        }
    })
}

/// The next run.
fn next(runs: &[Expected], now: i64) -> Markup {
    html! {
        @match runs.get(1) {
            Some(run) => {
                "Next: " a href={ "/live/" (run.status.id) } { (called(run)) }
                @if !run.status.by.is_empty() { " (" (run.status.by) ")" }
                @if let Some(begins) = run.begins_s { ", about " (moment_of(now + begins as i64)) }
                "."
                @if runs.len() > 2 { " " a href="/queue" { "And " (runs.len() - 2) " more" } }
            }
            None => "Nothing waits.",
        }
    }
}

fn waiting(call: &Call, runs: &[Expected]) -> Result<Markup, Problem> {
    let (now, runner) = (call.app.now(), call.who()?.user.role >= Role::Runner);
    Ok(html! {
        div.scroll role="region" tabindex="0" aria-label="Runs in the order in which they run" {
            table.cards {
                thead { tr {
                    th.name scope="col" { "run" } th.name scope="col" { "state" } th.name scope="col" { "for" }
                    th.name scope="col" { "begins about" } th.name scope="col" { "ends about" }
                    th scope="col" { span.away { "Order" } }
                } }
                tbody { @for (place, run) in runs.iter().enumerate() {
                    (row(call, run, (now, runner && place > 0 && is_moved(runs, place)))?)
                } }
            }
        }
    })
}

/// Whether putting a run first would change the order.
fn is_moved(runs: &[Expected], place: usize) -> bool {
    let is_waiting = |run: &&Expected| !run.status.state.is_active();
    is_waiting(&&runs[place]) && runs[..place].iter().any(|run| is_waiting(&run))
}

fn row(call: &Call, run: &Expected, (now, moves): (i64, bool)) -> Result<Markup, Problem> {
    let (status, at) = (&run.status, |seconds: f64| moment_of(now + seconds as i64));
    Ok(html! {
        tr {
            th.name scope="row" {
                a href={ "/live/" (status.id) } { (called(run)) }
                @if let Some(target) = &status.target { div.note { "at " (target) } }
            }
            td.name data-label="state" {
                (status.state.word()) @if !status.reason.is_empty() { ", " (status.reason) }
            }
            td.name data-label="for" { (if status.by.is_empty() { "–" } else { &status.by }) }
            td.name data-label="begins about" {
                @match run.begins_s {
                    _ if status.state.is_active() => "now",
                    Some(begins) => (at(begins)),
                    None => "not known",
                }
            }
            td.name data-label="ends about" {
                @match run.ends_s { Some(ends) => (at(ends)), None => "not known" }
            }
            td {
                @if moves {
                    form method="post" action={ "/live/" (status.id) "/first" } {
                        (hidden(call.who()?))
                        button aria-label={ "Run " (called(run)) " next" } { "Run next" }
                    }
                }
            }
        }
    })
}

/// `POST /live/{id}/first`: lets a waiting run begin before the others.
pub(crate) fn put_first(call: &Call) -> Result<Answer, Problem> {
    let id = call.segment("id").parse().map_err(|_| Problem::missing("run"))?;
    if !call.app.queue()?.put_first(&id) {
        return Err(Problem::missing("waiting run"));
    }
    call.app.audit(call.who()?, "put run first", call.segment("id"))?;
    Ok(Answer::see("/queue"))
}
