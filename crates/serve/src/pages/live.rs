//! A run that is queued or running: the program's live page, updated by server-sent events. When the run is over, its
//! address leads to the page of the finished run.

use brunt_history::{EVENTS, RunId};
use brunt_web::watch::body;
use http::header::HeaderName;
use jiff::Timestamp;
use maud::{Markup, html};

use super::bar::called;
use super::form::{Form, Input, Script, TEXT};
use super::{actions, annotations, hidden, moment, page_with_charts, queue};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::changes::annotations::{LABEL_MAX, mark as marked};
use crate::problem::Problem;
use crate::queue::{Expected, State, Status, StopError};
use crate::store::{Target, key_of_plan};
use crate::tail::Tail;

fn named(call: &Call) -> Result<(RunId, Status), Problem> {
    let id: RunId = call.segment("id").parse().map_err(|_| Problem::missing("run"))?;
    let status = call.app.queue()?.status(&id).ok_or_else(|| Problem::missing("run"))?;
    Ok((id, status))
}

/// `GET /live/{id}`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let (id, status) = named(call)?;
    if status.state.is_over() {
        call.app.index_ended()?;
        if call.app.store.run(id.as_str())?.is_some() {
            return Ok(Answer::see(&format!("/runs/{id}")));
        }
    }
    let runner = call.who()?.user.role >= Role::Runner;
    let all = call.app.queue()?.expected();
    let going = all.iter().find(|run| run.status.id == id);
    let title = match (going, status.state) {
        (Some(run), State::Searching) => format!("{}: the highest rate", called(run)),
        (Some(run), _) => called(run),
        (None, state) => format!("Run {}", state.word()),
    };
    let body = html! {
        (crumbs(call, &status)?)
        @if status.state.is_over() {
            (state(&status))
            h1.large { "There is no record of this run" }
            p { "It ended before anything was measured. " a href="/runs" { "Go to the runs" } }
        } @else {
            div.run data-live={ "/live/" (id) "/events" } data-name=(title) {
                section id="top" { h1 { (title) } }
                @if runner { (acts(call, &status)?) }
                div.going {
                    (state(&status))
                    @if let Some(run) = going { (queue::progress(run, call.app.now(), &about(call, run, &all))) }
                    noscript { p.note { "Reload the page to see how far it is." } }
                }
            }
            @if let Some(began) = began(call, &id) {
                (annotations::so_far(call, began, target(call, &status)?.map(|target| target.id))?)
            }
        }
    };
    Ok(Answer::page(page_with_charts(call, &title, &body)))
}

/// Where the run belongs.
fn crumbs(call: &Call, status: &Status) -> Result<Markup, Problem> {
    let plan = match &status.plan {
        Some(named) => actions::plan_of(call, named)?,
        None => None,
    };
    Ok(html! {
        p.crumbs {
            a href="/" { "Tests" } " / "
            @if let Some(plan) = plan { a href={ "/tests/" (key_of_plan(plan.id)) } { (plan.name) } " / " }
            (if status.state.is_over() { status.state.word() } else { "run in progress" })
        }
    })
}

fn state(status: &Status) -> Markup {
    html! {
        p.state role="status" {
            "State: " strong data-state { (status.state.word()) } " " span data-reason { (status.reason) }
        }
    }
}

/// The moment from which the run counts, if it has begun.
fn began(call: &Call, id: &RunId) -> Option<Timestamp> {
    let mut events = Tail::open(&call.app.history.files(id).path(EVENTS)).ok()?;
    events.head().ok()??.started.parse().ok()
}

/// The target of the run, if it is still listed.
fn target(call: &Call, status: &Status) -> Result<Option<Target>, Problem> {
    let all = call.app.store.targets()?;
    Ok(all.into_iter().find(|target| status.target.as_ref() == Some(&target.name)))
}

/// What can be done with the run.
fn acts(call: &Call, status: &Status) -> Result<Markup, Problem> {
    let id = &status.id;
    let form = Form::new(call, format!("/live/{id}/mark"));
    let fields = html! {
        // A script sends how long ago the form was opened, which is the moment that is marked.
        input type="hidden" name="ago" value=(form.value("ago", "0"));
        (form.input("label", "What happened", Input {
            required: true, most: Some(LABEL_MAX), hint: "backup began", ..TEXT
        }))
        div { button { "Mark it" } }
    };
    Ok(html! {
        div.acts {
            details.menu data-moment hidden[!status.state.is_active()] open[form.is_refused()] {
                summary.b { "Mark this moment" }
                (form.whole("sheet", Script::Nothing, &fields))
            }
            form method="post" action={ "/live/" (id) "/stop" } {
                (hidden(call.who()?))
                button.main name="act" value="stop" { "Stop, and report" }
                button.danger name="act" value="now" data-confirm="Cancel requests in flight?" { "Stop at once" }
            }
        }
    })
}

/// `POST /live/{id}/mark`: an annotation at the moment at which the form was opened.
pub(crate) fn mark(call: &Call) -> Result<Answer, Problem> {
    let (id, status) = named(call)?;
    let ago = call.field("ago").parse().unwrap_or_default();
    let target = target(call, &status)?;
    marked(&call.app, call.who()?, (call.field("label"), ago), target.as_ref())?;
    Ok(Answer::see(&format!("/live/{id}")))
}

/// What is known of the run, and what runs after it.
fn about(call: &Call, run: &Expected, all: &[Expected]) -> Markup {
    let is_first = all.first().is_some_and(|first| first.status.id == run.status.id);
    html! {
        (begun(&run.status))
        @if is_first && all.len() > 1 { " " (queue::next(all, call.app.now())) }
    }
}

/// Since when it runs, for whom and at what; or how many are before it.
fn begun(status: &Status) -> Markup {
    html! {
        @match &status.started {
            Some(started) => { "Since " (moment(started)) }
            None => { "Submitted " (moment(&status.submitted)) }
        }
        @if !status.by.is_empty() { " by " (status.by) }
        @if let Some(target) = &status.target { ", at " (target) }
        "."
        @if status.started.is_none() { " " a href="/queue" { "See the queue" } "." }
    }
}

/// `GET /live/{id}/events`.
pub(crate) fn events(call: &Call) -> Result<Answer, Problem> {
    let (id, _) = named(call)?;
    let watch = call.app.queue()?.watch(&id).ok_or_else(|| Problem::missing("active run"))?;
    // The panel of other pages shows the progress alone.
    let watcher = match call.query("only") {
        "state" => watch.open_only("state"),
        _ => watch.open(call.header("last-event-id")),
    };
    let Some(watcher) = watcher else {
        let detail = "Too many browsers are watching runs on this site. Close one, then reload.";
        return Err(Problem::new(
            http::StatusCode::SERVICE_UNAVAILABLE,
            "Too many viewers",
            detail,
        ));
    };
    // A proxy that buffers events would show a run minutes late.
    let at_once = HeaderName::from_static("x-accel-buffering");
    Ok(Answer::stream("text/event-stream", body(watcher)).with(at_once, "no"))
}

/// `POST /live/{id}/stop`.
pub(crate) fn stop(call: &Call) -> Result<Answer, Problem> {
    let id = stopped(call, call.field("act") == "now")?;
    Ok(Answer::see(&format!("/live/{id}")))
}

/// Stops the run that a path names.
pub(crate) fn stopped(call: &Call, now: bool) -> Result<RunId, Problem> {
    let (app, who) = (&call.app, call.who()?);
    let (id, _) = named(call)?;
    let by = who.named();
    match app.queue()?.stop(&id, &by, now) {
        Ok(()) | Err(StopError::Over(_)) => {}
        Err(StopError::Unknown(_)) => return Err(Problem::missing("run")),
    }
    app.audit(who, if now { "stop run at once" } else { "stop run" }, id.as_str())?;
    Ok(id)
}
