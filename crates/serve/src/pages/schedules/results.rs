//! The results of the times of a schedule.

use maud::{Markup, html};

use crate::call::Call;
use crate::pages::{against, figure, moment_of, outcome};
use crate::problem::Problem;
use crate::store::{DueRun, Schedule};

/// The results of the last times, the newest first, at most so many.
pub(super) fn results(call: &Call, schedule: &Schedule, most: i64) -> Result<Markup, Problem> {
    let due_runs = call.app.store.occasions(schedule.id, most)?;
    let all = call.app.store.occasion_count(schedule.id)?;
    Ok(html! {
        @if !due_runs.is_empty() {
            div.scroll role="region" tabindex="0" aria-label="Last times" {
                table.cards {
                    thead { tr {
                        th.name scope="col" { "due" } th.name scope="col" { "result" } th scope="col" { "p99 ms" }
                        th.name scope="col" { "against the baseline" } th.name scope="col" { "message" }
                    } }
                    tbody { @for due_run in &due_runs { (result(call, due_run)?) } }
                }
            }
            @if all > most {
                p.small { a href={ "/schedules/" (schedule.id) "#results" } { "All " (all) } }
            }
        }
    })
}

fn result(call: &Call, due_run: &DueRun) -> Result<Markup, Problem> {
    let run = due_run.run.as_deref().map(|id| call.app.store.run(id)).transpose()?.flatten();
    let against = run.as_ref().map(|run| against::stored(call, run)).transpose()?;
    Ok(html! {
        tr {
            th.name scope="row" { (moment_of(due_run.at)) }
            td.name data-label="result" {
                @match (&run, &due_run.run) {
                    (Some(run), _) => a href={ "/runs/" (run.id) } { (outcome(&run.summary)) },
                    (None, Some(id)) => a href={ "/live/" (id) } {
                        @if due_run.outcome.is_empty() { "run" } @else { (due_run.outcome) }
                    },
                    (None, None) => { span.mark.none { "not run" } br; span.note { (due_run.missed) } }
                }
            }
            td data-label="p99 ms" { (figure(run.as_ref().and_then(|run| run.summary.figures.p99_ms))) }
            td.name data-label="against the baseline" { @if let Some(against) = against { (against) } @else { "–" } }
            td.name data-label="message" { @if due_run.delivery.is_empty() { "–" } @else { (due_run.delivery) } }
        }
    })
}
