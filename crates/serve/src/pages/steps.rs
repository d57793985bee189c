//! The library of steps that can be inserted into plans.

use maud::html;

use super::{hidden, moment_of, page as whole};
use crate::app::App;
use crate::auth::{Requester, Role};
use crate::call::{Answer, Call};
use crate::changes::plans::NAME_MAX;
use crate::problem::Problem;

/// The most bytes of a step.
const STEP_MAX: usize = 16 << 10;

/// `GET /steps`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let steps = call.app.store.steps()?;
    let runner = call.who()?.user.role >= Role::Runner;
    let body = html! {
        p.crumbs { a href="/plans" { "Plans" } }
        h1.large { "Step library" }
        p {
            "The form of a plan inserts these steps as copies. Later changes of a step here do not change any plan. \
             LoadGen calls them tasks."
        }
        @if steps.is_empty() {
            div.empty {
                p { "There are no steps yet. In the form of a plan, open a step and choose “To the library”." }
            }
        }
        @for step in &steps {
            details {
                summary { (step.name) " " span.note { "by " (step.by) ", " (moment_of(step.at)) } }
                @if !step.note.is_empty() { p.note { (step.note) } }
                pre tabindex="0" { (step.text) }
                @if runner {
                    form method="post" action="/steps/remove" {
                        (hidden(call.who()?))
                        input type="hidden" name="id" value=(step.id);
                        button.danger data-confirm="Remove this step from the library?" { "Remove" }
                    }
                }
            }
        }
    };
    Ok(Answer::page(whole(call, "Step library", &body)))
}

/// Keeps a step under a name, in place of one that has it.
pub(super) fn kept(
    app: &App,
    who: &Requester,
    name: &str,
    (text, note): (&str, &str),
) -> Result<(), Problem> {
    let name = name.trim();
    if !(1..=NAME_MAX).contains(&name.chars().count()) || name.chars().any(char::is_control) {
        return Err(Problem::unusable("A step needs a short name on one line."));
    }
    if text.len() > STEP_MAX {
        return Err(Problem::unusable(format!("A step has at most {} KiB.", STEP_MAX >> 10)));
    }
    app.store.keep_step(name, (text, note), (&who.user.name, app.now()))?;
    app.audit(who, "keep step", name)
}

/// `POST /steps`.
pub(crate) fn keep(call: &Call) -> Result<Answer, Problem> {
    let text = call.field("text").replace("\r\n", "\n");
    let note: String = call.field("note").chars().filter(|c| !c.is_control()).take(500).collect();
    kept(&call.app, call.who()?, call.field("name"), (&text, &note))?;
    Ok(Answer::see("/steps"))
}

/// `POST /steps/remove`.
pub(crate) fn remove(call: &Call) -> Result<Answer, Problem> {
    let id = call.field("id").parse().unwrap_or_default();
    let name = call.app.store.remove_step(id)?.ok_or_else(|| Problem::missing("step"))?;
    call.app.audit(call.who()?, "remove step", &name)?;
    Ok(Answer::see("/steps"))
}
