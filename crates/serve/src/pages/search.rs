//! The steps of a search for the highest rate: each is a run, with a page like a run's.

use maud::{PreEscaped, html};

use super::page_with_charts;
use super::run::{entry, sections};
use crate::call::{Answer, Call};
use crate::problem::Problem;
use crate::store;

/// `GET /runs/{id}/steps/{step}`.
pub(crate) fn step(call: &Call) -> Result<Answer, Problem> {
    let run = entry(call)?;
    let missing = || Problem::missing("step");
    let number: usize = call.segment("step").parse().map_err(|_| missing())?;
    let found = run.summary.capacity.as_ref().ok_or_else(missing)?;
    let name = number.checked_sub(1).and_then(|at| found.steps.get(at)).ok_or_else(missing)?;
    let files = call.app.history.files(&run.id);
    let step = call.app.children.step(files.directory(), number)?;
    let body = html! {
        p.crumbs {
            a href="/runs" { "Runs" } " · " a href={ "/runs/" (run.id) } { (store::name(&run)) }
        }
        p.given { "Step " (number) ": " (name) }
        (sections(&step.page))
        @if let Some(view) = &step.view {
            script type="application/json" id="view" { (PreEscaped(view.replace('<', "\\u003c"))) }
        }
    };
    Ok(Answer::page(page_with_charts(call, name, &body)))
}
