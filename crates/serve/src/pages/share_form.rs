//! The form that creates a link to runs.

use maud::{Markup, html};

use super::{field, hidden};
use crate::call::Call;
use crate::history::Entry;
use crate::problem::Problem;

/// The most days for which a link is valid.
pub(super) const DAYS_MAX: i64 = 365;

/// A form that creates a link to these runs.
pub(super) fn form(call: &Call, runs: &[&Entry]) -> Result<Markup, Problem> {
    Ok(html! {
        details {
            summary { "Share by a link" }
            form.stack method="post" action="/shares" {
                (hidden(call.who()?))
                @for run in runs { input type="hidden" name="run" value=(run.id); }
                p.note { "Anyone with the link can read this page without signing in, and nothing else." }
                (field("days", "For how many days", &html! {
                    input id="days" name="days" type="number" min="1" max=(DAYS_MAX) value="30" required;
                }))
                label.tick {
                    input type="checkbox" name="whole" value="1";
                    " Include the target's address, the environment and the command"
                }
                div { button { "Make a link" } }
            }
        }
    })
}
