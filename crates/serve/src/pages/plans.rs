//! Plans: their texts, which are checked during editing, and the runs that are made from them.
//!
//! The text is the source of truth. A child of the program reads it and reports what is wrong, or what it will do; the
//! server handles it only as text.

use maud::{Markup, html};
use serde::Serialize;

use super::import;
use super::plan_limits::{NAME_MAX, TEXT_MAX};
use super::secrets;
use super::shared;
use super::targets::{limits, settings_of};
use super::{field, hidden, moment_of, page as whole};
use crate::app::App;
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::child::{Asked, Checked, Finding, Search};
use crate::history::{About, Origin, RunId};
use crate::pages::run::tags;
use crate::problem::Problem;
use crate::queue::{RunRequest, SubmitError};
use crate::store::{Plan, Target};

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
                        th.name scope="col" { "saved (UTC)" }
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
    Ok(html! {
        section id="add" {
            h2 { "New plan" }
            p {
                "Start from a template, or "
                a href="/plans/import" { "import" } " a cURL command line, a HAR recording, an OpenAPI document or a \
                LoadGen directory."
            }
            form.stack method="post" action="/plans" {
                (hidden(call.who()?))
                (field("name", "Name", &html! {
                    input id="name" name="name" required maxlength=(NAME_MAX) autocomplete="off";
                }))
                (field("template", "Template", &html! {
                    select id="template" name="template" {
                        @for (number, (name, _)) in TEMPLATES.iter().enumerate() { option value=(number) { (name) } }
                    }
                }))
                div { button.main { "Make it" } }
            }
        }
    })
}

/// `POST /plans`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    let name = call.field("name").trim();
    if !(1..=NAME_MAX).contains(&name.chars().count()) || name.chars().any(char::is_control) {
        return Err(Problem::unusable("A plan needs a short name on one line."));
    }
    let number: usize = call.field("template").parse().unwrap_or_default();
    let text = TEMPLATES.get(number).map_or("", |(_, text)| text);
    let Some(id) = app.store.add_plan(name, text, (&who.user.name, app.now()))? else {
        return Err(Problem::unusable(format!("A plan named {name} already exists.")));
    };
    app.audit(who, "add plan", name)?;
    Ok(Answer::see(&format!("/plans/{id}")))
}

/// The plan that a path names.
pub(super) fn named(call: &Call) -> Result<Plan, Problem> {
    let id = call.segment("id").parse().unwrap_or_default();
    call.app.store.plan(id)?.ok_or_else(|| Problem::missing("plan"))
}

/// `GET /plans/{id}`.
pub(crate) fn editor(call: &Call) -> Result<Answer, Problem> {
    let plan = named(call)?;
    let targets = open_targets(call)?;
    let checked = check_with(call, plan.id, &plan.text, targets.first())?;
    shown(call, &plan, &plan.text, &checked, None)
}

fn shown(
    call: &Call,
    plan: &Plan,
    text: &str,
    checked: &Checked,
    fault: Option<&str>,
) -> Result<Answer, Problem> {
    let runner = call.who()?.user.role >= Role::Runner;
    let lines = text.lines().count().clamp(12, 40);
    let body = html! {
        p.crumbs { a href="/plans" { "Plans" } }
        h1.large { (plan.name) }
        p.note {
            "Revision " (plan.revision) ", by " (plan.by) ", " (moment_of(plan.at)) ". "
            a href={ "/plans/" (plan.id) "/revisions" } { "All revisions" }
        }
        @if let Some(fault) = fault { p.warning role="alert" { (fault) } }
        (import_notes(plan))
        div.editor {
            form method="post" action={ "/plans/" (plan.id) } data-plan {
                (hidden(call.who()?))
                input type="hidden" name="after" value=(plan.revision);
                @if runner { (super::steps::builder(call)?) }
                div #source {
                    label for="text" { "Plan (TOML)" }
                    textarea #text name="text" rows=(lines) spellcheck="false" autocapitalize="none" wrap="off"
                        readonly[!runner] { "\n" (text) }
                }
                @if runner { div.acts { button.main { "Save and check" } } }
            }
            section.preview aria-label="Preview" { div #checked aria-live="polite" { (findings(checked)) } }
        }
        @if runner { (run_form(call, plan)?) (super::find::form(call, plan)?) } @else { (readers(call)?) }
    };
    Ok(Answer::page(whole(call, &plan.name, &body)))
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
    let (app, who, plan) = (&call.app, call.who()?, named(call)?);
    let text = text(call)?;
    let after = call.field("after").parse().unwrap_or_default();
    if text != plan.text {
        if !app.store.revise_plan(plan.id, after, &text, (&who.user.name, app.now()))? {
            let why = "Somebody else saved this plan in the meantime. Your text below is not saved. Look at the \
                       revisions, then save again.";
            let checked = check_with(call, plan.id, &text, open_targets(call)?.first())?;
            return shown(call, &plan, &text, &checked, Some(why));
        }
        app.audit(who, "change plan", &format!("{}, revision {}", plan.name, after + 1))?;
    }
    Ok(Answer::see(&format!("/plans/{}", plan.id)))
}

fn text(call: &Call) -> Result<String, Problem> {
    let text = call.field("text").replace("\r\n", "\n");
    let text = text.strip_prefix('\n').unwrap_or(&text).to_owned();
    let detail = format!("A plan has at most {} KiB.", TEXT_MAX >> 10);
    (text.len() <= TEXT_MAX).then_some(text).ok_or_else(|| Problem::unusable(detail))
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
    let checked = check_with(call, plan, &text(call)?, target.as_ref())?;
    let Checked { findings, notes, preview, .. } = checked;
    Answer::json(&Reply { findings, notes, preview })
}

fn check_with(
    call: &Call,
    plan: i64,
    text: &str,
    target: Option<&Target>,
) -> Result<Checked, Problem> {
    checked(&call.app, plan, &asked(&call.app, plan, text, (target, call.field("duration")))?)
}

/// A child's check of a plan. If the plan has files, the child runs in their directory.
fn checked(app: &App, plan: i64, asked: &Asked) -> Result<Checked, Problem> {
    let directory = (!asked.data.is_empty()).then(|| import::directory(app, plan));
    let checked = app.children.check(asked, directory.as_deref());
    checked.map_err(|error| Problem::unusable(format!("Failed to {error}.")))
}

fn asked(
    app: &App,
    plan: i64,
    text: &str,
    (target, duration): (Option<&Target>, &str),
) -> Result<Asked, Problem> {
    let settings = target
        .map(|target| settings_of(&target.settings))
        .transpose()
        .map_err(Problem::unusable)?;
    let duration = Some(duration.trim().to_owned()).filter(|text| !text.is_empty());
    Ok(Asked {
        plan: text.to_owned(),
        variables: settings.unwrap_or_default().into_iter().collect(),
        duration,
        grant: target.map(|target| target.grant.clone()).unwrap_or_default(),
        secrets: target.map(|target| secrets::of(app, target)).transpose()?.flatten(),
        data: import::data_of(&import::directory(app, plan)),
        ..Asked::default()
    })
}

/// The targets whose permission has not expired.
pub(super) fn open_targets(call: &Call) -> Result<Vec<Target>, Problem> {
    let mut targets = call.app.store.targets()?;
    targets.retain(|target| target.expires > call.app.now());
    Ok(targets)
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

/// The selection of a target, with the limits of each.
pub(super) fn offered(id: &str, targets: &[Target]) -> Markup {
    html! {
        select id=(id) name="target" { @for target in targets {
            option value=(target.id) { (target.name) " (at most " (limits(&target.grant)) ")" }
        } }
    }
}

fn run_form(call: &Call, plan: &Plan) -> Result<Markup, Problem> {
    let targets = open_targets(call)?;
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
                form.stack method="post" action={ "/plans/" (plan.id) "/run" } {
                    (hidden(call.who()?))
                    (field("target", "Target", &offered("target", &targets)))
                    (field("duration", "Duration, such as 30s; if empty, that of the plan", &html! {
                        input id="duration" name="duration" autocomplete="off";
                    }))
                    (shared::form(call))
                    (field("run-tags", "Tags, separated by commas", &html! {
                        input id="run-tags" name="tags" autocomplete="off";
                    }))
                    (field("commit", "Commit that is tested", &html! {
                        input id="commit" name="commit" autocomplete="off";
                    }))
                    @if targets.iter().any(|target| target.production) {
                        (field("sure", "For a production target: type its name", &html! {
                            input id="sure" name="sure" autocomplete="off";
                        }))
                    }
                    div.acts {
                        button.main { "Run" }
                        button formaction={ "/plans/" (plan.id) "/thresholds" } { "Find thresholds with one user" }
                    }
                    p.note {
                        "To find thresholds, one virtual user on this machine runs the steps, for 30 s unless you \
                         give a duration. The time that each step takes is the basis of its proposed threshold."
                    }
                }
            }
        }
    })
}

/// `POST /plans/{id}/run`.
pub(crate) fn run(call: &Call) -> Result<Answer, Problem> {
    let plan = named(call)?;
    let agents = shared::named(call)?;
    let id = submit_with(call, &plan, &plan.text, (None, agents))?;
    Ok(Answer::see(&format!("/live/{id}")))
}

/// What is requested of a run in addition to its plan.
pub(crate) struct Submission<'a> {
    pub(crate) target: i64,
    /// The duration; empty for the plan's.
    pub(crate) duration: &'a str,
    /// The tags, separated by commas.
    pub(crate) tags: &'a str,
    /// The commit that is tested; may be empty.
    pub(crate) commit: &'a str,
    pub(crate) by: &'a str,
    /// The search that is made in place of a run.
    pub(crate) search: Option<Search>,
    /// How many agents share the load; without it this machine makes the load.
    pub(crate) agents: Option<u32>,
}

/// Submits a run of the plan's text, or of a text made from it, with the settings of the form.
pub(super) fn submit(call: &Call, plan: &Plan, text: &str) -> Result<RunId, Problem> {
    submit_with(call, plan, text, (None, None))
}

/// Submits a run, or a search, on this machine or shared by agents.
pub(super) fn submit_with(
    call: &Call,
    plan: &Plan,
    text: &str,
    (search, agents): (Option<Search>, Option<u32>),
) -> Result<RunId, Problem> {
    let submission = Submission {
        target: call.field("target").parse().unwrap_or_default(),
        duration: call.field("duration"),
        tags: call.field("tags"),
        commit: call.field("commit").trim(),
        by: &call.who()?.named(),
        search,
        agents,
    };
    submit_meant(&call.app, plan, text, &submission, call.field("sure"))
}

/// Submits a run or a search. For a production target `sure` must repeat the target's name.
pub(crate) fn submit_meant(
    app: &App,
    plan: &Plan,
    text: &str,
    submission: &Submission<'_>,
    sure: &str,
) -> Result<RunId, Problem> {
    let target = app.store.target(submission.target)?;
    if let Some(target) = target.filter(|target| target.production)
        && sure.trim() != target.name
    {
        let detail =
            format!("{} is a production target. Type its name to confirm the run.", target.name);
        return Err(Problem::unusable(detail));
    }
    submit_for(app, plan, text, submission)
}

/// Submits a run or a search without asking for a confirmation: the caller has checked that it is permitted.
pub(crate) fn submit_for(
    app: &App,
    plan: &Plan,
    text: &str,
    submission: &Submission<'_>,
) -> Result<RunId, Problem> {
    let target = app.store.target(submission.target)?;
    let target = target.filter(|target| target.expires > app.now());
    let target =
        target.ok_or_else(|| Problem::unusable("This target was removed or has expired."))?;
    let mut asked = asked(app, plan.id, text, (Some(&target), submission.duration))?;
    asked.search.clone_from(&submission.search);
    if let Some(agents) = submission.agents {
        asked = shared::asked(app, asked, agents)?;
    }
    let checked = checked(app, plan.id, &asked)?;
    if let Some(finding) = checked.findings.first() {
        let what = if asked.search.is_some() { "used for a search on" } else { "run against" };
        return Err(Problem::unusable(format!(
            "The plan cannot be {what} {}: {}",
            target.name, finding.text
        )));
    }
    if let Some(agents) = asked.agents {
        shared::refuse_unshared(&checked, agents)?;
        asked.abort_on.clone_from(&checked.abort_on);
    }
    // Only secrets that the plan refers to are passed on.
    if let Some(secrets) = &mut asked.secrets {
        secrets.names = checked.secrets;
    }
    asked.secrets = asked.secrets.filter(|secrets| !secrets.names.is_empty());
    let commit = Some(submission.commit.to_owned()).filter(|text| !text.is_empty());
    let origin = Origin {
        by: submission.by.to_owned(),
        plan: Some(format!("{}, revision {}", plan.name, plan.revision)),
        target: Some(target.name.clone()),
        agents: submission.agents.map(|agents| shared::carriers(app, agents)),
        commit,
        ..Origin::default()
    };
    let about =
        About { name: plan.name.clone(), tags: tags(submission.tags), origin, ..About::default() };
    let data = import::directory(app, plan.id);
    let request = RunRequest { asked, about };
    let submitted = app.queue()?.submit_with(request, &|run| import::copy(&data, run));
    let id = submitted.map_err(|error| match error {
        SubmitError::Io(_) => Problem::bug(error),
        _ => Problem::unusable(format!("Failed to {error}.")),
    })?;
    let agents = submission.agents.map(|agents| format!(", by {}", shared::words(agents)));
    let what = format!(
        "{}, revision {}, at {}{}: {id}",
        plan.name,
        plan.revision,
        target.name,
        agents.unwrap_or_default()
    );
    let act = if submission.search.is_some() { "find maximum" } else { "run plan" };
    app.audit_by(submission.by, act, &what)?;
    Ok(id)
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
