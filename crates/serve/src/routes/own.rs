//! The routes about the routes themselves, which have to know all of them.

use super::openapi;
use super::route::{Access, Route};
use super::table::{PAGE, TABLE};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::pages;
use crate::problem::Problem;

static OWN: &[Route] = &[
    Route { path: "/api", act: page, ..PAGE },
    Route {
        path: "/api/v1/openapi.json",
        access: Access::AnyToken(Role::Viewer),
        what: "This document",
        act: document,
        ..PAGE
    },
];

/// Every route there is.
pub(super) fn all() -> impl Iterator<Item = &'static Route> {
    TABLE.iter().chain(OWN)
}

/// The routes of the API.
pub(super) fn of_programs() -> impl Iterator<Item = &'static Route> {
    all().filter(|route| route.path.starts_with("/api/"))
}

/// `GET /api/v1/openapi.json`.
fn document(_: &Call) -> Result<Answer, Problem> {
    Answer::json(&openapi::whole(of_programs()))
}

/// `GET /api`.
fn page(call: &Call) -> Result<Answer, Problem> {
    pages::api::page(call, of_programs())
}
