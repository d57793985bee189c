//! Who may use which page: every page of the table, requested by five clients.

use super::*;
use crate::routes::route::Access;

/// The pages that are open to any client, signed in or not.
const ANYONE: &[&str] = &[
    "GET /assets/{name}",
    "GET /welcome",
    "POST /welcome",
    "GET /sign-in",
    "POST /sign-in",
    "GET /sign-in/provider",
    "GET /sign-in/callback",
    "POST /sign-in/logout",
    "GET /shared/{secret}",
    "GET /healthz",
    "GET /readyz",
];
const VIEWER: &[&str] = &[
    "GET /",
    "GET /tests/{test}",
    "GET /tests/{test}/runs",
    "GET /tests/{test}/schedule",
    "GET /tests/{test}/limit",
    "GET /queue",
    "GET /settings",
    "GET /runs",
    "GET /runs/{id}",
    "GET /runs/{id}/record",
    "GET /runs/{id}/html",
    "GET /runs/{id}/loadgen",
    "GET /runs/{id}/csv",
    "GET /runs/{id}/steps/{step}",
    "GET /runs/{id}/limit",
    "GET /compare",
    "GET /trends",
    "GET /targets",
    "GET /agents",
    "GET /plans",
    "GET /plans/{id}",
    "GET /plans/{id}/revisions",
    "GET /schedules",
    "GET /schedules/{id}",
    "GET /annotations",
    "GET /steps",
    "GET /live/{id}",
    "GET /live/{id}/events",
    "GET /account",
    "POST /account/password",
    "POST /account/times",
    "POST /account/tokens",
    "POST /account/tokens/end",
    "POST /account/sessions/end",
    "POST /account/sessions/end-others",
    "GET /api",
    "POST /sign-out",
];
const RUNNER: &[&str] = &[
    "POST /runs",
    "POST /runs/{id}/about",
    "GET /shares",
    "POST /shares",
    "POST /shares/end",
    "POST /plans",
    "GET /plans/import",
    "POST /plans/import",
    "POST /plans/{id}",
    "POST /plans/{id}/once",
    "POST /plans/{id}/run",
    "POST /plans/{id}/find",
    "GET /plans/{id}/thresholds",
    "POST /plans/{id}/thresholds",
    "POST /schedules",
    "POST /tests/{test}/schedule",
    "POST /tests/{test}/project",
    "POST /schedules/{id}",
    "POST /schedules/run",
    "POST /schedules/pause",
    "POST /schedules/remove",
    "POST /annotations",
    "POST /annotations/end",
    "POST /steps",
    "POST /steps/remove",
    "POST /plans/{id}/draft",
    "POST /live/{id}/mark",
    "POST /live/{id}/stop",
    "POST /live/{id}/first",
];
const ADMIN: &[&str] = &[
    "POST /targets",
    "POST /targets/end",
    "GET /secrets",
    "POST /secrets",
    "POST /secrets/end",
    "GET /hooks",
    "POST /hooks",
    "POST /hooks/end",
    "POST /hooks/test",
    "GET /people",
    "POST /people",
    "POST /people/change",
    "POST /people/link",
    "POST /people/sessions/end",
    "POST /people/unlock",
    "GET /projects",
    "POST /projects",
    "GET /projects/{project}",
    "POST /projects/{project}",
    "POST /projects/{project}/remove",
    "GET /provider",
    "POST /provider",
    "POST /provider/end",
    "GET /audit",
    "GET /site",
    "POST /site/retention",
];

/// The least role for a page, as its specification would say; `None` for pages that are open to any client.
fn least(page: &str) -> Option<Role> {
    let all = [
        (ANYONE, None),
        (VIEWER, Some(Role::Viewer)),
        (RUNNER, Some(Role::Runner)),
        (ADMIN, Some(Role::Admin)),
    ];
    let found = all.into_iter().find(|(pages, _)| pages.contains(&page));
    found.unwrap_or_else(|| panic!("say here who may use {page}")).1
}

#[test]
fn pages_are_restricted_by_role() {
    let server = Server::start();
    let id = server.run("a run");
    let people = [("vic", Role::Viewer), ("rae", Role::Runner), ("ada", Role::Admin)];
    let people = people.map(|(name, role)| (server.user(name, role), role));
    let token = server.token(people[2].0, Scope::Read);
    let pages = own::all().filter(|route| !route.is_for_programs());
    for route in pages {
        let (method, page) =
            (route.method.word(), format!("{} {}", route.method.word(), route.path));
        let least = least(&page);
        let path = route
            .path
            .replace("{id}", &id)
            .replace("{name}", "x")
            .replace("{step}", "1")
            .replace("{test}", "p1")
            .replace("{project}", "1")
            .replace("{secret}", "x");
        let request = |client: &Client| match method {
            "GET" => server.see(client, &path),
            _ => server.send(client, &path, ""),
        };
        let nobody = request(&Client::Nobody);
        let is_sent_away = nobody.header("location").is_some_and(|at| at.starts_with("/sign-in"));
        assert_eq!(is_sent_away, least.is_some(), "{page}: {}", nobody.head);
        for (user, role) in people {
            // A separate session, because one of these pages ends it.
            let reply = request(&server.session(user));
            let refused = reply.status == 403 && reply.body.contains("this needs");
            let word = role.word();
            assert_eq!(refused, least.is_some_and(|least| role < least), "{page} as {word}");
        }
        // Tokens are for programs, and pages are not.
        let reply = request(&token);
        let refused = reply.status == 403 && reply.body.contains("Not with this token");
        let is_open = matches!(route.access, Access::Anyone | Access::Provider);
        assert_eq!(refused, !is_open, "{page}: {}", reply.head);
    }
}
