//! The comparison of two to six runs. The others are compared with the first.

mod charts;
mod labels;
mod pair;

use std::collections::BTreeSet;

use brunt_envelope::COMPARED_MAX;
use brunt_report::comparison::Comparison;
use maud::{Markup, html};

use super::run::sections;
use super::{moment, page as whole};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::child::ComparedPage;
use crate::comparison::compared;
use crate::history::Entry;
use crate::problem::Problem;
use crate::store::name;

use labels::began;
use pair::Pair;

/// The runs that an address names.
fn chosen(call: &Call) -> Result<Vec<Entry>, Problem> {
    // A form to share them that was not accepted has them too.
    let named = call.query.iter().chain(&call.form);
    let ids = named.filter(|(name, _)| name == "run").map(|(_, id)| id.as_str());
    let ids: Vec<&str> = ids.take(COMPARED_MAX + 1).collect();
    if !(2..=COMPARED_MAX).contains(&ids.len()) {
        let detail = format!(
            "Choose 2 to {COMPARED_MAX} runs. The other runs are compared with the first one."
        );
        return Err(Problem::unusable(detail));
    }
    let found =
        ids.into_iter().map(|id| call.app.store.run(id)?.ok_or_else(|| Problem::missing("run")));
    found.collect()
}

/// Compares the runs that an address names.
pub(crate) fn compared_by(call: &Call) -> Result<ComparedPage, Problem> {
    compared(&call.app, &chosen(call)?)
}

/// `GET /compare`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let mut runs = chosen(call)?;
    // Of two runs the older one is the base, unless the address names another.
    let base = call.query("base");
    if let [first, second] = &runs[..]
        && (base == second.id.as_str() || base.is_empty() && began(second) < began(first))
    {
        runs.reverse();
    }
    let compared = compared(&call.app, &runs)?;
    let runner = call.who()?.user.role >= Role::Runner;
    let body = html! {
        (crumbs(call, &runs)?)
        @if let [first, second] = &runs[..] {
            (pair_of(call, [first, second], (&compared, runner))?)
        } @else {
            (several(&runs, &compared))
        }
        section id="markdown" {
            h2 { "For a pull request" }
            pre tabindex="0" data-copy { (compared.markdown) }
        }
        @if runner {
            div #share { (super::share_form::form(call, &runs.iter().collect::<Vec<_>>())) }
        }
    };
    Ok(Answer::page(whole(call, "Comparison", &body)))
}

/// Where the comparison belongs: to the test of all its runs, if that is one.
fn crumbs(call: &Call, runs: &[Entry]) -> Result<Markup, Problem> {
    let store = &call.app.store;
    let tests = runs.iter().map(|run| Ok(store.test_of(run.id.as_str())?));
    let tests = tests.collect::<Result<BTreeSet<String>, Problem>>()?;
    let test = match tests.first().filter(|_| tests.len() == 1) {
        Some(key) => store.test(key)?,
        None => None,
    };
    Ok(html! {
        p.crumbs {
            @match test {
                Some(test) => {
                    a href="/" { "Tests" } " / " a href={ "/tests/" (test.key) } { (test.name) } " / comparison"
                }
                None => { a href="/runs" { "Runs" } " / comparison" }
            }
        }
    })
}

/// Two runs: what changed in a sentence, both over each other, and every difference.
fn pair_of(
    call: &Call,
    runs: [&Entry; 2],
    (compared, runner): (&ComparedPage, bool),
) -> Result<Markup, Problem> {
    let comparison: Comparison = serde_json::from_str(&compared.json).map_err(Problem::bug)?;
    let view = |run: &Entry| call.app.history.view(&run.id).map_err(Problem::bug);
    let pair = Pair {
        runs,
        comparison: &comparison,
        unlike: &compared.unlike,
        views: [view(runs[0])?, view(runs[1])?],
    };
    let load = &runs[1].summary.load;
    let acts = html! {
        div.acts {
            @if !load.is_empty() {
                a.b.main href={ "/trends?load=" (super::history::encoded(load)) } { "When did it change?" }
            }
            @if runner { a.b href="#share" { "Share" } }
            a.b href="#markdown" { "Copy as Markdown" }
        }
    };
    Ok(html! {
        (pair.page(&acts))
        details #report {
            summary { "All tables and charts" }
            (sections(&compared.page))
        }
    })
}

/// More than two runs: the tables of the report.
fn several(runs: &[Entry], compared: &ComparedPage) -> Markup {
    html! {
        @if !compared.unlike.is_empty() {
            div.warning role="note" {
                p {
                    strong { "These runs did not have the same load settings." }
                    " Differences in their figures may come from that. The warnings below list the differences."
                }
            }
        }
        (sections(&compared.page))
        section id="runs" {
            h2 { "The runs" }
            ol.plain {
                @for (letter, run) in ('A'..='Z').zip(runs) {
                    li {
                        (letter) ": " a href={ "/runs/" (run.id) } { (name(run)) } ", " (moment(&run.summary.started))
                        @if let Some(commit) = &run.about.origin.commit { ", commit " code { (commit) } }
                    }
                }
            }
        }
    }
}
