//! How the figures of a load changed over its runs, as `brunt trend` finds it.

use brunt_history::RECORD_KEPT;
use brunt_record::Status;
use brunt_report::comparison::RECORDS_MAX;
use maud::{Markup, html};

use super::page as whole;
use super::run::sections;
use crate::call::{Answer, Call};
use crate::child::Trended;
use crate::history::Entry;
use crate::problem::{Problem, sentence};
use crate::store::{Filter, name};

/// With fewer runs there is no level before and after a change.
const RUNS_MIN: usize = 6;

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

fn followed(call: &Call, runs: &[Entry]) -> Result<Trended, Problem> {
    let history = &call.app.history;
    let name = runs.last().map(name).unwrap_or_default();
    let records = runs.iter().map(|run| history.files(&run.id).path(RECORD_KEPT)).collect();
    let trended = call.app.children.trend(history.directory(), name, records);
    trended.map_err(Problem::bug)?.map_err(|why| Problem::unusable(sentence(&why)))
}

fn too_few(count: usize) -> String {
    format!("There are {count} valid runs of this load, and a trend needs at least {RUNS_MIN}.")
}

/// `GET /trends`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let load = load(call)?;
    let body = html! {
        p.crumbs { a href={ "/runs?load=" (super::history::encoded(load)) } { "Runs of the same load" } }
        (content(call, load)?)
    };
    Ok(Answer::page(whole(call, "Trend", &body)))
}

/// The trend of a load.
pub(super) fn content(call: &Call, load: &str) -> Result<Markup, Problem> {
    let (runs, others) = runs(call, load)?;
    Ok(html! {
        @if others > 0 {
            p.note { (others) " runs that are not valid are left out: their figures say nothing about the target." }
        }
        @if runs.len() < RUNS_MIN {
            div.empty { p { (too_few(runs.len())) } }
        } @else {
            (sections(&followed(call, &runs)?.page))
            section id="runs" {
                h2 { "The runs" }
                ol.plain { @for run in &runs {
                    li {
                        a href={ "/runs/" (run.id) } { (name(run)) } ", " (super::moment(&run.summary.started))
                        @if let Some(commit) = &run.about.origin.commit { ", commit " code { (commit) } }
                    }
                } }
            }
        }
    })
}

/// `GET /api/v1/trends`.
pub(crate) fn document(call: &Call) -> Result<Answer, Problem> {
    let (runs, _) = runs(call, load(call)?)?;
    if runs.len() < RUNS_MIN {
        return Err(Problem::unusable(too_few(runs.len())));
    }
    Ok(Answer::new(crate::call::JSON, followed(call, &runs)?.json.into_bytes()))
}
