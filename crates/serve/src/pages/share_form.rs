//! The form that creates a link to runs.

use maud::{Markup, html};

use super::form::{Form, Input, Script, TEXT};
use crate::call::Call;
use crate::history::Entry;

/// The most days for which a link is valid.
pub(super) const DAYS_MAX: i64 = 365;

/// A form that creates a link to these runs.
pub(super) fn form(call: &Call, runs: &[&Entry]) -> Markup {
    let form = Form::new(call, "/shares");
    let whole = "Include the target's address, the environment and the command";
    let fields = html! {
        @for run in runs { input type="hidden" name="run" value=(run.id); }
        p.note { "Anyone with the link can read this page without signing in, and nothing else." }
        (form.input("days", "For how many days", Input {
            kind: "number", range: Some((1, DAYS_MAX)), value: "30", required: true, ..TEXT
        }))
        (form.tick("whole", whole, false))
        div { button { "Make a link" } }
    };
    html! {
        details open[form.is_refused()] {
            summary { "Share by a link" }
            (form.whole("stack", Script::Nothing, &fields))
        }
    }
}
