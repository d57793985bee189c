//! The routes about the routes themselves, which need the list of all routes.

use serde_json::{Map, Value};

use super::openapi;
use super::programs::{self, AGENTS, GET};
use super::reference;
use super::route::{Access, Gives, Route};
use super::table::{PAGE, TABLE};
use crate::app::App;
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::problem::Problem;

static OWN: &[Route] = &[
    Route { path: "/api", act: page, ..PAGE },
    Route {
        path: "/api/v1/openapi.json",
        access: Access::AnyToken(Role::Viewer),
        what: "This document",
        gives: &[Gives::json::<Map<String, Value>>(200)],
        act: document,
        ..GET
    },
];

/// All routes.
pub(super) fn all() -> impl Iterator<Item = &'static Route> {
    TABLE.iter().chain(programs::TABLE).chain(OWN)
}

/// The routes of the API that this site has.
pub(super) fn of_programs(app: &App) -> impl Iterator<Item = &'static Route> {
    let has_agents = app.cluster.is_some();
    all().filter(move |route| {
        route.path.starts_with("/api/") && (has_agents || route.path != AGENTS)
    })
}

/// `GET /api/v1/openapi.json`.
fn document(call: &Call) -> Result<Answer, Problem> {
    Answer::json(&openapi::whole(of_programs(&call.app)))
}

/// `GET /api`.
fn page(call: &Call) -> Result<Answer, Problem> {
    reference::page(call, of_programs(&call.app))
}
