//! The field of a form with which agents of a cluster share a run.

use maud::{Markup, html};

use super::form::{Form, Input, TEXT};
use crate::agents::AGENTS_MAX;
use crate::call::Call;
use crate::problem::Problem;
use crate::submission::agents::wrong_number;

/// The form field for the number of agents, on a site with a cluster.
pub(super) fn form(call: &Call, form: &Form<'_>, stored: Option<u32>) -> Markup {
    let stored = stored.map_or_else(String::new, |agents| agents.to_string());
    html! {
        @if call.app.cluster.is_some() {
            (form.input("agents", "Number of agents; if empty, this machine runs it", Input {
                kind: "number", value: &stored, range: Some((1, AGENTS_MAX.into())), ..TEXT
            }))
            p.note {
                a href="/agents" { "Available agents" } ". Agents generate the load instead of this machine, and \
                 reach only the addresses of the target. Secrets do not leave this machine."
            }
        }
    }
}

/// The number of agents in a form, if given.
pub(super) fn named(call: &Call) -> Result<Option<u32>, Problem> {
    match call.field("agents").trim() {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| wrong_number()),
    }
}
