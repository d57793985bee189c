//! What runs and what waits: its progress, its end, for whom, and in which order.

use maud::{Markup, html};

use super::bar::called;
use super::{hidden, moment_of, moments, page as whole};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::problem::Problem;
use crate::queue::{Expected, Shown};

/// `GET /queue`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let runs = call.app.queue()?.expected();
    let body = html! {
        h1.large { "Queue" }
        p.note {
            "This machine executes one run at a time, because two would disturb each other. " (moments::zone())
        }
        (panel(call, &runs)?)
        @if runs.is_empty() {
            div.empty { p {
                "Nothing runs, and nothing waits. Start a run of one of the " a href="/" { "tests" } ", or add a "
                a href="/schedules" { "schedule" } " that starts it by itself."
            } }
        }
        @else { (waiting(call, &runs)?) }
    };
    Ok(Answer::page(whole(call, "Queue", &body)))
}

/// The run that is active, with its progress, and what is next. A script keeps it current.
pub(super) fn panel(call: &Call, runs: &[Expected]) -> Result<Markup, Problem> {
    let Some(first) = runs.first() else { return Ok(html! {}) };
    let (status, shown) = (&first.status, Shown::new(&first.status));
    let runner = call.who()?.user.role >= Role::Runner;
    Ok(html! {
        section.running aria-label="Running now" data-going={ "/live/" (status.id) "/events?only=state" } {
            div {
                p {
                    a.big href={ "/live/" (status.id) } { (called(first)) }
                    span.soft {
                        @if let Some(target) = &status.target { " at " (target) }
                        ", " span data-shown="state" { (shown.state) }
                        @if !status.by.is_empty() { ", by " (status.by) }
                    }
                }
                (progress(first, call.app.now(), &next(runs, call.app.now())))
            }
            @if status.state.is_active() { (figures(&shown)) }
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

/// How far a run is: a bar where its length is known, and words, to which more may be added.
pub(super) fn progress(run: &Expected, now: i64, more: &Markup) -> Markup {
    let (status, shown) = (&run.status, Shown::new(&run.status));
    html! {
        @if let Some(planned) = status.planned_s {
            progress hidden[!status.state.is_active()] aria-label="Progress" max=(format!("{planned:.0}"))
                value=(format!("{:.0}", status.reached_s.min(planned))) {}
        }
        p.small.soft {
            span data-shown="of" { (shown.of) } " measured" span data-shown="left" { (shown.left) }
            @if let Some(ends) = run.ends_s { ", ends about " (moment_of(now + ends as i64)) }
            ". "
            (more)
        }
    }
}

/// The three figures of an active run.
fn figures(shown: &Shown) -> Markup {
    html! {
        dl.mini {
            div {
                dt { "achieved" }
                dd { span data-shown="achieved" { (shown.achieved) } small data-shown="offered" { (shown.offered) } }
            }
            div { dt { "p99 so far" } dd { span data-shown="p99" { (shown.p99) } } }
            div {
                dt { "did not succeed" }
                dd { span data-shown="failed" { (shown.failed) } small data-shown="due" { (shown.due) } }
            }
        }
    }
}

/// The next run.
pub(super) fn next(runs: &[Expected], now: i64) -> Markup {
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
