//! The bar of every page: the places of the site, what runs now, and the user.

use maud::{Markup, html};

use super::{hidden, settings};
use crate::auth::Requester;
use crate::call::Call;
use crate::queue::{Expected, Shown};

/// The places, each with the beginnings of other addresses that belong to it.
const PLACES: [(&str, &str, &[&str]); 4] = [
    ("/", "Tests", &["/tests", "/plans", "/steps", "/schedules", "/queue"]),
    ("/runs", "Runs", &["/compare", "/live", "/trends"]),
    ("/targets", "Targets", &[]),
    ("/settings", "Settings", &[]),
];

/// The bar of a page for a user who is signed in.
pub(super) fn bar(call: &Call, who: &Requester, path: &str) -> Markup {
    html! {
        header.bar {
            a.brand href="/" { "brunt" }
            nav.places aria-label="Site" {
                @for (link, name, others) in PLACES {
                    a href=(link) aria-current=[is_here(link, others, path).then_some("page")] { (name) }
                }
            }
            (now(call))
            div.me {
                a href="/account" aria-current=[(path == "/account").then_some("page")] { (who.user.name) }
                form method="post" action="/sign-out" {
                    (hidden(who))
                    button.quiet { "Sign out" }
                }
            }
        }
    }
}

fn is_here(link: &str, others: &[&str], path: &str) -> bool {
    match link {
        "/settings" => settings::is_here(path),
        "/" => path == "/" || others.iter().any(|begin| path.starts_with(begin)),
        _ => [link].iter().chain(others).any(|begin| path.starts_with(begin)),
    }
}

/// What runs, and how much waits.
fn now(call: &Call) -> Markup {
    let Ok(queue) = call.app.queue() else { return html! {} };
    let runs = queue.expected();
    let Some(first) = runs.first() else { return html! {} };
    html! {
        div.now {
            span.mark.on { (if first.status.state.is_active() { "Running" } else { "Queued" }) }
            " " a href={ "/live/" (first.status.id) } {
                (called(first)) span data-shown="left" { (Shown::new(&first.status).left) }
            }
            @if runs.len() > 1 { " " a href="/queue" { (runs.len() - 1) " waiting" } }
        }
    }
}

/// The name of a run that is active or waits.
pub(super) fn called(run: &Expected) -> String {
    let Expected { status, .. } = run;
    if status.name.is_empty() { format!("Run {}", status.number + 1) } else { status.name.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn navigation_marks_the_current_page() {
        let here = |path: &str| {
            let marked = PLACES.iter().filter(|(link, _, others)| is_here(link, others, path));
            marked.map(|(_, name, _)| *name).collect::<Vec<_>>()
        };
        let places = ["/", "/tests/p1", "/plans/1", "/runs/a", "/compare", "/targets", "/audit"];
        let marked: Vec<&str> = places.into_iter().flat_map(here).collect();
        assert_eq!(marked, ["Tests", "Tests", "Tests", "Runs", "Runs", "Targets", "Settings"]);
        assert!(here("/shared/x").is_empty() && here("/sign-in").is_empty());
    }
}
