//! Thresholds for a plan's steps, proposed from their response times while nothing else is running.
//!
//! A single user runs the plan. The 99.9th percentile of a step's response times is rounded up, and shown as a change
//! of the plan's text that a person accepts or rejects.

use brunt_history::RunId;
use brunt_record::Status;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::agents_field;
use super::submission::{named, submit};
use super::{figure, hidden, page as whole, verdict};
use crate::call::{Answer, Call};
use crate::history::Entry;
use crate::problem::Problem;
use crate::submission::edited;

/// How long the user runs by default.
const LASTING: &str = "30s";
/// With fewer answers than this the 99.9th percentile is the slowest answer.
const ENOUGH: u64 = 1_000;

/// `POST /plans/{id}/thresholds`: runs the plan with one user.
pub(crate) fn measure(call: &Call) -> Result<Answer, Problem> {
    let plan = named(call)?;
    if agents_field::named(call)?.is_some() {
        return Err(Problem::unusable(
            "Thresholds are measured with one virtual user on this machine: leave the number of agents empty.",
        )
        .at("agents"));
    }
    let given = call.field("duration").trim();
    let duration = if given.is_empty() { LASTING } else { given };
    let text = edited(&call.app, &plan.text, &json!({ "op": "alone", "duration": duration }))?;
    let id = submit(call, &plan, &text)?;
    Ok(Answer::see(&format!("/plans/{}/thresholds?run={id}", plan.id)))
}

/// `GET /plans/{id}/thresholds`: the proposed thresholds.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let plan = named(call)?;
    let id: RunId = call.query("run").parse().map_err(|_| Problem::missing("run"))?;
    call.app.index_runs([id.clone()])?;
    let back = html! { p.crumbs { a href={ "/plans/" (plan.id) } { (plan.name) } } };
    let Some(run) = call.app.store.run(id.as_str())? else {
        let status = call.app.queue()?.status(&id).ok_or_else(|| Problem::missing("run"))?;
        let body = html! {
            (back)
            h1.large { "Thresholds" }
            @if status.state.is_over() {
                p.warning role="alert" { "There is no record of the run: " (status.reason) }
            } @else {
                p { "One virtual user is running the plan (" (status.state.word()) ")." }
                p { a href={ "/live/" (id) } { "Watch the run" } }
                p { a.again href=(call.path) data-again { "Refresh" } }
            }
        };
        return Ok(Answer::page(whole(call, "Thresholds", &body)));
    };
    let steps = measured(&run);
    let of =
        steps.iter().filter_map(|step| Some((step.name.clone(), json!(step.threshold.as_ref()?))));
    let of: serde_json::Map<String, Value> = of.collect();
    let text = edited(&call.app, &plan.text, &json!({ "op": "thresholds", "of": of }))?;
    let body = html! {
        (back)
        h1.large { "Thresholds" }
        p {
            "What each step took with one virtual user, in " a href={ "/runs/" (run.id) } { "this run" } ": "
            (verdict(run.summary.verdict))
        }
        @for reason in &run.summary.reasons { p.note { (reason) } }
        @if run.summary.verdict != Status::Valid {
            p.warning role="note" {
                "The run is not valid, so something other than the target affected these times. Measure again before \
                 you accept a threshold."
            }
        }
        (table(&steps))
        h2 { "What would change" }
        @if text == plan.text {
            p { "Nothing: the plan already has these thresholds, or no step has such a name." }
        } @else {
            (difference(&plan.text, &text))
            form method="post" action={ "/plans/" (plan.id) } {
                (hidden(call.who()?))
                input type="hidden" name="after" value=(plan.revision);
                textarea name="text" hidden { "\n" (text) }
                div.acts {
                    button.main { "Accept as a new revision" }
                    a href={ "/plans/" (plan.id) } { "Leave the plan as it is" }
                }
            }
        }
    };
    Ok(Answer::page(whole(call, "Thresholds", &body)))
}

/// The measured response times of a step.
struct Measured {
    name: String,
    /// The 99.9th percentile in milliseconds.
    took: f64,
    answers: u64,
    failed: u64,
    /// The proposed threshold; none for a step that failed, because failures take other times.
    threshold: Option<String>,
}

fn measured(run: &Entry) -> Vec<Measured> {
    let of = run.summary.operations.iter().filter_map(|operation| {
        let figures = &operation.figures;
        let took = figures.p999_ms.filter(|took| took.is_finite() && *took > 0.0)?;
        Some(Measured {
            name: operation.name.clone(),
            took,
            answers: figures.ok,
            failed: figures.missed,
            threshold: (figures.missed == 0 && figures.ok > 0).then(|| threshold(took)),
        })
    });
    of.collect()
}

/// A time rounded up to two significant digits, as a plan writes it.
fn threshold(took_ms: f64) -> String {
    let micros = took_ms * 1e3;
    let unit = 10_f64.powf((micros.log10().floor() - 1.0).max(0.0));
    let micros = ((micros / unit).ceil() * unit) as u64;
    match micros {
        micros if micros % 1_000_000 == 0 => format!("{}s", micros / 1_000_000),
        micros if micros % 1_000 == 0 => format!("{}ms", micros / 1_000),
        micros => format!("{micros}us"),
    }
}

fn table(steps: &[Measured]) -> Markup {
    html! {
        div.scroll role="region" tabindex="0" aria-label="Proposed thresholds" {
            table.cards {
                thead { tr {
                    th.name scope="col" { "step" } th scope="col" { "99.9 % within, ms" }
                    th scope="col" { "answers" } th scope="col" { "threshold" }
                } }
                tbody { @for step in steps { tr {
                    th.name scope="row" { (step.name) }
                    td data-label="99.9 % within, ms" { (figure(Some(step.took))) }
                    td data-label="answers" {
                        (step.answers)
                        @if step.failed > 0 { ", and " (step.failed) " failed" }
                        @else if step.answers < ENOUGH { " (few: this is close to the slowest)" }
                    }
                    td data-label="threshold" {
                        @match &step.threshold {
                            Some(time) => (time),
                            None => "none: some operations failed",
                        }
                    }
                } } }
            }
        }
    }
}

/// The lines in which two texts differ, removed and added, with a few unchanged lines around them.
pub(super) fn difference(before: &str, after: &str) -> Markup {
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.lines().collect(), after.lines().collect());
    let mut lines: Vec<(char, &str)> = Vec::new();
    let (mut old, mut new) = (0, 0);
    while old < before.len() || new < after.len() {
        if old < before.len() && after.get(new) == before.get(old) {
            lines.push((' ', before[old]));
            (old, new) = (old + 1, new + 1);
        } else if old < before.len() && !after[new.min(after.len())..].contains(&before[old]) {
            lines.push(('-', before[old]));
            old += 1;
        } else if new < after.len() {
            lines.push(('+', after[new]));
            new += 1;
        } else {
            lines.push(('-', before[old]));
            old += 1;
        }
    }
    let near = |at: usize| {
        let from = at.saturating_sub(3);
        lines[from..(at + 4).min(lines.len())].iter().any(|(mark, _)| *mark != ' ')
    };
    html! {
        pre.difference tabindex="0" {
            @for (at, (mark, line)) in lines.iter().enumerate() {
                @if near(at) {
                    @match mark {
                        '+' => ins { "+ " (line) "\n" },
                        '-' => del { "- " (line) "\n" },
                        _ => span { "  " (line) "\n" },
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threshold_is_rounded_up_in_plan_notation() {
        for (took, expected) in [
            (0.0123, "13us"),
            (0.12, "120us"),
            (0.121, "130us"),
            (1.0, "1ms"),
            (12.01, "13ms"),
            (99.2, "100ms"),
            (101.0, "110ms"),
            (1_999.0, "2s"),
            (2_010.0, "2100ms"),
        ] {
            assert_eq!(threshold(took), expected, "{took}");
        }
    }

    #[test]
    fn diff_shows_removed_and_added_lines() {
        let shown = difference("a\nb\nc\n", "a\nx\nb\nd\n").into_string();
        let marked: String = shown.matches(['+', '-']).collect();
        assert_eq!(marked, "+-+", "{shown}");
    }
}
