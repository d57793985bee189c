//! The page about the API, with every route of its OpenAPI document.

use maud::html;

use super::openapi;
use super::route::Route;
use crate::call::{Answer, Call};
use crate::pages::page as whole;
use crate::problem::Problem;

/// The page about these routes.
#[expect(clippy::unnecessary_wraps, reason = "a handler can fail")]
pub(super) fn page(
    call: &Call,
    routes: impl Iterator<Item = &'static Route>,
) -> Result<Answer, Problem> {
    let body = html! {
        h1.large { "API" }
        p {
            "Programs send a token from " a href="/account" { "your account" } ": "
            code { "Authorization: Bearer TOKEN" } ". "
            a href="/api/v1/openapi.json" { "openapi.json" } " describes the whole API for other tools. Errors are \
             returned as "
            code { "application/problem+json" } "."
        }
        div.scroll role="region" tabindex="0" aria-label="Routes" {
            table.cards {
                thead { tr {
                    th.name scope="col" { "request" } th.name scope="col" { "does" } th.name scope="col" { "scope" }
                } }
                tbody { @for route in routes { tr {
                    th.name scope="row" { code { (route.method.word()) " " (route.path) } }
                    td.name data-label="does" {
                        (route.what) "."
                        @if !route.query.is_empty() {
                            ul.plain { @for param in route.query { li { code { (param.name) } ": " (param.what) } } }
                        }
                    }
                    td.name data-label="scope" { (openapi::scope(route)) }
                } } }
            }
        }
    };
    Ok(Answer::page(whole(call, "API", &body)))
}
