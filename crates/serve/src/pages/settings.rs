//! Everything about the site itself, and the menu of these pages.

use maud::{Markup, html};

use super::page as whole;
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::problem::Problem;

/// Who sees a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    Everybody,
    Runners,
    Admins,
    /// For all users, where the site has agents.
    OfAgents,
}

/// The pages: address, name, what they are for.
const PAGES: [(&str, &str, For, &str); 12] = [
    (
        "/account",
        "Account",
        For::Everybody,
        "your password, tokens for programs, and how times are shown",
    ),
    ("/agents", "Agents", For::OfAgents, "the machines that make load together with this one"),
    (
        "/annotations",
        "Annotations",
        For::Everybody,
        "what happened outside of the site, for charts",
    ),
    ("/shares", "Links", For::Runners, "links that show a run or a comparison without signing in"),
    ("/secrets", "Secrets", For::Admins, "passwords and keys of targets, which are never shown"),
    ("/hooks", "Webhooks", For::Admins, "who receives the results of scheduled runs"),
    ("/people", "People", For::Admins, "users, their roles, and links to choose a password"),
    ("/projects", "Projects", For::Admins, "who sees which tests"),
    ("/provider", "Sign-in", For::Admins, "the provider of OpenID Connect at which people sign in"),
    ("/audit", "Audit", For::Admins, "who did what"),
    ("/site", "Site", For::Admins, "how long runs are kept, the disk, figures of the site"),
    ("/api", "API", For::Everybody, "the requests for programs"),
];

/// Whether an address is one of these pages.
pub(super) fn is_here(path: &str) -> bool {
    path == "/settings"
        || PAGES.iter().any(|(link, ..)| path == *link || path.starts_with(&format!("{link}/")))
}

fn shown(
    call: &Call,
) -> impl Iterator<Item = &'static (&'static str, &'static str, For, &'static str)> {
    let role = call.who.as_ref().map(|who| who.user.role);
    let has_agents = call.app.cluster.is_some();
    PAGES.iter().filter(move |(_, _, whom, _)| match whom {
        For::Everybody => true,
        For::Runners => role >= Some(Role::Runner),
        For::Admins => role == Some(Role::Admin),
        For::OfAgents => has_agents,
    })
}

/// The menu above one of these pages.
pub(super) fn menu(call: &Call, path: &str) -> Markup {
    html! {
        nav.subs aria-label="Settings" {
            @for (link, name, ..) in shown(call) {
                a href=(link) aria-current=[path.starts_with(link).then_some("page")] { (name) }
            }
        }
    }
}

/// `GET /settings`.
#[expect(clippy::unnecessary_wraps, reason = "a handler can fail")]
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let body = html! {
        h1.large { "Settings" }
        ul.plain.places { @for (link, name, _, what) in shown(call) {
            li { a href=(link) { (name) } ": " (what) }
        } }
    };
    Ok(Answer::page(whole(call, "Settings", &body)))
}
