//! What clients may request of the server of a live page, and which clients.
//!
//! Every request is checked before it is routed: it must have a name of this machine and the token of the address.
//! Answers grant no access to any other origin.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use brunt_exchange::Monotonic;
use futures_util::stream::unfold;

use super::Shared;
use super::tabs::Tab;

const EVENTS: &str = "text/event-stream";
/// The headers of every answer.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CACHE_CONTROL, "no-store"),
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];
/// The page itself declares its scripts; this policy applies to all answers.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The routes of a server.
pub(super) fn router(shared: &Arc<Shared>, clock: Monotonic) -> Router {
    let events = move |state, headers| events(state, headers, clock);
    Router::new()
        .route("/{token}", get(async |uri: Uri| Redirect::permanent(&format!("{}/", uri.path()))))
        .route("/{token}/", get(page))
        .route("/{token}/events", get(events))
        .layer(middleware::from_fn_with_state(Arc::clone(shared), guard))
        .with_state(Arc::clone(shared))
}

/// Refuses clients that do not have the address, and adds the headers for browsers to every answer.
async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let token = request.uri().path().split('/').nth(1).unwrap_or_default();
    let mut response = if !host.is_some_and(|host| shared.hosts.allow(host)) {
        refusal(
            StatusCode::FORBIDDEN,
            "This page is not served under that name. Open the address that brunt printed.",
        )
    } else if request.uri().path() == "/favicon.ico" {
        // Browsers request it by themselves, and show their users an error otherwise.
        StatusCode::NO_CONTENT.into_response()
    } else if !shared.token.is(token) {
        let why = "This page needs the whole address that brunt printed when the run began, with its token.";
        refusal(StatusCode::FORBIDDEN, why)
    } else {
        next.run(request).await
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn page(State(shared): State<Arc<Shared>>) -> Response {
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], shared.page.clone()).into_response()
}

#[expect(clippy::unused_async, reason = "a handler is a future")]
async fn events(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    clock: Monotonic,
) -> Response {
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let Some(tab) = Tab::open(&shared, last, clock) else {
        let why = "Too many tabs look at this run. Close one and reload.";
        return refusal(StatusCode::SERVICE_UNAVAILABLE, why);
    };
    let messages = unfold(tab, async |mut tab| {
        let message = tab.next().await?;
        Some((Ok::<_, std::convert::Infallible>(message), tab))
    });
    ([(header::CONTENT_TYPE, EVENTS)], Body::from_stream(messages)).into_response()
}

fn refusal(status: StatusCode, why: &'static str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], format!("{why}\n"))
        .into_response()
}
