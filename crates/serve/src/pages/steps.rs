//! The plan builder, whose forms a script creates from a child's answer, and the library of steps that can be inserted.

use maud::{Markup, html};

use super::{hidden, moment_of, page as whole};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::changes::plans::NAME_MAX;
use crate::problem::Problem;

/// The most bytes of a step.
const STEP_MAX: usize = 16 << 10;

/// The placeholder for a plan's forms, and the steps that can be inserted. Without scripts only the text is shown.
pub(super) fn builder(call: &Call) -> Result<Markup, Problem> {
    let steps = call.app.store.steps()?;
    Ok(html! {
        div.tabs data-tabs hidden {
            button type="button" data-tab="form" aria-pressed="true" { "Form" }
            button type="button" data-tab="source" aria-pressed="false" { "Text" }
            button type="button" data-undo disabled { "Undo" }
            span.note role="status" data-edited {}
        }
        div #builder hidden {
            div.outline {
                nav aria-label="Parts of the plan" data-outline {}
                div.library {
                    label for="library" { "Step library" }
                    select id="library" {
                        @for step in &steps { option value=(step.text) { (step.name) } }
                    }
                    button type="button" data-insert disabled[steps.is_empty()] { "Insert a copy" }
                    button type="button" data-keep disabled { "Keep this step" }
                }
            }
            div.part data-part {}
            datalist id="names" {}
        }
    })
}

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
            div.empty { p { "There are no steps yet. In the form of a plan, choose a step and keep it." } }
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

/// `POST /steps`.
pub(crate) fn keep(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    let name = call.field("name").trim();
    let text = call.field("text").replace("\r\n", "\n");
    if !(1..=NAME_MAX).contains(&name.chars().count()) || name.chars().any(char::is_control) {
        return Err(Problem::unusable("A step needs a short name on one line."));
    }
    if text.len() > STEP_MAX {
        return Err(Problem::unusable(format!("A step has at most {} KiB.", STEP_MAX >> 10)));
    }
    let note: String = call.field("note").chars().filter(|c| !c.is_control()).take(500).collect();
    app.store.keep_step(name, (&text, &note), (&who.user.name, app.now()))?;
    app.audit(who, "keep step", name)?;
    Ok(Answer::see("/steps"))
}

/// `POST /steps/remove`.
pub(crate) fn remove(call: &Call) -> Result<Answer, Problem> {
    let id = call.field("id").parse().unwrap_or_default();
    let name = call.app.store.remove_step(id)?.ok_or_else(|| Problem::missing("step"))?;
    call.app.audit(call.who()?, "remove step", &name)?;
    Ok(Answer::see("/steps"))
}
