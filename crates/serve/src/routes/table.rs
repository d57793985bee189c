//! [`TABLE`]: the routes for people.

use super::route::{Access, Ask, BodyKind, Route};
use crate::api;
use crate::assets;
use crate::auth::Role;
use crate::pages;

const VIEWER: Access = Access::Signed(Role::Viewer);
const RUNNER: Access = Access::Signed(Role::Runner);
const ADMIN: Access = Access::Signed(Role::Admin);
pub(super) const PAGE: Route = Route {
    ask: Ask::Get,
    path: "",
    access: VIEWER,
    takes: BodyKind::Nothing,
    what: "",
    query: &[],
    asks: &[],
    gives: &[],
    refuses: &[],
    keyed: false,
    act: pages::history::list,
};
const FORM: Route = Route { ask: Ask::Post, takes: BodyKind::Form, ..PAGE };
/// The routes for people, except those about the routes themselves.
pub(super) static TABLE: &[Route] = &[
    Route { path: "/assets/{name}", access: Access::Anyone, act: assets::file, ..PAGE },
    Route { path: "/welcome", access: Access::Anyone, act: pages::welcome::form, ..PAGE },
    Route { path: "/welcome", access: Access::Anyone, act: pages::welcome::choose, ..FORM },
    Route { path: "/sign-in", access: Access::Anyone, act: pages::sign_in::form, ..PAGE },
    Route { path: "/sign-in", access: Access::Anyone, act: pages::sign_in::sign_in, ..FORM },
    Route { path: "/sign-out", act: pages::sign_in::sign_out, ..FORM },
    Route { path: "/", act: pages::history::list, ..PAGE },
    Route { path: "/runs", access: RUNNER, act: pages::run::several, ..FORM },
    Route { path: "/runs/{id}", act: pages::run::page, ..PAGE },
    Route { path: "/runs/{id}/about", access: RUNNER, act: pages::run::about, ..FORM },
    Route { path: "/runs/{id}/record", act: api::records::record, ..PAGE },
    Route { path: "/runs/{id}/html", act: api::records::html, ..PAGE },
    Route { path: "/runs/{id}/loadgen", act: pages::run::loadgen, ..PAGE },
    Route { path: "/runs/{id}/csv", act: api::records::csv, ..PAGE },
    Route { path: "/runs/{id}/steps/{step}", act: pages::search::step, ..PAGE },
    Route { path: "/compare", act: pages::compare::page, ..PAGE },
    Route { path: "/trends", act: pages::trends::page, ..PAGE },
    Route { path: "/shares", access: RUNNER, act: pages::shares::page, ..PAGE },
    Route { path: "/shares", access: RUNNER, act: pages::shares::add, ..FORM },
    Route { path: "/shares/end", access: RUNNER, act: pages::shares::end, ..FORM },
    Route { path: "/shared/{secret}", access: Access::Anyone, act: pages::shares::shared, ..PAGE },
    Route { path: "/targets", act: pages::targets::page, ..PAGE },
    Route { path: "/targets", access: ADMIN, act: pages::targets::add, ..FORM },
    Route { path: "/targets/end", access: ADMIN, act: pages::targets::end, ..FORM },
    Route { path: "/agents", act: pages::agents::page, ..PAGE },
    Route { path: "/secrets", access: ADMIN, act: pages::secrets::page, ..PAGE },
    Route { path: "/secrets", access: ADMIN, act: pages::secrets::add, ..FORM },
    Route { path: "/secrets/end", access: ADMIN, act: pages::secrets::end, ..FORM },
    Route { path: "/plans", act: pages::plans::list, ..PAGE },
    Route { path: "/plans", access: RUNNER, act: pages::plans::add, ..FORM },
    Route { path: "/plans/import", access: RUNNER, act: pages::import::page, ..PAGE },
    Route {
        path: "/plans/import",
        access: RUNNER,
        takes: BodyKind::Upload,
        act: pages::import::import,
        ..FORM
    },
    Route { path: "/plans/{id}", act: pages::plans::editor, ..PAGE },
    Route { path: "/plans/{id}", access: RUNNER, act: pages::plans::save, ..FORM },
    Route { path: "/plans/{id}/revisions", act: pages::plans::revisions, ..PAGE },
    Route { path: "/plans/{id}/run", access: RUNNER, act: pages::plans::run, ..FORM },
    Route { path: "/plans/{id}/find", access: RUNNER, act: pages::find::find, ..FORM },
    Route { path: "/plans/{id}/thresholds", access: RUNNER, act: pages::thresholds::page, ..PAGE },
    Route {
        path: "/plans/{id}/thresholds",
        access: RUNNER,
        act: pages::thresholds::measure,
        ..FORM
    },
    Route { path: "/schedules", act: pages::schedules::page, ..PAGE },
    Route { path: "/schedules", access: RUNNER, act: pages::schedules::add, ..FORM },
    Route { path: "/schedules/remove", access: RUNNER, act: pages::schedules::remove, ..FORM },
    Route { path: "/hooks", access: ADMIN, act: pages::hooks::page, ..PAGE },
    Route { path: "/hooks", access: ADMIN, act: pages::hooks::add, ..FORM },
    Route { path: "/hooks/end", access: ADMIN, act: pages::hooks::end, ..FORM },
    Route { path: "/steps", act: pages::steps::page, ..PAGE },
    Route { path: "/steps", access: RUNNER, act: pages::steps::keep, ..FORM },
    Route { path: "/steps/remove", access: RUNNER, act: pages::steps::remove, ..FORM },
    Route { path: "/check", access: RUNNER, act: pages::plans::check, ..FORM },
    Route { path: "/live/{id}", act: pages::live::page, ..PAGE },
    Route { path: "/live/{id}/events", act: pages::live::events, ..PAGE },
    Route { path: "/live/{id}/stop", access: RUNNER, act: pages::live::stop, ..FORM },
    Route { path: "/account", act: pages::account::page, ..PAGE },
    Route { path: "/account/password", act: pages::account::password, ..FORM },
    Route { path: "/account/tokens", act: pages::account::add_token, ..FORM },
    Route { path: "/account/tokens/end", act: pages::account::end_token, ..FORM },
    Route { path: "/people", access: ADMIN, act: pages::people::page, ..PAGE },
    Route { path: "/people", access: ADMIN, act: pages::people::add, ..FORM },
    Route { path: "/people/change", access: ADMIN, act: pages::people::change, ..FORM },
    Route { path: "/people/unlock", access: ADMIN, act: pages::people::unlock, ..FORM },
    Route { path: "/people/link", access: ADMIN, act: pages::people::link, ..FORM },
    Route { path: "/audit", access: ADMIN, act: pages::audit::page, ..PAGE },
];
