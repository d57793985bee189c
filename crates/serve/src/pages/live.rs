//! A run that is queued or running: the program's live page, updated by server-sent events. When the run is over, its
//! address leads to the page of the finished run.

use brunt_history::RunId;
use brunt_web::watch::body;
use http::header::HeaderName;
use maud::{Markup, html};

use super::bar::called;
use super::{hidden, moment, page_with_charts, queue};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::problem::Problem;
use crate::queue::{State, Status, StopError, expected};

fn named(call: &Call) -> Result<(RunId, Status), Problem> {
    let id: RunId = call.segment("id").parse().map_err(|_| Problem::missing("run"))?;
    let status = call.app.queue()?.status(&id).ok_or_else(|| Problem::missing("run"))?;
    Ok((id, status))
}

/// `GET /live/{id}`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let (id, status) = named(call)?;
    if status.state.is_over() {
        call.app.absorb()?;
        if call.app.store.run(id.as_str())?.is_some() {
            return Ok(Answer::see(&format!("/runs/{id}")));
        }
    }
    let runner = call.who()?.user.role >= Role::Runner;
    let all = expected(call.app.queue()?.list());
    let going = all.iter().find(|run| run.status.id == id);
    let title = match (going, status.state) {
        (Some(run), State::Searching) => format!("{}: the highest rate", called(run)),
        (Some(run), _) => called(run),
        (None, state) => format!("Run {}", state.word()),
    };
    let body = html! {
        p.crumbs {
            a href="/" { "Tests" } " / "
            @match going { Some(_) => (status.state.word()), None => a href="/runs" { "Runs" } }
        }
        p.status role="status" {
            "State: " strong data-state { (status.state.word()) } " " span data-reason { (status.reason) }
        }
        @if let Some(run) = going { (queue::progress(run, call.app.now(), &begun(&run.status))) }
        @if !status.state.is_over() {
            noscript { p.note { "Reload the page to see how far it is." } }
        }
        @if status.state.is_over() {
            h1 { "There is no record of this run" }
            p { "It ended before anything was measured. " a href="/runs" { "Go to the runs" } }
        } @else {
            div.run data-live={ "/live/" (id) "/events" } data-name=(title) {
                section id="top" { h1 { (title) } }
                @if runner && !status.state.is_over() {
                    form.acts method="post" action={ "/live/" (id) "/stop" } {
                        (hidden(call.who()?))
                        button.main name="act" value="stop" { "Stop, and report" }
                        button.danger name="act" value="now" data-confirm="Cancel requests in flight?" {
                            "Stop at once"
                        }
                    }
                }
            }
        }
    };
    Ok(Answer::page(page_with_charts(call, &title, &body)))
}

/// Since when it runs, for whom and at what; or how many are before it.
fn begun(status: &Status) -> Markup {
    html! {
        @match &status.started {
            Some(started) => { "Since " (moment(started)) }
            None => { "Submitted " (moment(&status.submitted)) ", see the " a href="/queue" { "queue" } }
        }
        @if !status.by.is_empty() { " by " (status.by) }
        @if let Some(target) = &status.target { ", at " (target) }
        "."
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
    let stopped = if now { app.queue()?.stop_now(&id, &by) } else { app.queue()?.stop(&id, &by) };
    match stopped {
        Ok(()) | Err(StopError::Over(_)) => {}
        Err(StopError::Unknown(_)) => return Err(Problem::missing("run")),
    }
    app.audit(who, if now { "stop run at once" } else { "stop run" }, id.as_str())?;
    Ok(id)
}
