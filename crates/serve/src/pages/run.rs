//! The page of a run: the report's own text, tables and charts, and what people wrote about the run.

use brunt_history::{About, LOADGEN, PAGE_MAX, PageParts};
use brunt_record::Status;
use http::StatusCode;
use maud::{Markup, PreEscaped, html};

use super::actions::Actions;
use super::form::{AREA, Area, Form, Input, Script, TEXT};
use super::{annotations, hidden, moment, page_with_charts};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::changes::runs::{change, tags};
use crate::history::Entry;
use crate::moment::clock;
use crate::problem::Problem;
use crate::store::name;

/// The parts of a run's page above the first heading.
const ABOVE: [&str; 4] = ["top", "result", "objectives", "next"];
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
    let body = html! {
        (crumbs(call, &run)?)
        (whole(&parts, &run, (&Actions::new(call, &run)?, runner))?)
        (annotations::of_run(call, &run)?)
        (steps(&run))
        (more(call, &run)?)
        @if runner { (form(call, &run)?) }
        @if let Some(view) = view {
            // JSON in which nothing can close the script element.
            script type="application/json" id="view" { (PreEscaped(view.replace('<', "\\u003c"))) }
        }
    };
    Ok(Answer::page(page_with_charts(call, &name(&run), &body)))
}

/// Where the run belongs.
fn crumbs(call: &Call, run: &Entry) -> Result<Markup, Problem> {
    let store = &call.app.store;
    let test = store.test(&store.test_of(run.id.as_str())?)?;
    Ok(html! {
        p.crumbs {
            @match test {
                Some(test) => {
                    a href="/" { "Tests" } " / " a href={ "/tests/" (test.key) } { (test.name) } " / run"
                }
                None => a href="/runs" { "Runs" },
            }
        }
    })
}

/// `GET /runs/{id}/loadgen`: the report of a LoadGen job that was imported as a plan.
pub(crate) fn loadgen(call: &Call) -> Result<Answer, Problem> {
    let run = entry(call)?;
    let text = call.app.history.files(&run.id).text(LOADGEN, PAGE_MAX).map_err(Problem::bug)?;
    let text = text.ok_or_else(|| Problem::missing("report"))?;
    Ok(Answer::new("text/plain; charset=utf-8", text.into_bytes()))
}

/// What people wrote about the run, in one line. Who may change that reaches the form from here, since keyboard users
/// would have to pass many charts and tables.
fn message(run: &Entry, runner: bool) -> Markup {
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
            @if run.summary.seconds > 0.0 { ", measured for " (clock(run.summary.seconds)) }
            @if !run.summary.host.is_empty() { " on " (run.summary.host) }
            @if runner { " · " a href="#about" { "edit" span.away { " name, tags and note" } } }
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

/// The page of a run from the report, with what the site adds to it: the name that a person gave it, what can be done
/// with it, the figures of the baseline.
fn whole(
    parts: &PageParts,
    run: &Entry,
    (actions, runner): (&Actions<'_>, bool),
) -> Result<Markup, Problem> {
    let name = &run.about.name;
    let is_search = run.summary.capacity.is_some();
    let mut parts = parts.clone();
    if !name.is_empty()
        && let Some((_, top)) = parts.sections.first_mut()
    {
        let (_, rest) = top.split_once("</h1>").unwrap_or(("", top));
        let title = html! { h1.given { (name) @if is_search { ": the highest rate" } } };
        *top = title.into_string() + rest;
    }
    for (id, inner) in &mut parts.sections {
        if id == "top" {
            let (title, rest) = inner.split_once("</h1>").unwrap_or(("", inner));
            // The report has a line of its own for pages outside of a site.
            let line = rest.trim_start().strip_prefix("<p class=\"meta\">");
            let rest = line.and_then(|line| line.split_once("</p>")).map_or(rest, |(_, rest)| rest);
            *inner = [title, "</h1>", &message(run, runner).into_string(), rest].concat();
        } else if id == "result" {
            *inner = actions.beside_the_baseline(inner);
        }
    }
    // The report's own steps are commands; here they are links.
    parts.sections.retain(|(id, _)| id != "next");
    Ok(laid_out(&parts, (&actions.buttons()?, &actions.next())))
}

/// The sections of a page from the report, with links to them.
pub(super) fn sections(parts: &PageParts) -> Markup {
    laid_out(parts, (&html! {}, &html! {}))
}

/// The same with what can be done with a run, and what next.
fn laid_out(parts: &PageParts, (buttons, next): (&Markup, &Markup)) -> Markup {
    let is_above = |(id, _): &(String, String)| ABOVE.contains(&id.as_str());
    let above = parts.sections.iter().take_while(|part| is_above(part)).count();
    let is_run = parts.sections.iter().any(|(id, _)| id == "result");
    let inner = html! {
        @for (number, (id, inner)) in parts.sections.iter().enumerate() {
            @if number == above { (next) (contents(&parts.sections[above..])) }
            section id=(id) { (PreEscaped(inner)) }
            @if number == 0 { (buttons) }
        }
        @if above == parts.sections.len() { (next) }
    };
    html! { @if is_run { div.run { (inner) } } @else { (inner) } }
}

/// Links to sections, where there are enough to be useful.
fn contents(sections: &[(String, String)]) -> Markup {
    html! {
        @if sections.len() > 2 {
            nav aria-label="Contents" {
                ul {
                    @for (id, inner) in sections {
                        li { a href={ "#" (id) } { (PreEscaped(heading(inner))) } }
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

/// Other pages that show the run, and the form that shares it.
fn more(call: &Call, run: &Entry) -> Result<Markup, Problem> {
    let is_run = run.summary.capacity.is_none();
    let load = super::history::encoded(&run.summary.load);
    let (others, trend) = (format!("/runs?load={load}"), format!("/trends?load={load}"));
    Ok(html! {
        section id="more" {
            h2 { "More" }
            ul.plain {
                @if !run.summary.load.is_empty() {
                    li { a href=(others) { "Runs of the same load" } }
                    @if is_run {
                        li { a href=(trend) { "Trend of these runs" } }
                    }
                }
                @if let Some(of_record) = &run.summary.run { li { "In its record: run " code { (of_record) } } }
            }
            @if call.who()?.user.role >= Role::Runner {
                div #share { (super::share_form::form(call, &[run])) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_page_links_only_to_sections_with_a_heading() {
        let ids = ["top", "result", "objectives", "latency", "operations", "failures"];
        let section = |id: &str| (id.to_owned(), format!("<h2>{id}</h2>\n"));
        let parts = PageParts { sections: ids.map(section).to_vec(), ..PageParts::default() };
        let (buttons, next) = (html! { p { "buttons" } }, html! { p { "next" } });
        let page = laid_out(&parts, (&buttons, &next)).into_string();
        let at = |what: &str| page.find(what).unwrap_or_else(|| panic!("{what} in {page}"));
        let order = [
            "<div class=\"run\">",
            "<section id=\"top\">",
            "<p>buttons</p>",
            "<section id=\"result\">",
            "<section id=\"objectives\">",
            "<p>next</p>",
            "<nav aria-label=\"Contents\">",
            "<section id=\"latency\">",
        ];
        let places = order.map(at);
        assert!(places.is_sorted(), "{places:?}");
        assert!(page.contains("<li><a href=\"#latency\">latency</a></li>"));
        assert!(!page.contains("href=\"#objectives\""));
        // A page of an older version, and that of a search, have no such parts.
        let old = PageParts { sections: vec![section("top")], ..PageParts::default() };
        let page = laid_out(&old, (&buttons, &next)).into_string();
        assert!(page.ends_with("<p>buttons</p><p>next</p>") && !page.contains("class=\"run\""));
    }
}
