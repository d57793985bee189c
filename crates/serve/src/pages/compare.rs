//! The comparison of two to six runs. The others are compared with the first.

use brunt_envelope::COMPARED_MAX;
use maud::html;

use super::page as whole;
use super::run::sections;
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::child::ComparedPage;
use crate::comparison::compared;
use crate::history::Entry;
use crate::problem::Problem;
use crate::store::name;

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
    let runs = chosen(call)?;
    let compared = compared(&call.app, &runs)?;
    let body = html! {
        p.crumbs { a href="/runs" { "Runs" } }
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
                @for (letter, run) in ('A'..='Z').zip(&runs) {
                    li { (letter) ": " a href={ "/runs/" (run.id) } { (name(run)) } }
                }
            }
        }
        section id="markdown" {
            h2 { "For a pull request" }
            pre tabindex="0" data-copy { (compared.markdown) }
        }
        @if call.who()?.user.role >= Role::Runner {
            (super::share_form::form(call, &runs.iter().collect::<Vec<_>>()))
        }
    };
    Ok(Answer::page(whole(call, "Comparison", &body)))
}
