//! Why a form was not accepted, at the top of the form or of the page.

use maud::{Markup, html};

use crate::call::Refusal;

/// The reason at the top of a form or a page, unless it stands beside its field.
pub(super) fn alert(refused: &Refusal) -> Markup {
    let problem = &refused.problem;
    html! {
        @if refused.mark_shown() {
            div.warning role="alert" tabindex="-1" autofocus {
                p { (problem.detail) }
                @if let Some(wait) = problem.wait { p { "Try again in " (wait) " s." } }
                @if problem.hidden.is_some() { p.note { "Request " code { (refused.request) } } }
            }
        }
    }
}
