//! [`TABLE`]: the routes.

use super::route::{Access, Ask, BodyKind, Route};
use crate::api;
use crate::assets;
use crate::auth::{Role, Scope};
use crate::pages;

const VIEWER: Access = Access::Signed(Role::Viewer);
const RUNNER: Access = Access::Signed(Role::Runner);
const ADMIN: Access = Access::Signed(Role::Admin);
const READ: Access = Access::Token(Role::Viewer, Scope::Read);
const PUSH: Access = Access::Token(Role::Runner, Scope::Push);
const RUN: Access = Access::Token(Role::Runner, Scope::Run);
const BUILD: Access = Access::AnyToken(Role::Runner);
pub(super) const PAGE: Route = Route {
    ask: Ask::Get,
    path: "",
    access: VIEWER,
    takes: BodyKind::Nothing,
    what: "",
    query: &[],
    act: pages::history::list,
};
const FORM: Route = Route { ask: Ask::Post, takes: BodyKind::Form, ..PAGE };
const FILTER: &[(&str, &str)] = &[
    ("q", "Beginnings of words in the name, target, tags, note or commit"),
    ("tag", "One of its tags"),
    ("target", "A part of its target"),
    ("outcome", "What came of the run, such as passed, overloaded or not-reliable"),
    ("verdict", "valid, unstable, partial or generator-limited"),
    ("commit", "The commit that was tested"),
    ("load", "The load: the value of 'load' in the summary of a run"),
    ("since", "The first day, such as 2026-11-23"),
    ("until", "The last day"),
    ("missed", "1 for runs that missed an objective"),
    ("pinned", "1 for pinned runs"),
    ("baseline", "1 for baselines"),
    ("behind", "Where to continue: the value of 'next' in the previous response"),
];
const PUSHED: &[(&str, &str)] = &[
    ("name", "The name of the run"),
    ("tag", "A tag; may be repeated"),
    ("commit", "The commit that was tested"),
];

/// The agents, on a site that was configured with a cluster.
pub(super) const AGENTS: &str = "/api/v1/agents";

/// Every route except those about the routes themselves. The first part is for people, the second for programs.
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
    Route {
        path: "/api/v1/me",
        access: Access::AnyToken(Role::Viewer),
        what: "Return who sends the request, and what they may do",
        act: api::me,
        ..PAGE
    },
    Route {
        path: "/api/v1/records",
        access: READ,
        what: "List runs, the newest first, 50 at a time",
        query: FILTER,
        act: api::records::list,
        ..PAGE
    },
    Route {
        ask: Ask::Put,
        path: "/api/v1/records",
        access: PUSH,
        takes: BodyKind::Document,
        what: "Upload a record, compressed with gzip or not, and compare it with the baseline of its load. Uploading \
               the same record again changes nothing",
        query: PUSHED,
        act: api::records::put,
    },
    Route {
        path: "/api/v1/records/{id}",
        access: READ,
        what: "The main figures of a run, with its name, tags, note and origin",
        act: api::records::entry,
        ..PAGE
    },
    Route {
        path: "/api/v1/records/{id}/record",
        access: READ,
        what: "The record itself, compressed with gzip, as brunt report reads it",
        act: api::records::record,
        ..PAGE
    },
    Route {
        path: "/api/v1/records/{id}/csv",
        access: READ,
        what: "The record as comma-separated values, one line per interval and operation",
        act: api::records::csv,
        ..PAGE
    },
    Route {
        path: "/api/v1/records/{id}/html",
        access: READ,
        what: "The page of the run as one self-contained HTML file",
        act: api::records::html,
        ..PAGE
    },
    Route {
        ask: Ask::Post,
        path: "/api/v1/runs",
        access: RUN,
        takes: BodyKind::Document,
        what: "Run the newest revision of a plan. \"plan\" and \"target\" are names; \"duration\", \"tags\" and \
               \"commit\" are optional; \"sure\" repeats the name of a production target. With \"search\", find the \
               highest rate that meets its \"objectives\", \"from\" one rate \"to\" another, \"quick\" or not; \
               \"writes\" confirms that the plan may change data. With \"agents\", that number of agents of the \
               cluster share the run",
        query: &[],
        act: api::runs::start,
    },
    Route {
        path: "/api/v1/runs/{id}",
        access: RUN,
        what: "Return the progress of a run or a search",
        act: api::runs::status,
        ..PAGE
    },
    Route {
        path: "/api/v1/runs/{id}/stop",
        access: RUN,
        what: "Stop a run or a search gracefully, and return its progress",
        query: &[("now", "1 to cancel the requests in flight")],
        act: api::runs::stop,
        ..FORM
    },
    Route {
        ask: Ask::Post,
        path: "/api/v1/edit",
        access: BUILD,
        takes: BodyKind::Document,
        what: "Change the text of a plan by key paths, and get the form of a part: {\"text\", \"changes\", \"at\"}. \
               Comments and order are preserved, and nothing is stored",
        query: &[],
        act: api::plans::edit,
    },
    Route {
        ask: Ask::Post,
        path: "/api/v1/import/{kind}",
        access: BUILD,
        takes: BodyKind::Document,
        what: "Convert a description of requests into a plan; {kind} is curl, har, openapi or loadgen. The files of \
               LoadGen are a JSON object of paths and texts. No requests are sent, and nothing is stored",
        query: &[("job", "The path of the job, if a LoadGen directory has several")],
        act: api::plans::import,
    },
    Route {
        path: "/api/v1/compare",
        access: READ,
        what: "Compare two to six runs, of which the first is the baseline (brunt-comparison/1)",
        query: &[("run", "The id of a run; may be repeated")],
        act: api::compare,
        ..PAGE
    },
    Route {
        path: "/api/v1/schedules",
        access: READ,
        what: "List schedules, with the next time of each and the results of the last ones",
        act: pages::schedules::document,
        ..PAGE
    },
    Route {
        path: AGENTS,
        access: READ,
        what: "List the agents of the cluster that were seen recently: what each does, its machine, what its owner \
               permits, and how far off its clock is. \"trouble\" says why none can be seen",
        act: pages::agents::document,
        ..PAGE
    },
    Route {
        path: "/api/v1/trends",
        access: READ,
        what: "Return the trend of the valid runs of a load, with the points at which the figures changed \
               (brunt-trend/1)",
        query: &[("load", "The load: the value of 'load' in the summary of a run")],
        act: pages::trends::document,
        ..PAGE
    },
];
