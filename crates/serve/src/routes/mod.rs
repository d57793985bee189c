//! The routes of the server, who may use them, and how requests are answered.
//!
//! [`table`] and [`programs`] are the one list of routes, for people and for programs: the router, the permissions and
//! the OpenAPI document are made from it. Every request passes [`guard`] before its handler. Handlers are plain
//! functions that may block on the disk and on children; they run on separate threads, a limited number at a time.

mod guard;
pub(crate) mod openapi;
mod own;
pub(crate) mod param;
mod programs;
mod reference;
pub(crate) mod route;
mod table;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request};
use axum::response::Response;
use axum::routing::on;
use brunt_exchange::{Clock as _, Monotonic};
use brunt_web::listen::Peer;
use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};
use http_body_util::{BodyExt as _, Limited};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::api::keyed;
use crate::app::App;
use crate::assets;
use crate::call::{self, Answer, Call, Refusal};
use crate::pages;
use crate::problem::Problem;
use crate::store::Visibility;

use route::Route;

/// How many handlers run at a time.
const HANDLERS_MAX: usize = 12;
/// How long a body may take to be sent, and by a client that is not signed in.
const BODY_PATIENCE: Duration = Duration::from_secs(60);
const STRANGERS_PATIENCE: Duration = Duration::from_secs(10);
/// The most bytes of a body of a client that is not signed in: a name and a password.
const STRANGERS_BODY: usize = 16 << 10;

/// The router of a site.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let room = Arc::new(Semaphore::new(HANDLERS_MAX));
    let mut router = Router::new();
    for route in own::all() {
        let (app, room) = (Arc::clone(app), Arc::clone(&room));
        let act = move |segments: Result<RawPathParams, RawPathParamsRejection>,
                        request: Request| {
            // A path that is not valid text has no named parts.
            let named = |segments: RawPathParams| {
                segments.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
            };
            let segments = segments.map(named).unwrap_or_default();
            answered(Arc::clone(&app), Ok(route), segments, request, Arc::clone(&room))
        };
        router = router.route(route.path, on(route.method.filter(), act));
    }
    let refused = |problem: fn() -> Problem| {
        let (app, room) = (Arc::clone(app), Arc::clone(&room));
        move |request: Request| {
            answered(Arc::clone(&app), Err(problem()), Vec::new(), request, Arc::clone(&room))
        }
    };
    router
        .method_not_allowed_fallback(refused(other_method))
        .fallback(refused(|| Problem::missing("page")))
}

/// The address exists, and not for the method of the request. The router adds the methods that it has.
fn other_method() -> Problem {
    let detail =
        "This address does not accept this method. The header Allow lists those that it does.";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "Wrong method", detail)
}

async fn answered(
    app: Arc<App>,
    route: Result<&'static Route, Problem>,
    segments: Vec<(String, String)>,
    request: Request,
    room: Arc<Semaphore>,
) -> Response {
    let clock = Monotonic::new();
    let (parts, body) = request.into_parts();
    let from = parts.extensions.get::<Peer>().map_or(IpAddr::from([0; 4]), |peer| peer.0);
    let path = parts.uri.path_and_query().map_or_else(String::new, ToString::to_string);
    let query = call::pairs(parts.uri.query().unwrap_or_default().as_bytes());
    let mut call = Arc::new(Call {
        app: Arc::new(app.seen_by(Visibility::WithoutProject)),
        who: None,
        path,
        headers: parts.headers,
        from,
        segments,
        query,
        form: Vec::new(),
        body: Bytes::new(),
        refused: None,
    });
    let found = route.as_ref().ok().copied();
    let mut response = match carried_out(route, &mut call, body, &room).await {
        Ok(response) => response,
        Err(problem) => refused(found, call, problem, &room).await,
    };
    finish(&app, response.headers_mut());
    app.counters.count(response.status(), clock.now().since_origin());
    response
}

/// Checks a request, reads it, and carries it out. The call is complete as far as this came.
async fn carried_out(
    route: Result<&'static Route, Problem>,
    call: &mut Arc<Call>,
    body: axum::body::Body,
    room: &Semaphore,
) -> Result<Response, Problem> {
    guard::known_host(call)?;
    let route = route?;
    // Before the body is read, so that a request without permission cannot send much.
    let who = on_a_thread(room, Arc::clone(call), |call| guard::who(&call)).await?;
    if let Some(who) = who {
        let whole = Arc::make_mut(call);
        whole.app = Arc::new(whole.app.seen_by(who.user.visibility()));
        whole.who = Some(who);
    }
    guard::may(route, call)?;
    if is_api(Some(route), call) {
        param::known(route.query, &call.query)?;
    }
    guard::own_page(route, call)?;
    // No permit is held meanwhile, so that a body that does not arrive delays no other request.
    let (most, patience) = if call.who.is_some() {
        (route.takes.most(), BODY_PATIENCE)
    } else {
        (route.takes.most().min(STRANGERS_BODY), STRANGERS_PATIENCE)
    };
    let body = bounded(body, most, patience).await?;
    let whole = Arc::make_mut(call);
    if route.takes.is_form() {
        whole.form = call::pairs(&body);
    }
    whole.body = body;
    guard::own_form(route, call)?;
    on_a_thread(room, Arc::clone(call), |call| {
        let answer =
            if route.keyed { keyed::answered(route.act, &call) } else { (route.act)(&call) };
        answer.map(|answer| answer.response(&call.headers))
    })
    .await
}

/// Runs something that may block on a thread of its own, once there is room for it.
async fn on_a_thread<T: Send + 'static>(
    room: &Semaphore,
    call: Arc<Call>,
    act: impl FnOnce(Arc<Call>) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let Ok(_place) = room.acquire().await else { return Err(Problem::bug("the server ends")) };
    let done = tokio::task::spawn_blocking(move || act(call)).await;
    done.unwrap_or_else(|panicked| Err(Problem::bug(panicked)))
}

async fn bounded(
    body: axum::body::Body,
    most: usize,
    patience: Duration,
) -> Result<Bytes, Problem> {
    let read = timeout(patience, Limited::new(body, most).collect()).await;
    let slow = |_| {
        Problem::new(StatusCode::REQUEST_TIMEOUT, "Too slow", "The request did not arrive in time.")
    };
    let large = |_| {
        let detail = format!("This takes at most {most} bytes.");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "Too large", detail)
    };
    Ok(read.map_err(slow)?.map_err(large)?.to_bytes())
}

/// Whether a request is that of a program.
fn is_api(route: Option<&Route>, call: &Call) -> bool {
    call.path.starts_with("/api/") || route.is_some_and(Route::is_for_programs)
}

/// The answer to a request that was not carried out: for programs JSON, for people a page, with its number.
async fn refused(
    route: Option<&'static Route>,
    call: Arc<Call>,
    problem: Problem,
    room: &Semaphore,
) -> Response {
    let id = call.app.numbered(&problem);
    let requested = call.headers.clone();
    let answer = if is_api(route, &call) {
        Answer::problem(&problem, &id)
    } else if problem.status == StatusCode::SEE_OTHER {
        Answer::see(&problem.detail)
    } else {
        let (bare, number) = (problem.clone(), id.clone());
        let page = move |call: Arc<Call>| Ok(again(route, call, &problem, &id));
        let page = on_a_thread(room, call, page).await;
        let page = page.unwrap_or_else(|_| Answer::page(pages::problem(None, &bare, &number)));
        return headed(page.status(bare.status), &bare, &requested).response(&requested);
    };
    headed(answer, &problem, &requested).response(&requested)
}

/// The page of a form that was not accepted, with what was typed and the reason; without a form, a page of the reason.
fn again(
    route: Option<&'static Route>,
    mut call: Arc<Call>,
    problem: &Problem,
    id: &str,
) -> Answer {
    let page = route.and_then(|route| route.page).filter(|_| !call.form.is_empty());
    let shown = page.and_then(|page| {
        let refusal = Refusal::new(problem.clone(), id.to_owned());
        Arc::make_mut(&mut call).refused = Some(Arc::new(refusal));
        page(&call).ok().filter(Answer::is_page)
    });
    shown.unwrap_or_else(|| Answer::page(pages::problem(Some(&call), problem, id)))
}

/// Adds the headers that belong to a problem.
fn headed(answer: Answer, problem: &Problem, requested: &HeaderMap) -> Answer {
    let answer = match problem.wait {
        Some(wait) => answer.with(header::RETRY_AFTER, &wait.to_string()),
        None => answer,
    };
    match problem.status {
        // RFC 9110 11.6.1, RFC 6750 3.
        StatusCode::UNAUTHORIZED => {
            let given = requested.contains_key(header::AUTHORIZATION);
            let error = if given { ", error=\"invalid_token\"" } else { "" };
            answer.with(header::WWW_AUTHENTICATE, &format!("Bearer realm=\"brunt\"{error}"))
        }
        // What is left of the request is not read.
        StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_TIMEOUT => {
            answer.with(header::CONNECTION, "close")
        }
        _ => answer,
    }
}

/// Adds the headers of every answer that restrict what browsers may do with it.
fn finish(app: &App, headers: &mut HeaderMap) {
    let policy = HeaderValue::from_static(assets::policy());
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    for (name, value) in [
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if app.secure {
        let year = HeaderValue::from_static("max-age=31536000");
        headers.insert(header::STRICT_TRANSPORT_SECURITY, year);
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
