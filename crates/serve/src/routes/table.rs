//! [`TABLE`]: the routes for people.

use super::route::{Access, BodyKind, Method, Route};
use crate::api;
use crate::assets;
use crate::auth::{Role, Scope};
use crate::call::Handler;
use crate::metrics;
use crate::pages;

const VIEWER: Access = Access::Signed(Role::Viewer);
const RUNNER: Access = Access::Signed(Role::Runner);
const ADMIN: Access = Access::Signed(Role::Admin);
/// Figures of the site itself.
const OBSERVE: Access = Access::Token(Role::Admin, Scope::Read);
pub(super) const PAGE: Route = Route {
    method: Method::Get,
    path: "",
    access: VIEWER,
    takes: BodyKind::Nothing,
    what: "",
    query: &[],
    bodies: &[],
    gives: &[],
    refuses: &[],
    keyed: false,
    act: pages::history::list,
    page: None,
};
const FORM: Route = Route { method: Method::Post, takes: BodyKind::Form, ..PAGE };

/// A form of a page. The page is shown again if the form is not accepted.
const fn form(path: &'static str, access: Access, page: Handler, act: Handler) -> Route {
    Route { path, access, page: Some(page), act, ..FORM }
}

/// A form with a plan in it.
const fn plan_form(path: &'static str, act: Handler) -> Route {
    Route { takes: BodyKind::Plan, ..form(path, RUNNER, pages::plans::editor::page, act) }
}

/// The routes for people, except those about the routes themselves.
pub(super) static TABLE: &[Route] = &[
    Route { path: "/assets/{name}", access: Access::Anyone, act: assets::file, ..PAGE },
    Route { path: "/welcome", access: Access::Anyone, act: pages::welcome::form, ..PAGE },
    form("/welcome", Access::Anyone, pages::welcome::form, pages::welcome::choose),
    Route { path: "/sign-in", access: Access::Anyone, act: pages::sign_in::form, ..PAGE },
    form("/sign-in", Access::Anyone, pages::sign_in::form, pages::sign_in::sign_in),
    Route {
        path: "/sign-in/provider",
        access: Access::Anyone,
        act: pages::single_sign_on::begin,
        ..PAGE
    },
    Route {
        path: "/sign-in/callback",
        access: Access::Anyone,
        act: pages::single_sign_on::finish,
        ..PAGE
    },
    Route {
        path: "/sign-in/logout",
        access: Access::Provider,
        act: pages::single_sign_on::logged_out,
        ..FORM
    },
    Route { path: "/sign-out", act: pages::sign_in::sign_out, ..FORM },
    Route { path: "/", act: pages::home::page, ..PAGE },
    Route { path: "/tests/{test}", act: pages::test::trend, ..PAGE },
    Route { path: "/tests/{test}/runs", act: pages::test::runs, ..PAGE },
    Route { path: "/tests/{test}/schedule", act: pages::test::schedule, ..PAGE },
    form("/tests/{test}/schedule", RUNNER, pages::test::schedule, pages::test::add_schedule),
    form("/tests/{test}/project", RUNNER, pages::test::trend, pages::test::move_to),
    Route { path: "/tests/{test}/limit", act: pages::test::limit, ..PAGE },
    Route { path: "/queue", act: pages::queue::page, ..PAGE },
    Route { path: "/runs", act: pages::history::list, ..PAGE },
    form("/runs", RUNNER, pages::history::list, pages::run::several),
    Route { path: "/runs/{id}", act: pages::run::page, ..PAGE },
    form("/runs/{id}/about", RUNNER, pages::run::page, pages::run::about),
    Route { path: "/runs/{id}/record", act: api::records::record, ..PAGE },
    Route { path: "/runs/{id}/html", act: api::records::html, ..PAGE },
    Route { path: "/runs/{id}/loadgen", act: pages::run::loadgen, ..PAGE },
    Route { path: "/runs/{id}/csv", act: api::records::csv, ..PAGE },
    Route { path: "/runs/{id}/steps/{step}", act: pages::search::step, ..PAGE },
    Route { path: "/runs/{id}/limit", act: pages::limit::page, ..PAGE },
    Route { path: "/compare", act: pages::compare::page, ..PAGE },
    Route { path: "/trends", act: pages::trends::page, ..PAGE },
    Route { path: "/shares", access: RUNNER, act: pages::shares::page, ..PAGE },
    form("/shares", RUNNER, pages::shares::again, pages::shares::add),
    form("/shares/end", RUNNER, pages::shares::page, pages::shares::end),
    Route { path: "/shared/{secret}", access: Access::Anyone, act: pages::shares::shared, ..PAGE },
    Route { path: "/targets", act: pages::targets::page, ..PAGE },
    form("/targets", ADMIN, pages::targets::page, pages::targets::add),
    form("/targets/end", ADMIN, pages::targets::page, pages::targets::end),
    Route { path: "/agents", act: pages::agents::page, ..PAGE },
    Route { path: "/secrets", access: ADMIN, act: pages::secrets::page, ..PAGE },
    form("/secrets", ADMIN, pages::secrets::page, pages::secrets::add),
    form("/secrets/end", ADMIN, pages::secrets::page, pages::secrets::end),
    Route { path: "/plans", act: pages::plans::list, ..PAGE },
    form("/plans", RUNNER, pages::plans::list, pages::plans::add),
    Route { path: "/plans/import", access: RUNNER, act: pages::import::page, ..PAGE },
    Route {
        path: "/plans/import",
        access: RUNNER,
        takes: BodyKind::Upload,
        act: pages::import::import,
        page: Some(pages::import::page),
        ..FORM
    },
    Route { path: "/plans/{id}", act: pages::plans::editor::page, ..PAGE },
    plan_form("/plans/{id}", pages::plans::save),
    plan_form("/plans/{id}/draft", pages::plans::draft::keep),
    Route { path: "/plans/{id}/revisions", act: pages::plans::revisions, ..PAGE },
    plan_form("/plans/{id}/run", pages::plans::run),
    plan_form("/plans/{id}/once", pages::plans::once),
    form("/plans/{id}/find", RUNNER, pages::plans::editor::page, pages::find::find),
    Route { path: "/plans/{id}/thresholds", access: RUNNER, act: pages::thresholds::page, ..PAGE },
    plan_form("/plans/{id}/thresholds", pages::thresholds::measure),
    Route { path: "/schedules", act: pages::schedules::page, ..PAGE },
    form("/schedules", RUNNER, pages::schedules::page, pages::schedules::add),
    Route { path: "/schedules/{id}", act: pages::schedules::one, ..PAGE },
    form("/schedules/{id}", RUNNER, pages::schedules::one, pages::schedules::change),
    form("/schedules/run", RUNNER, pages::schedules::page, pages::schedules::run_now),
    form("/schedules/pause", RUNNER, pages::schedules::page, pages::schedules::pause),
    form("/schedules/remove", RUNNER, pages::schedules::page, pages::schedules::remove),
    Route { path: "/hooks", access: ADMIN, act: pages::hooks::page, ..PAGE },
    form("/hooks", ADMIN, pages::hooks::page, pages::hooks::add),
    form("/hooks/test", ADMIN, pages::hooks::page, pages::hooks::test),
    form("/hooks/end", ADMIN, pages::hooks::page, pages::hooks::end),
    Route { path: "/annotations", act: pages::annotations::page, ..PAGE },
    form("/annotations", RUNNER, pages::annotations::page, pages::annotations::add),
    form("/annotations/end", RUNNER, pages::annotations::page, pages::annotations::end),
    Route { path: "/steps", act: pages::steps::page, ..PAGE },
    Route { path: "/steps", access: RUNNER, act: pages::steps::keep, ..FORM },
    form("/steps/remove", RUNNER, pages::steps::page, pages::steps::remove),
    Route { path: "/live/{id}", act: pages::live::page, ..PAGE },
    Route { path: "/live/{id}/events", act: pages::live::events, ..PAGE },
    form("/live/{id}/mark", RUNNER, pages::live::page, pages::live::mark),
    form("/live/{id}/stop", RUNNER, pages::live::page, pages::live::stop),
    form("/live/{id}/first", RUNNER, pages::queue::page, pages::queue::put_first),
    Route { path: "/settings", act: pages::settings::page, ..PAGE },
    Route { path: "/account", act: pages::account::page, ..PAGE },
    form("/account/password", VIEWER, pages::account::page, pages::account::password),
    form("/account/times", VIEWER, pages::account::page, pages::account::times),
    form("/account/tokens", VIEWER, pages::account::page, pages::account::add_token),
    form("/account/tokens/end", VIEWER, pages::account::page, pages::account::end_token),
    form("/account/sessions/end", VIEWER, pages::account::page, pages::sessions::end),
    Route { path: "/account/sessions/end-others", act: pages::sessions::end_others, ..FORM },
    Route { path: "/people", access: ADMIN, act: pages::people::page, ..PAGE },
    form("/people", ADMIN, pages::people::page, pages::people::add),
    form("/people/change", ADMIN, pages::people::page, pages::people::change),
    form("/people/unlock", ADMIN, pages::people::page, pages::people::unlock),
    form("/people/sessions/end", ADMIN, pages::people::page, pages::people::end_sessions),
    form("/people/link", ADMIN, pages::people::page, pages::people::link),
    Route { path: "/projects", access: ADMIN, act: pages::projects::page, ..PAGE },
    form("/projects", ADMIN, pages::projects::page, pages::projects::add),
    Route { path: "/projects/{project}", access: ADMIN, act: pages::projects::one, ..PAGE },
    form("/projects/{project}", ADMIN, pages::projects::one, pages::projects::change),
    form("/projects/{project}/remove", ADMIN, pages::projects::one, pages::projects::remove),
    Route { path: "/provider", access: ADMIN, act: pages::provider::page, ..PAGE },
    form("/provider", ADMIN, pages::provider::page, pages::provider::set),
    form("/provider/end", ADMIN, pages::provider::page, pages::provider::end),
    Route { path: "/audit", access: ADMIN, act: pages::audit::page, ..PAGE },
    Route { path: "/site", access: ADMIN, act: pages::site::page, ..PAGE },
    form("/site/retention", ADMIN, pages::site::page, pages::site::retain),
    Route { path: "/healthz", access: Access::Anyone, act: metrics::healthz, ..PAGE },
    Route { path: "/readyz", access: Access::Anyone, act: metrics::readyz, ..PAGE },
    Route { path: "/metrics", access: OBSERVE, act: metrics::page, ..PAGE },
];
