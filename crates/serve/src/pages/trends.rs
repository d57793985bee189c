//! How the figures of a load changed over its runs, as `brunt trend` finds it.

mod course;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use brunt_history::{RECORD_KEPT, RunId};
use brunt_record::Status;
use brunt_report::comparison::{Figure, RECORDS_MAX};
use maud::{Markup, html};

use super::annotations;
use super::moments::zone;
use super::run::sections;
use super::{figure, moment, page as whole};
use crate::call::{Answer, Call};
use crate::child::Trended;
use crate::history::Entry;
use crate::problem::Problem;
use crate::store::{Filter, FollowedRun, Test, name as run_name};

use course::{Trend, change_words, is_left_out, name, short, unit};

/// With fewer runs there is no level before and after a change.
const RUNS_MIN: usize = 6;
/// The most runs of the list below the charts.
const LISTED_MAX: usize = 50;

/// The valid runs of a load, oldest first, and how many others there are.
fn runs(call: &Call, load: &str) -> Result<(Vec<Entry>, usize), Problem> {
    let filter = Filter { load: load.to_owned(), ..Filter::default() };
    let mut runs = call.app.store.runs(&filter, None, RECORDS_MAX)?.runs;
    let all = runs.len();
    runs.retain(|run| run.summary.verdict == Status::Valid && run.summary.capacity.is_none());
    runs.reverse();
    let others = all - runs.len();
    Ok((runs, others))
}

/// The load that an address names.
fn load(call: &Call) -> Result<&str, Problem> {
    let load = call.query("load").trim();
    if load.is_empty() {
        return Err(Problem::unusable(
            "Give the load: it is the value of 'load' in the summary of each of its runs.",
        ));
    }
    Ok(load)
}

/// The trend of these runs, which is remembered: its tests for changes take longer than all else together.
fn followed(call: &Call, runs: &[RunId], name: String) -> Result<Arc<Trended>, Problem> {
    let mut hasher = DefaultHasher::new();
    (runs, &name).hash(&mut hasher);
    let history = &call.app.history;
    let records = || runs.iter().map(|id| history.files(id).path(RECORD_KEPT)).collect();
    call.app.trends.of(hasher.finish(), || {
        let trended = call.app.children.trend(history.directory(), name, records());
        Ok::<_, Problem>(Arc::new(trended?))
    })
}

fn too_few(count: usize) -> String {
    let valid = match count {
        0 => "No run of this load is valid yet".to_owned(),
        1 => "Only one run of this load is valid".to_owned(),
        many => format!("Only {many} runs of this load are valid"),
    };
    format!("{valid}, and a trend needs at least {RUNS_MIN}.")
}

/// `GET /trends`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let load = load(call)?;
    let content = if call.query("all").is_empty() {
        let content = content(call, load, None)?;
        html! { h1.large { "Trend" } (content) }
    } else {
        all(call, load)?
    };
    let body = html! {
        p.crumbs { a href={ "/runs?load=" (super::history::encoded(load)) } { "Runs of the same load" } }
        (content)
    };
    Ok(Answer::page(whole(call, "Trend", &body)))
}

/// How the main figures of a load changed, in the project of a test if one is given: from the index alone.
pub(super) fn content(call: &Call, load: &str, test: Option<&Test>) -> Result<Markup, Problem> {
    let mut runs = call.app.store.followed(load, RECORDS_MAX)?;
    runs.retain(|run| test.is_none_or(|test| test.project == run.project));
    let out = runs.iter().filter(|run| is_left_out(run)).count();
    let count = runs.len() - out;
    if count < RUNS_MIN {
        return Ok(html! {
            div.empty { p {
                (too_few(count)) " A " a href="/schedules" { "schedule" } " makes them by itself, one each night."
            } }
        });
    }
    let trends = [Figure::P99, Figure::Goodput];
    let trends = trends.map(|figure| Trend::new(&runs, figure, &call.app.levels));
    let happened = annotations::of_runs(call, load, &runs)?;
    Ok(html! {
        (message(&trends, count))
        p.trust {
            @if out > 0 {
                (out) " runs that are not valid are left out, and drawn hollow: their figures say nothing about the \
                target. "
            }
            "The grey line is the newest baseline, and the band about it is how much runs of one level usually differ. "
            (zone())
        }
        div.over.courses { @for course in &trends { (course.chart(&happened)) } }
        (annotations::listed("What happened", &happened))
        (changes(&trends))
        (listed(&runs))
        p { a href={ "/trends?load=" (super::history::encoded(load)) "&all=1" } { "All figures and operations" } }
    })
}

/// The newest change in a sentence.
fn message(trends: &[Trend<'_>], count: usize) -> Markup {
    let all = trends.iter().flat_map(|course| course.changes().map(move |change| (course, change)));
    let newest = all.max_by(|(_, (a, ..)), (_, (b, ..))| a.started.cmp(&b.started));
    html! {
        p.lead {
            @match newest {
                None => {
                    span.mark { "No change" } " in " (count) " runs: neither the response times nor the goodput have \
                    changed their level by more than chance explains."
                }
                Some((course, (run, before, after))) => {
                    @let is_worse = course.is_worse(before, after);
                    span class=(if is_worse { "mark bad" } else { "mark good" }) {
                        @if is_worse { "Worse since " } @else { "Better since " } (moment(&run.started)) "."
                    }
                    " " (name(course.figure)) " changed by "
                    (change_words(before, after).replace(' ', "\u{a0}")) ", from "
                    (figure(Some(before.value))) " to " (figure(Some(after.value))) " " (unit(course.figure))
                    @if !run.commit.is_empty() { ", with commit " code { (short(&run.commit)) } }
                    "."
                }
            }
        }
    }
}

/// All changes, the newest first.
fn changes(trends: &[Trend<'_>]) -> Markup {
    let all = trends.iter().flat_map(|course| course.changes().map(move |change| (course, change)));
    let mut all: Vec<_> = all.collect();
    all.sort_by(|(_, (a, ..)), (_, (b, ..))| b.started.cmp(&a.started));
    html! {
        @if !all.is_empty() {
            section id="changes" {
                h2 { "What changed, and when" }
                div.scroll role="region" tabindex="0" aria-label="Changes" {
                    table.data {
                        thead { tr {
                            th.name scope="col" { "since" } th.name scope="col" { "figure" }
                            th scope="col" { "before" } th scope="col" { "after" } th scope="col" { "change" }
                            th.name scope="col" { "commit" } th.name scope="col" { "runs" }
                        } }
                        tbody { @for (course, (run, before, after)) in &all { tr {
                            th.name scope="row" { (moment(&run.started)) }
                            td.name { (name(course.figure)) ", " (unit(course.figure)) }
                            td { (figure(Some(before.value))) } td { (figure(Some(after.value))) }
                            td { (change_words(before, after)) }
                            td.name { @if !run.commit.is_empty() { code { (short(&run.commit)) } } }
                            td.name {
                                a href={ "/compare?run=" (course.runs[before.to].id) "&run=" (run.id) } {
                                    "compare the runs before and after"
                                }
                            }
                        } } }
                    }
                }
            }
        }
    }
}

/// The newest runs.
fn listed(runs: &[FollowedRun]) -> Markup {
    html! {
        section id="runs" {
            h2 { "The newest runs" }
            div.scroll role="region" tabindex="0" aria-label="Runs" {
                table.data {
                    thead { tr {
                        th.name scope="col" { "began" } th.name scope="col" { "outcome" }
                        th scope="col" { "p99, ms" } th scope="col" { "goodput, per s" }
                        th.name scope="col" { "commit" }
                    } }
                    tbody { @for run in runs.iter().rev().take(LISTED_MAX) { tr {
                        th.name scope="row" { a href={ "/runs/" (run.id) } { (moment(&run.started)) } }
                        td.name {
                            @if is_left_out(run) { (run.verdict) ", left out" }
                            @else { (run.outcome.replace('-', " ")) }
                            @if run.baseline { " " span.tag { "baseline" } }
                        }
                        td { (figure(run.p99_ms)) } td { (figure(run.goodput)) }
                        td.name { @if !run.commit.is_empty() { code { (short(&run.commit)) } } }
                    } } }
                }
            }
        }
    }
}

/// Every figure of every operation, as `brunt trend` follows them.
fn all(call: &Call, load: &str) -> Result<Markup, Problem> {
    let (runs, others) = runs(call, load)?;
    if runs.len() < RUNS_MIN {
        return Ok(html! {
            h1.large { "Trend" }
            div.empty { p { (too_few(runs.len())) } }
        });
    }
    Ok(html! {
        @if others > 0 {
            p.note { (others) " runs that are not valid are left out: their figures say nothing about the target." }
        }
        @let ids: Vec<RunId> = runs.iter().map(|run| run.id.clone()).collect();
        (sections(&followed(call, &ids, runs.last().map(run_name).unwrap_or_default())?.page))
        section id="runs" {
            h2 { "The runs" }
            ol.plain { @for run in &runs {
                li {
                    a href={ "/runs/" (run.id) } { (run_name(run)) } ", " (moment(&run.summary.started))
                    @if let Some(commit) = &run.about.origin.commit { ", commit " code { (commit) } }
                }
            } }
        }
    })
}

/// `GET /api/v1/trends`.
pub(crate) fn document(call: &Call) -> Result<Answer, Problem> {
    // Only columns of the index are read: hundreds of summaries take longer than the rest of the answer.
    let runs = call.app.store.followed(load(call)?, RECORDS_MAX)?;
    let valid = runs.iter().filter(|run| run.verdict == Status::Valid.word());
    let ids: Vec<RunId> = valid.filter_map(|run| run.id.parse().ok()).collect();
    if ids.len() < RUNS_MIN {
        return Err(Problem::unusable(too_few(ids.len())));
    }
    let newest = ids.last().map(|id| call.app.store.run(id.as_str())).transpose()?.flatten();
    let name = newest.as_ref().map(run_name).unwrap_or_default();
    Ok(Answer::new(crate::call::JSON, followed(call, &ids, name)?.json.clone().into_bytes()))
}
