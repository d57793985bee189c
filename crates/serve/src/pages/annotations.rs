//! Annotations: their page, and how they are shown beside charts.

use jiff::Timestamp;
use maud::{Markup, PreEscaped, html};
use serde_json::json;

use super::form::{Form, Input, Script, TEXT};
use super::{hidden, moment_of, page as whole};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::changes::annotations::{self as changes, LABEL_MAX};
use crate::history::Entry;
use crate::problem::Problem;
use crate::store::{Annotation, FollowedRun, Window};

/// The most annotations of the page.
const LISTED_MAX: usize = 200;
/// So many seconds after the steady phase belong to a run as well: what was before and after it.
const BESIDE: i64 = 300;

/// `GET /annotations`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let all = call.app.store.annotations(&Window { from: 0, to: i64::MAX, targets: None })?;
    let runner = call.who()?.user.role >= Role::Runner;
    let newest: Vec<_> = all.iter().rev().take(LISTED_MAX).collect();
    let body = html! {
        h1.large { "Annotations" }
        p {
            "What happened outside of the site, such as a deployment. It is shown on the charts of the runs at that \
             time, and on trends. Programs add annotations by the " a href="/api" { "API" } "."
        }
        @if newest.is_empty() {
            div.empty { p { "There are no annotations yet. Add the next deployment here, or let it add itself." } }
        }
        @else { (table(call, &newest, runner)?) }
        @if runner { (form(call)?) }
    };
    Ok(Answer::page(whole(call, "Annotations", &body)))
}

fn table(call: &Call, all: &[&Annotation], runner: bool) -> Result<Markup, Problem> {
    let who = call.who()?;
    Ok(html! {
        div.scroll role="region" tabindex="0" aria-label="Annotations" {
            table.cards {
                thead { tr {
                    th.name scope="col" { "what" } th.name scope="col" { "when" } th.name scope="col" { "target" }
                    th.name scope="col" { "by" }
                    @if runner { th.name scope="col" { span.away { "Remove" } } }
                } }
                tbody { @for one in all { tr {
                    th.name scope="row" { (one.label) }
                    td.name data-label="when" { (moment_of(one.at)) }
                    td.name data-label="target" { (target_name(call, one)?) }
                    td.name data-label="by" { (one.by) }
                    @if runner { td.name { form method="post" action="/annotations/end" {
                        (hidden(who))
                        input type="hidden" name="id" value=(one.id);
                        button.danger aria-label={ "Remove " (one.label) }
                            data-confirm="Remove this annotation?" { "Remove" }
                    } } }
                } } }
            }
        }
    })
}

fn target_name(call: &Call, of: &Annotation) -> Result<String, Problem> {
    let Some(id) = of.target else { return Ok("all".to_owned()) };
    let target = call.app.store.target(id)?;
    Ok(target.map_or_else(|| "a deleted target".to_owned(), |target| target.name))
}

fn form(call: &Call) -> Result<Markup, Problem> {
    let form = Form::new(call, "/annotations");
    let targets = call.app.store.targets()?;
    let all = std::iter::once((String::new(), "all".to_owned()));
    let targets: Vec<_> =
        all.chain(targets.iter().map(|it| (it.id.to_string(), it.name.clone()))).collect();
    let fields = html! {
        (form.input("label", "What happened", Input {
            required: true, most: Some(LABEL_MAX), hint: "deploy 42", ..TEXT
        }))
        (form.input("at", "When, in UTC; if empty, now", Input { hint: "2026-11-30 14:05", ..TEXT }))
        (form.choice("target", "Target", &targets, ""))
        div { button.main { "Add it" } }
    };
    Ok(
        html! { section id="add" { h2 { "Add an annotation" } (form.whole("stack", Script::Nothing, &fields)) } },
    )
}

/// `POST /annotations`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let target = match call.field("target") {
        "" => None,
        id => {
            let found = call.app.store.target(id.parse().unwrap_or_default())?;
            Some(found.ok_or_else(|| Problem::missing("target").at("target"))?)
        }
    };
    let what = (call.field("label"), call.field("at"));
    changes::add(&call.app, call.who()?, what, target.as_ref())?;
    Ok(Answer::see("/annotations"))
}

/// `POST /annotations/end`.
pub(crate) fn end(call: &Call) -> Result<Answer, Problem> {
    changes::end(&call.app, call.who()?, call.field("id").parse().unwrap_or_default())?;
    Ok(Answer::see("/annotations"))
}

/// The annotations of the time of these runs, which are of one load.
pub(super) fn of_runs(
    call: &Call,
    load: &str,
    runs: &[FollowedRun],
) -> Result<Vec<Annotation>, Problem> {
    let times: Vec<i64> = runs.iter().filter_map(|run| seconds(&run.started)).collect();
    let (Some(from), Some(to)) = (times.iter().min(), times.iter().max()) else {
        return Ok(Vec::new());
    };
    let targets = call.app.store.targets_of_load(load)?;
    Ok(call.app.store.annotations(&Window { from: *from, to: *to, targets: Some(&targets) })?)
}

/// What happened at the time of a run: a line, and the data from which its charts show it.
pub(super) fn of_run(call: &Call, run: &Entry) -> Result<Markup, Problem> {
    let Some(began) = seconds(&run.summary.started) else { return Ok(html! {}) };
    let target = call.app.store.target_of_run(run.id.as_str())?;
    let to = began + run.summary.seconds.ceil() as i64 + BESIDE;
    since(call, began, &Window { from: began, to, targets: Some(target.as_slice()) })
}

/// What happened since a run began that is still in progress, at its target and at all.
pub(super) fn so_far(
    call: &Call,
    began: Timestamp,
    target: Option<i64>,
) -> Result<Markup, Problem> {
    let (from, to) = (began.as_second(), call.app.now());
    since(call, from, &Window { from, to, targets: Some(target.as_slice()) })
}

/// What happened in a time, counted from this second.
fn since(call: &Call, began: i64, window: &Window<'_>) -> Result<Markup, Problem> {
    let all = call.app.store.annotations(window)?;
    let data: Vec<_> =
        all.iter().map(|one| json!({ "t": one.at - began, "label": one.label })).collect();
    let data = serde_json::to_string(&data).map_err(Problem::bug)?;
    Ok(html! {
        @if !all.is_empty() {
            section id="happened" { (listed("At that time", &all)) }
            // JSON in which nothing can close the script element.
            script type="application/json" id="annotations" { (PreEscaped(data.replace('<', "\\u003c"))) }
        }
    })
}

/// Annotations in a line.
pub(super) fn listed(words: &str, all: &[Annotation]) -> Markup {
    html! {
        @if !all.is_empty() {
            p.small {
                (words) ": "
                @for (number, one) in all.iter().enumerate() {
                    @if number > 0 { "; " }
                    (one.label) ", " (moment_of(one.at))
                }
                "."
            }
        }
    }
}

fn seconds(text: &str) -> Option<i64> {
    Some(text.parse::<Timestamp>().ok()?.as_second())
}
