//! The page of a run: the report's own text, tables and charts, and what people wrote about the run.

use brunt_history::{About, LOADGEN, PAGE_MAX, PageParts};
use brunt_record::Status;
use http::StatusCode;
use maud::{Markup, PreEscaped, html};

use super::form::{AREA, Area, Form, Input, Script, TEXT};
use super::{hidden, moment, page_with_charts};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::changes::runs::{change, tags};
use crate::history::Entry;
use crate::problem::Problem;
use crate::store::name;

/// The most runs for one action on several.
const SEVERAL_MAX: usize = 200;

/// The run that a path names.
pub(crate) fn entry(call: &Call) -> Result<Entry, Problem> {
    let id = call.segment("id");
    let found = call.app.store.run(id)?;
    found.ok_or_else(|| Problem::missing("run"))
}

/// `GET /runs/{id}`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let run = entry(call)?;
    let history = &call.app.history;
    let parts = history.page(&run.id).map_err(Problem::bug)?.unwrap_or_default();
    let view = history.view(&run.id).map_err(Problem::bug)?;
    let runner = call.who()?.user.role >= Role::Runner;
    let test = call.app.store.test_of(run.id.as_str())?;
    let body = html! {
        p.crumbs {
            a href="/runs" { "Runs" }
            @if !test.is_empty() { " · " a href={ "/tests/" (test) } { "Its test" } }
            // Keyboard users would have to pass many charts and tables to reach the form.
            @if runner { " · " a href="#about" { "Name, tags and note" } }
        }
        @if !run.about.name.is_empty() {
            p.given { (run.about.name) @if run.summary.capacity.is_some() { ": the highest rate" } }
        }
        (said(&run))
        (sections(&parts))
        (steps(&run))
        (acts(call, &run)?)
        @if runner { (form(call, &run)?) }
        @if let Some(view) = view {
            // JSON in which nothing can close the script element.
            script type="application/json" id="view" { (PreEscaped(view.replace('<', "\\u003c"))) }
        }
    };
    Ok(Answer::page(page_with_charts(call, &name(&run), &body)))
}

/// `GET /runs/{id}/loadgen`: the report of a LoadGen job that was imported as a plan.
pub(crate) fn loadgen(call: &Call) -> Result<Answer, Problem> {
    let run = entry(call)?;
    let text = call.app.history.files(&run.id).text(LOADGEN, PAGE_MAX).map_err(Problem::bug)?;
    let text = text.ok_or_else(|| Problem::missing("report"))?;
    Ok(Answer::new("text/plain; charset=utf-8", text.into_bytes()))
}

/// What people wrote about the run, in one line.
fn said(run: &Entry) -> Markup {
    let About { tags, pin, baseline, origin, note, .. } = &run.about;
    html! {
        p.said {
            @if *baseline { span.tag { "baseline" } " " }
            @if *pin { span.tag { "pinned" } " " }
            @for tag in tags { a.tag href={ "/runs?tag=" (super::history::encoded(tag)) } { (tag) } " " }
            @if let Some(commit) = &origin.commit { "commit " code { (commit) } " · " }
            @if origin.brought { "record uploaded by " } @else { "run by " }
            (origin.by)
            @if let Some(agents) = &origin.agents { ", on " (agents) }
            @if !origin.at.is_empty() { ", " (moment(&origin.at)) }
        }
        @if *baseline && run.summary.verdict != Status::Valid {
            p.warning {
                "This baseline is " (run.summary.verdict.word()) ": no run is compared with it. Mark another run as \
                 the baseline of this load."
            }
        }
        @if !note.is_empty() { p.noted { (note) } }
    }
}

/// The sections of a page from the report, with links to them.
pub(super) fn sections(parts: &PageParts) -> Markup {
    html! {
        @for (number, (id, inner)) in parts.sections.iter().enumerate() {
            section id=(id) { (PreEscaped(inner)) }
            @if number == 0 && parts.sections.len() > 3 {
                nav aria-label="Contents" {
                    ul {
                        @for (id, inner) in &parts.sections[1..] {
                            li { a href={ "#" (id) } { (PreEscaped(heading(inner))) } }
                        }
                    }
                }
            }
        }
    }
}

/// The heading at the beginning of a section, in its escaped form.
fn heading(inner: &str) -> &str {
    let rest = inner.split_once("<h2>").map_or("", |(_, rest)| rest);
    rest.split_once("</h2>").map_or("", |(heading, _)| heading)
}

/// Links to the steps of a search for the highest rate.
fn steps(run: &Entry) -> Markup {
    let steps = run.summary.capacity.iter().flat_map(|found| &found.steps);
    html! {
        @if run.summary.capacity.is_some() {
            section id="steps" {
                h2 { "Each step is a run" }
                p { a href={ "/runs/" (run.id) "/limit" } { "The limit, and how many servers a peak needs" } }
                details {
                    summary { "Pages of the steps" }
                    ol.plain { @for (number, step) in (1..).zip(steps) {
                        li { a href={ "/runs/" (run.id) "/steps/" (number) } { (step) } }
                    } }
                }
            }
        }
    }
}

fn acts(call: &Call, run: &Entry) -> Result<Markup, Problem> {
    // A search is not compared; its steps can be.
    let is_run = run.summary.capacity.is_none();
    let baseline = call.app.store.baseline_of(&run.summary.load)?;
    let baseline = baseline.filter(|one| is_run && one.id != run.id);
    let load = super::history::encoded(&run.summary.load);
    let (others, trend) = (format!("/runs?load={load}"), format!("/trends?load={load}"));
    Ok(html! {
        section id="more" {
            h2 { "More" }
            ul.plain {
                @if let Some(baseline) = baseline {
                    li { a href={ "/compare?run=" (baseline.id) "&run=" (run.id) } {
                        "Compare with the baseline, " (name(&baseline))
                    } }
                }
                @if !run.summary.load.is_empty() {
                    li { a href=(others) { "Runs of the same load" } }
                    @if is_run {
                        li { a href=(trend) { "Trend of these runs" } }
                    }
                }
                @if call.app.history.files(&run.id).path(LOADGEN).is_file() {
                    li { a href={ "/runs/" (run.id) "/loadgen" } { "LoadGen's report" } }
                }
                li { a href={ "/runs/" (run.id) "/record" } { "Record (JSON, gzip), as brunt report reads it" } }
                li { a href={ "/runs/" (run.id) "/csv" } { @if is_run { "Intervals" } @else { "Steps" } " as CSV" } }
                li { a href={ "/runs/" (run.id) "/html" } { "This page as one HTML file" } }
            }
            @if call.who()?.user.role >= Role::Runner {
                (super::share_form::form(call, &[run]))
                p { a href="/shares" { "Shared links" } }
            }
        }
    })
}

fn form(call: &Call, run: &Entry) -> Result<Markup, Problem> {
    let About { name, tags, note, pin, baseline, .. } = &run.about;
    let form = Form::new(call, format!("/runs/{}/about", run.id));
    let marked = "Baseline: other runs of the same load are compared with this one";
    let fields = html! {
        (form.input("name", "Name", Input { value: name, ..TEXT }))
        (form.input("tags", "Tags, separated by commas", Input { value: &tags.join(", "), ..TEXT }))
        (form.area("note", "Note", Area { rows: 4, value: note, ..AREA }))
        (form.tick("pin", "Pinned", *pin))
        @if run.summary.capacity.is_none() { (form.tick("baseline", marked, *baseline)) }
        div.acts { button.main { "Save" } }
    };
    Ok(html! {
        section id="about" {
            h2 { "Name, tags and note" }
            (form.whole("stack", Script::Nothing, &fields))
            form method="post" action="/runs" {
                (hidden(call.who()?))
                input type="hidden" name="run" value=(run.id);
                button.danger name="act" value="delete" data-confirm="Delete this run permanently?" {
                    "Delete this run"
                }
            }
        }
    })
}

/// `POST /runs/{id}/about`.
pub(crate) fn about(call: &Call) -> Result<Answer, Problem> {
    let run = entry(call)?;
    let changed = change(&call.app, &run.id, |about| {
        call.field("name").trim().clone_into(&mut about.name);
        about.note = call.field("note").replace("\r\n", "\n");
        about.tags = tags(call.field("tags"));
        about.pin = call.field("pin") == "1";
        about.baseline = call.field("baseline") == "1" && run.summary.capacity.is_none();
    })?;
    call.app.audit(call.who()?, "describe run", &format!("{} {}", run.id, changed.name))?;
    Ok(Answer::see(&format!("/runs/{}", run.id)))
}

/// `POST /runs`: an action on several runs at once.
pub(crate) fn several(call: &Call) -> Result<Answer, Problem> {
    let chosen = call.form.iter().filter(|(name, _)| name == "run").map(|(_, id)| id.as_str());
    let chosen: Vec<&str> = chosen.take(SEVERAL_MAX).collect();
    if chosen.is_empty() {
        return Err(Problem::unusable("No run was chosen. Select at least one."));
    }
    let act = call.field("act");
    let added = tags(call.field("tags"));
    for id in chosen {
        let Some(run) = call.app.store.run(id)? else { continue };
        match act {
            "delete" => delete(call, &run)?,
            "tag" => {
                change(&call.app, &run.id, |about| about.tags.extend(added.clone()))?;
            }
            "pin" | "unpin" => {
                change(&call.app, &run.id, |about| about.pin = act == "pin")?;
            }
            _ => return Err(Problem::unusable("This action does not exist.")),
        }
        if act != "delete" {
            call.app.audit(call.who()?, act, run.id.as_str())?;
        }
    }
    Ok(Answer::see("/runs"))
}

fn delete(call: &Call, run: &Entry) -> Result<(), Problem> {
    if run.about.pin || run.about.baseline {
        let detail = format!("{} is pinned or a baseline. Remove that mark first.", name(run));
        return Err(Problem::new(StatusCode::CONFLICT, "Not deleted", detail));
    }
    call.app.history.remove(&run.id).map_err(Problem::failed)?;
    call.app.store.forget_run(run.id.as_str())?;
    call.app.audit(call.who()?, "delete run", &format!("{} {}", run.id, name(run)))
}
