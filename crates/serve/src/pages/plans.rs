//! Plans: their texts, which are checked during editing, and the runs that are made from them.
//!
//! The text is the source of truth. A child of the program reads it and reports what is wrong, or what it will do; the
//! server handles it only as text.

mod applied;
pub(crate) mod draft;
pub(crate) mod editor;
mod field;
mod load;
mod node;
mod objective;
mod shape;
mod sheet;
mod time;
mod typed;
mod visits;

use brunt_envelope::{Checked, Finding, PathPart};
use http::StatusCode;
use maud::{Markup, html};

use super::agents_field;
use super::form::{Form, Input, Script, TEXT};
use super::projects;
use super::submission::{named, submit_with};
use super::{moment_of, page as whole};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::changes::plans::{self as changes, NAME_MAX, Revised};
use crate::problem::{Problem, sentence};
use crate::store::{Plan, Target};
use crate::submission::{self, checked, requested};

use applied::applied;
use typed::Typed;

/// Templates for new plans.
const TEMPLATES: [(&str, &str); 3] = [
    ("Get one page", include_str!("plans/get.toml")),
    ("Sign in to a directory and search", include_str!("plans/directory.toml")),
    ("Sign in over HTTP, read, sign out", include_str!("plans/login.toml")),
];

/// `GET /plans`.
pub(crate) fn list(call: &Call) -> Result<Answer, Problem> {
    let plans = call.app.store.plans()?;
    let runner = call.who()?.user.role >= Role::Runner;
    let body = html! {
        h1.large { "Plans" }
        p.note {
            "To reuse steps in plans, see the " a href="/steps" { "step library" }
            "; to run plans at set times, see the " a href="/schedules" { "schedules" } "."
        }
        @if plans.is_empty() {
            div.empty { p { "There are no plans yet. A plan describes what virtual users do and how many there are." } }
        } @else {
            div.scroll role="region" tabindex="0" aria-label="Plans" {
                table.cards {
                    thead { tr {
                        th.name scope="col" { "plan" } th scope="col" { "revision" } th.name scope="col" { "by" }
                        th.name scope="col" { "saved" }
                    } }
                    tbody { @for plan in &plans { tr {
                        th.name scope="row" { a href={ "/plans/" (plan.id) } { (plan.name) } }
                        td data-label="revision" { (plan.revision) }
                        td.name data-label="by" { (plan.by) }
                        td.name data-label="saved" { (moment_of(plan.at)) }
                    } } }
                }
            }
        }
        @if runner { (new(call)?) }
    };
    Ok(Answer::page(whole(call, "Plans", &body)))
}

fn new(call: &Call) -> Result<Markup, Problem> {
    let form = Form::new(call, "/plans");
    let templates = TEMPLATES.iter().enumerate();
    let templates = templates.map(|(number, (name, _))| (number.to_string(), (*name).to_owned()));
    let templates: Vec<_> = templates.collect();
    let fields = html! {
        (form.input("name", "Name", Input { required: true, most: Some(NAME_MAX), ..TEXT }))
        (form.choice("template", "Template", &templates, ""))
        (projects::choice(call, &form)?)
        div { button.main { "Make it" } }
    };
    Ok(html! {
        section id="add" {
            h2 { "New plan" }
            p {
                "Start from a template, or "
                a href="/plans/import" { "import" } " a cURL command line, a HAR recording, an OpenAPI document or a \
                LoadGen directory."
            }
            (form.whole("stack", Script::Nothing, &fields))
        }
    })
}

/// `POST /plans`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let number: usize = call.field("template").parse().unwrap_or_default();
    let text = TEMPLATES.get(number).map_or("", |(_, text)| text);
    let project = projects::of_form(call)?;
    let of = (call.field("name"), project.as_ref());
    let id = changes::add(&call.app, call.who()?, of, text)?;
    Ok(Answer::see(&format!("/plans/{id}")))
}

/// `POST /plans/{id}`.
pub(crate) fn save(call: &Call) -> Result<Answer, Problem> {
    let plan = named(call)?;
    keep(call, &plan)?;
    Ok(Answer::see(&format!("/plans/{}", plan.id)))
}

/// Saves what was typed as a new revision. Returns whether it differs from the newest.
fn keep(call: &Call, plan: &Plan) -> Result<bool, Problem> {
    let app = &call.app;
    let text = written(call, plan)?;
    let after = call.field("after").parse().unwrap_or_default();
    if changes::revise(app, call.who()?, plan, (after, &text))? == Revised::Behind {
        let why = "Somebody else saved this plan in the meantime. Your text below is not saved. Look at the \
                   revisions, then save again.";
        return Err(Problem::new(StatusCode::CONFLICT, "Not saved", why));
    }
    app.store.drop_drafts(call.who()?.user.id, plan.id)?;
    Ok(text != plan.text)
}

/// The text with what was typed into its fields. A wrong value is refused; the rest of the text is not checked.
fn written(call: &Call, plan: &Plan) -> Result<String, Problem> {
    let (text, typed) = (text(call)?, Typed::from_call(call));
    if typed.is_empty() {
        return Ok(text);
    }
    let applied = applied(&call.app, &text, &typed)?;
    if let Some(fault) = applied.faults.first() {
        return Err(draft::refusal(applied.faults.len(), &fault.why));
    }
    changes::fits(&applied.text)?;
    if applied.written.is_empty() {
        return Ok(applied.text);
    }
    let checked = check_with(call, plan.id, &applied.text, (None, ""))?;
    let wrong: Vec<&Finding> =
        checked.findings.iter().filter(|finding| is_of(&applied.written, finding)).collect();
    match wrong.first() {
        Some(finding) => Err(draft::refusal(wrong.len(), &sentence(&finding.text))),
        None => Ok(applied.text),
    }
}

/// Whether a finding is about a field that was written.
fn is_of(written: &[String], finding: &Finding) -> bool {
    let is_load = finding.path.first() == Some(&PathPart::Key("run".to_owned()));
    !finding.path.is_empty() && written.contains(&sheet::name(&finding.path))
        || is_load && written.iter().any(|field| field == "load.shape")
}

fn text(call: &Call) -> Result<String, Problem> {
    let text = call.field("text").replace("\r\n", "\n");
    let text = text.strip_prefix('\n').unwrap_or(&text).to_owned();
    changes::fits(&text)?;
    Ok(text)
}

fn check_with(
    call: &Call,
    plan: i64,
    text: &str,
    on: (Option<&Target>, &str),
) -> Result<Checked, Problem> {
    checked(&call.app, plan, &requested(&call.app, plan, text, on)?)
}

/// `POST /plans/{id}/run`: runs the saved revision, or saves what was typed and runs that.
pub(crate) fn run(call: &Call) -> Result<Answer, Problem> {
    let mut plan = named(call)?;
    let is_saved = call.field("save") == "1" && keep(call, &plan)?;
    if is_saved {
        plan = named(call)?;
    }
    let agents = agents_field::named(call);
    let submitted = agents.and_then(|agents| submit_with(call, &plan, &plan.text, (None, agents)));
    let explained = |problem: Problem| {
        let saved = if is_saved { "The plan is saved. " } else { "" };
        Problem { detail: format!("{saved}{}", problem.detail), ..problem }
    };
    let id = submitted.map_err(explained)?;
    call.app.store.remember_target(plan.id, call.field("target").parse().unwrap_or_default())?;
    Ok(Answer::see(&format!("/live/{id}")))
}

/// `POST /plans/{id}/once`: performs each scenario of what was typed once, and shows what was sent and answered beside
/// the plan. Nothing is saved.
pub(crate) fn once(call: &Call) -> Result<Answer, Problem> {
    let (app, plan) = (&call.app, named(call)?);
    let target = call.field("target").parse().unwrap_or_default();
    let output =
        submission::once(app, &plan, &written(call, &plan)?, (target, call.field("sure")))?;
    app.store.remember_target(plan.id, target)?;
    app.audit(call.who()?, "try plan once", &format!("{}, revision {}", plan.name, plan.revision))?;
    editor::tried(call, &plan, &output)
}

/// `GET /plans/{id}/revisions`.
pub(crate) fn revisions(call: &Call) -> Result<Answer, Problem> {
    let plan = named(call)?;
    let all = call.app.store.revisions(plan.id)?;
    let body = html! {
        p.crumbs { a href={ "/plans/" (plan.id) } { (plan.name) } }
        h1.large { "Revisions of " (plan.name) }
        @for revision in &all {
            details open[revision.revision == plan.revision] {
                summary { "Revision " (revision.revision) ", by " (revision.by) ", " (moment_of(revision.at)) }
                pre tabindex="0" { (revision.text) }
            }
        }
    };
    Ok(Answer::page(whole(call, "Revisions", &body)))
}
