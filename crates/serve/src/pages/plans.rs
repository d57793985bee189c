//! Plans: their texts, which are checked during editing, and the runs that are made from them.
//!
//! The text is the source of truth. A child of the program reads it and reports what is wrong, or what it will do; the
//! server handles it only as text.

use brunt_envelope::{Checked, Finding};
use http::StatusCode;
use maud::{Markup, html};
use serde::Serialize;

use super::form::{AREA, Area, Form, Input, Script, TEXT};
use super::shared;
use super::submission::{named, offered, open_targets, submit_with};
use super::test::{Tab, of_plan, test_page};
use super::{moment_of, page as whole};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::changes::plans::{self as changes, NAME_MAX, Revised};
use crate::problem::Problem;
use crate::store::{Plan, Target};
use crate::submission::{asked, checked};

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
        @if runner { (new(call)) }
    };
    Ok(Answer::page(whole(call, "Plans", &body)))
}

fn new(call: &Call) -> Markup {
    let form = Form::new(call, "/plans");
    let templates = TEMPLATES.iter().enumerate();
    let templates = templates.map(|(number, (name, _))| (number.to_string(), (*name).to_owned()));
    let templates: Vec<_> = templates.collect();
    let fields = html! {
        (form.input("name", "Name", Input { required: true, most: Some(NAME_MAX), ..TEXT }))
        (form.choice("template", "Template", &templates, ""))
        div { button.main { "Make it" } }
    };
    html! {
        section id="add" {
            h2 { "New plan" }
            p {
                "Start from a template, or "
                a href="/plans/import" { "import" } " a cURL command line, a HAR recording, an OpenAPI document or a \
                LoadGen directory."
            }
            (form.whole("stack", Script::Nothing, &fields))
        }
    }
}

/// `POST /plans`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let number: usize = call.field("template").parse().unwrap_or_default();
    let text = TEMPLATES.get(number).map_or("", |(_, text)| text);
    let id = changes::add(&call.app, call.who()?, call.field("name"), text)?;
    Ok(Answer::see(&format!("/plans/{id}")))
}

/// `GET /plans/{id}`: the plan, the check of its text, and the forms that run it.
pub(crate) fn editor(call: &Call) -> Result<Answer, Problem> {
    let plan = named(call)?;
    let targets = open_targets(call)?;
    let form = plan_form(call, &plan);
    let typed = form.value("text", &plan.text).replace("\r\n", "\n");
    // A form that is sent by itself runs the saved text.
    let has_text = call.form.iter().any(|(name, _)| name == "text");
    let text = if has_text { typed.strip_prefix('\n').unwrap_or(&typed) } else { &plan.text };
    // Without a check there is still a text to be edited.
    let checked = check_with(call, plan.id, text, (targets.first(), ""));
    let checked = checked.unwrap_or_else(|problem| {
        let finding = Finding { text: problem.detail, ..Finding::default() };
        Checked { findings: vec![finding], ..Checked::default() }
    });
    let runner = call.who()?.user.role >= Role::Runner;
    // Before the form itself, which shows a reason only if no field of it does.
    let settings = run_section(call, &form, &plan, &targets)?;
    let content = html! {
        p.note {
            "Revision " (plan.revision) ", by " (plan.by) ", " (moment_of(plan.at)) ". "
            a href={ "/plans/" (plan.id) "/revisions" } { "All revisions" }
        }
        (import_notes(&plan))
        div.editor {
            (form.whole("", Script::Plan, &source(call, &form, (&plan, text), !targets.is_empty())?))
            section.preview aria-label="Preview" { div #checked aria-live="polite" { (findings(&checked)) } }
        }
        @if runner { (settings) (super::find::form(call, &plan)?) }
        @else { (readers(call)?) }
    };
    let body = test_page(call, &of_plan(call, plan.id)?, Tab::Plan, &content)?;
    Ok(Answer::page(whole(call, &plan.name, &body)))
}

/// The form of a plan: it is saved, or run. The settings of a run belong to it as well, so that a run which is not
/// accepted does not lose the text.
fn plan_form<'a>(call: &'a Call, plan: &Plan) -> Form<'a> {
    let path = format!("/plans/{}", plan.id);
    let form = Form::new(call, path.as_str()).also(&format!("{path}/run"));
    form.also(&format!("{path}/thresholds")).owning("edit")
}

fn source(
    call: &Call,
    form: &Form<'_>,
    (plan, text): (&Plan, &str),
    has_targets: bool,
) -> Result<Markup, Problem> {
    let runner = call.who()?.user.role >= Role::Runner;
    let area = Area {
        rows: text.lines().count().clamp(12, 40),
        value: text,
        is_code: true,
        readonly: !runner,
        ..AREA
    };
    Ok(html! {
        input type="hidden" name="after" value=(plan.revision);
        @if runner { (super::steps::builder(call)?) }
        div #source { (form.area_of("text", "Plan (TOML)", area)) }
        @if runner {
            div.acts {
                button.main { "Save and check" }
                @if has_targets {
                    button name="save" value="1" formaction={ "/plans/" (plan.id) "/run" } { "Save and run" }
                    span.note { "runs on the " a href="#run" { "target chosen below" } }
                }
            }
        }
    })
}

/// The notes that an import made for this revision.
fn import_notes(plan: &Plan) -> Markup {
    html! {
        @if !plan.note.is_empty() {
            details.told open {
                summary { "What the import guessed or left out" }
                ul.plain { @for line in plan.note.lines() { li { (line) } } }
            }
        }
    }
}

/// What is wrong with a plan, or what it will do.
fn findings(checked: &Checked) -> Markup {
    html! {
        @if checked.findings.is_empty() {
            p.met { "The plan can be run." }
        } @else {
            p.missed { "The plan cannot be run yet:" }
            ul.plain { @for finding in &checked.findings { li { (found(finding)) } } }
        }
        @for note in &checked.notes { p.note { (note) } }
        @if !checked.preview.is_empty() { pre tabindex="0" { (checked.preview) } }
    }
}

fn found(finding: &Finding) -> Markup {
    html! {
        @if let Some(line) = finding.line { a href="#text" data-line=(line) { "Line " (line) } ": " }
        @if !finding.field.is_empty() { (place(finding)) " " }
        (finding.text)
    }
}

/// A link to the field of a fault, where there are forms, otherwise to the text.
fn place(finding: &Finding) -> Markup {
    let path = serde_json::to_string(&finding.path).ok().filter(|_| !finding.path.is_empty());
    html! {
        @match path {
            Some(path) => a href="#text" data-field=(path) { code { (finding.field) } },
            None => code { (finding.field) },
        }
    }
}

/// `POST /plans/{id}`.
pub(crate) fn save(call: &Call) -> Result<Answer, Problem> {
    let plan = named(call)?;
    keep(call, &plan)?;
    Ok(Answer::see(&format!("/plans/{}", plan.id)))
}

/// Saves what was typed as a new revision. Returns whether it differs from the newest.
fn keep(call: &Call, plan: &Plan) -> Result<bool, Problem> {
    let text = text(call)?;
    let after = call.field("after").parse().unwrap_or_default();
    if changes::revise(&call.app, call.who()?, plan, (after, &text))? == Revised::Behind {
        let why = "Somebody else saved this plan in the meantime. Your text below is not saved. Look at the \
                   revisions, then save again.";
        return Err(Problem::new(StatusCode::CONFLICT, "Not saved", why));
    }
    Ok(text != plan.text)
}

fn text(call: &Call) -> Result<String, Problem> {
    let text = call.field("text").replace("\r\n", "\n");
    let text = text.strip_prefix('\n').unwrap_or(&text).to_owned();
    changes::fits(&text)?;
    Ok(text)
}

/// `POST /check`: the check that a script requests during editing.
pub(crate) fn check(call: &Call) -> Result<Answer, Problem> {
    #[derive(Serialize)]
    struct Reply {
        findings: Vec<Finding>,
        notes: Vec<String>,
        preview: String,
    }
    let target = call
        .field("target")
        .parse()
        .ok()
        .map(|id| call.app.store.target(id))
        .transpose()?
        .flatten();
    let target = target.or_else(|| open_targets(call).ok()?.into_iter().next());
    let plan = call.field("plan").parse().unwrap_or_default();
    let checked = check_with(call, plan, &text(call)?, (target.as_ref(), call.field("duration")))?;
    let Checked { findings, notes, preview, .. } = checked;
    Answer::json(&Reply { findings, notes, preview })
}

fn check_with(
    call: &Call,
    plan: i64,
    text: &str,
    on: (Option<&Target>, &str),
) -> Result<Checked, Problem> {
    checked(&call.app, plan, &asked(&call.app, plan, text, on)?)
}

/// The note for users who may not run the plan.
fn readers(call: &Call) -> Result<Markup, Problem> {
    let (has, needs) = (call.who()?.user.role.word(), Role::Runner.word());
    Ok(html! {
        section id="run" {
            h2 { "Run it" }
            p {
                "Your role is " (has) ". To run this plan, or to find the highest rate that a target can sustain, you \
                 need the role " (needs) ". An administrator of this site can change your role."
            }
        }
    })
}

fn run_section(
    call: &Call,
    form: &Form<'_>,
    plan: &Plan,
    targets: &[Target],
) -> Result<Markup, Problem> {
    let waiting = call.app.queue()?.list().iter().filter(|run| !run.state.is_over()).count();
    Ok(html! {
        section id="run" {
            h2 { "Run it" }
            @if targets.is_empty() {
                p {
                    "No target is available for runs. "
                    a href="/targets" { "An administrator can list one" } "."
                }
            } @else {
                p.note {
                    "This runs the saved revision. "
                    @match waiting {
                        0 => "It starts immediately.",
                        1 => "One run is ahead of it in the queue.",
                        count => { (count) " runs are ahead of it in the queue." }
                    }
                }
                (run_fields(call, form, plan, targets))
            }
        }
    })
}

/// The settings of a run. They belong to the form of the plan, which is above them.
fn run_fields(call: &Call, form: &Form<'_>, plan: &Plan, targets: &[Target]) -> Markup {
    html! {
        div.stack {
            (form.choice("target", "Target", &offered(targets), ""))
            (form.input("duration", "Duration, such as 30s; if empty, that of the plan", TEXT))
            (shared::form(call, form))
            (form.input("tags", "Tags, separated by commas", TEXT))
            (form.input("commit", "Commit that is tested", TEXT))
            @if targets.iter().any(|target| target.production) {
                (form.input("sure", "For a production target: type its name", TEXT))
            }
            div.acts {
                button.main form="edit" formaction={ "/plans/" (plan.id) "/run" } { "Run" }
                button form="edit" formaction={ "/plans/" (plan.id) "/thresholds" } { "Find thresholds with one user" }
            }
            p.note {
                "To find thresholds, one virtual user on this machine runs the steps, for 30 s unless you give a \
                 duration. The time that each step takes is the basis of its proposed threshold."
            }
        }
    }
}

/// `POST /plans/{id}/run`: runs the saved revision, or saves what was typed and runs that.
pub(crate) fn run(call: &Call) -> Result<Answer, Problem> {
    let mut plan = named(call)?;
    let is_saved = call.field("save") == "1" && keep(call, &plan)?;
    if is_saved {
        plan = named(call)?;
    }
    let agents = shared::named(call);
    let submitted = agents.and_then(|agents| submit_with(call, &plan, &plan.text, (None, agents)));
    let told = |problem: Problem| {
        let saved = if is_saved { "The plan is saved. " } else { "" };
        Problem { detail: format!("{saved}{}", problem.detail), ..problem }
    };
    let id = submitted.map_err(told)?;
    Ok(Answer::see(&format!("/live/{id}")))
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
