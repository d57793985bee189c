//! Searches for the highest rate that a target sustains: the form, and the options of a search beside its plan.
//!
//! A search is submitted, queued, run and stored like a run. It uses the steps of the plan. Their rate, duration and
//! number of users are what the search varies, so these are removed from its plan.

use brunt_envelope::Search;
use maud::{Markup, html};
use serde_json::json;

use super::agents_field;
use super::form::{AREA, Area, Form, Input, Script, TEXT};
use super::submission::{named, offered, open_targets, submit_with};
use crate::app::App;
use crate::call::{Answer, Call};
use crate::problem::Problem;
use crate::store::{Plan, Target};
use crate::submission::edited;

/// The most objectives of a search in addition to those of its plan.
pub(crate) const OBJECTIVES_MAX: usize = 20;
/// The most characters of an objective, and of a rate.
pub(crate) const TEXT_MAX: usize = 200;
/// The default objective: a limit that fits any target.
const USUAL: &str = "p99<5x";

/// The form for starting a search.
pub(super) fn form(call: &Call, plan: &Plan) -> Result<Markup, Problem> {
    let targets = open_targets(call)?;
    Ok(html! {
        @if !targets.is_empty() {
            section id="find" {
                h2 { "Find the highest rate" }
                p.note {
                    "Runs the saved plan at one rate after another, to find the highest rate that the target can \
                     sustain. It overloads the target, and ends each attempt as soon as the overload is clear. The \
                     search ignores what the plan says about rate, duration and number of users, because it varies \
                     them."
                }
                (fields(call, plan, &targets))
            }
        }
    })
}

fn fields(call: &Call, plan: &Plan, targets: &[Target]) -> Markup {
    let form = Form::new(call, format!("/plans/{}/find", plan.id)).prefixed("find-");
    let input = |hint: &'static str| Input { hint, most: Some(TEXT_MAX), ..TEXT };
    let quick = "Quick: at most 5 minutes, with the rate held for 1 minute; otherwise 45 minutes, held for 5";
    let writes =
        "The plan may change data on the target, at rates as high as the target can sustain";
    let fields = html! {
        (form.choice("target", "Target; its highest rate is the limit", &offered(targets), ""))
        (form.area("objectives", "Objectives, one per line, in addition to the plan's own", Area {
            rows: 2, value: USUAL, is_code: true, ..AREA
        }))
        p.note {
            code { "p99<20ms" } ": 99 of 100 answers within 20 ms. " code { "p99<5x" }
            ": within five times what they take when nothing else is running."
        }
        div.fields {
            (form.input("from", "From; if empty, automatic", input("200/s")))
            (form.input("to", "To; if empty, the target's highest", input("20k/s")))
        }
        p.note { "Rates count iterations of the plan." }
        (form.tick("quick", quick, true))
        (form.tick("writes", writes, false))
        (form.input("tags", "Tags, separated by commas", input("")))
        (form.input("commit", "Commit that is tested", input("")))
        @if targets.iter().any(|target| target.production) {
            (form.input("sure", "For a production target: type its name", input("")))
        }
        div { button.main { "Find it" } }
    };
    form.whole("stack", Script::Nothing, &fields)
}

/// `POST /plans/{id}/find`.
pub(crate) fn find(call: &Call) -> Result<Answer, Problem> {
    let plan = named(call)?;
    let given = |name: &str| Some(call.field(name).trim().to_owned()).filter(|it| !it.is_empty());
    let search = Search {
        objectives: call.field("objectives").lines().map(str::to_owned).collect(),
        from: given("from"),
        to: given("to"),
        quick: call.field("quick") == "1",
        writes: call.field("writes") == "1",
        second: None,
    };
    let search = bounded(&call.app, search)?;
    let text = without_pace(&call.app, &plan)?;
    let id = submit_with(call, &plan, &text, (Some(search), agents_field::named(call)?))?;
    Ok(Answer::see(&format!("/live/{id}")))
}

/// The text of a plan without the settings that a search varies.
pub(crate) fn without_pace(app: &App, plan: &Plan) -> Result<String, Problem> {
    edited(app, &plan.text, &json!({ "op": "search" }))
}

/// The search with its texts trimmed, if it is within the limits.
pub(crate) fn bounded(app: &App, search: Search) -> Result<Search, Problem> {
    let objectives = search.objectives.iter().map(|text| text.trim().to_owned());
    let objectives: Vec<String> = objectives.filter(|text| !text.is_empty()).collect();
    let is_long = |text: &String| text.chars().count() > TEXT_MAX;
    if objectives.len() > OBJECTIVES_MAX || objectives.iter().any(is_long) {
        let why = format!(
            "A search has at most {OBJECTIVES_MAX} objectives, of at most {TEXT_MAX} characters each."
        );
        return Err(Problem::unusable(why).at("objectives"));
    }
    for (field, rate) in [("from", &search.from), ("to", &search.to)] {
        if rate.as_ref().is_some_and(is_long) {
            let why = format!("A rate has at most {TEXT_MAX} characters.");
            return Err(Problem::unusable(why).at(field));
        }
    }
    Ok(Search { objectives, second: app.search_second.clone(), ..search })
}
