//! Checks on every request before its handler: the host name, the user, the user's permission, and whether a page of
//! this site sent it.

use http::StatusCode;
use http::header::{self, HeaderMap};

use super::route::{Access, Method, Route};
use crate::auth::{By, Requester, Role, Scope, Secret, is_equal};
use crate::call::{Call, cookie_name};
use crate::problem::Problem;
use crate::provider::confirmed;

/// The header in which a script sends the token of forms.
const FORM_HEADER: &str = "x-brunt-form";
/// The form field that contains this token.
pub(crate) const FORM_FIELD: &str = "form";

/// Refuses a request for a host name that does not belong to the site.
pub(super) fn known_host(call: &Call) -> Result<(), Problem> {
    let host = host(&call.headers);
    if host.is_some_and(|host| call.app.hosts.allow(host)) {
        return Ok(());
    }
    let detail = "This site does not accept requests for that name. Use an address that brunt serve printed, or start \
                  the site with --host NAME.";
    Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, "Wrong name", detail))
}

fn host(headers: &HeaderMap) -> Option<&str> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = hosts.next()?.to_str().ok();
    host.filter(|_| hosts.next().is_none())
}

/// The user who sent a request, if it carries credentials. An invalid token is refused.
pub(super) fn who(call: &Call) -> Result<Option<Requester>, Problem> {
    let (app, now) = (&call.app, call.app.now());
    if let Some(given) = call.headers.get(header::AUTHORIZATION) {
        let text = given.to_str().ok().and_then(|text| text.strip_prefix("Bearer "));
        let secret = text.and_then(|text| Secret::read(text.trim()));
        let found =
            secret.map(|secret| app.store.token(&secret.hash(), now)).transpose()?.flatten();
        let Some((user, scope, name)) = found else {
            let detail = "This token is unknown, has expired or was revoked, or its owner signs in at a provider and \
                          has not been on this site for 30 days. Create another on the page of your account, or sign \
                          in once.";
            return Err(Problem::new(StatusCode::UNAUTHORIZED, "Unknown token", detail));
        };
        return Ok(Some(Requester { user, by: By::Token { name, scope } }));
    }
    let Some(secret) = session(call) else { return Ok(None) };
    let Some(live) = app.store.session(&secret.hash(), now)? else { return Ok(None) };
    let user = confirmed(app, &secret, live)?;
    Ok(user.map(|user| Requester { user, by: By::Session(secret) }))
}

fn session(call: &Call) -> Option<Secret> {
    call.cookies(cookie_name(&call.app)).iter().find_map(|value| Secret::read(value))
}

/// Refuses a request whose user lacks the permission.
pub(super) fn may(route: &Route, call: &Call) -> Result<(), Problem> {
    if route.access.is_open() {
        return Ok(());
    }
    let Some(who) = &call.who else { return Err(unknown(route, call)) };
    let is_for = |scope: Option<Scope>| match &who.by {
        By::Session(_) => true,
        By::Token { scope: own, .. } => scope.is_none_or(|scope| own.includes(scope)),
    };
    let (role, right) = match route.access {
        Access::Anyone | Access::Provider => return Ok(()),
        Access::Signed(role) => (role, matches!(who.by, By::Session(_))),
        Access::Token(role, scope) => (role, is_for(Some(scope))),
        Access::AnyToken(role) => (role, is_for(None)),
    };
    if !right {
        let detail = "The scope of this token does not allow this. Create one with another scope on the page of your \
                      account.";
        return Err(Problem::new(StatusCode::FORBIDDEN, "Not with this token", detail));
    }
    if who.user.role < role {
        return Err(Problem::new(StatusCode::FORBIDDEN, "Not allowed", needs(who.user.role, role)));
    }
    Ok(())
}

fn needs(has: Role, needs: Role) -> String {
    let (has, needs) = (has.word(), needs.word());
    format!(
        "Your role is {has}, and this needs {needs}. An administrator of this site can change your role."
    )
}

/// The answer without credentials: browsers are redirected to sign in, and then back.
fn unknown(route: &Route, call: &Call) -> Problem {
    if !route.is_for_programs() {
        let next = page_of(route, call);
        let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
        let path =
            if next == "%2F" { "/sign-in".to_owned() } else { format!("/sign-in?next={next}") };
        return Problem::new(StatusCode::SEE_OTHER, "", path);
    }
    let detail =
        "Send a token: 'Authorization: Bearer TOKEN'. Create one on the page of your account.";
    Problem::new(StatusCode::UNAUTHORIZED, "Token needed", detail)
}

/// The page that is opened after signing in: the requested one. For the path of a form's action, such as
/// `/runs/{id}/about`, it is the page that has the form.
fn page_of<'a>(route: &Route, call: &'a Call) -> &'a str {
    let path = call.path.split('?').next().unwrap_or_default();
    let act = route.path.rsplit_once('/').map(|(of, act)| !of.is_empty() && !act.starts_with('{'));
    match path.rsplit_once('/') {
        Some((before, _)) if route.method != Method::Get && act == Some(true) => before,
        _ => &call.path,
    }
}

/// Refuses a request that changes something and was not sent by a page of this site. Tokens need no such check, because
/// browsers do not attach them on their own.
pub(super) fn own_page(route: &Route, call: &Call) -> Result<(), Problem> {
    let is_foreign = route.access == Access::Provider;
    if route.method == Method::Get || is_foreign || is_by_token(call) || same_origin(call) {
        return Ok(());
    }
    Err(not_ours(
        "This site accepts forms only from its own pages. Reload the page, and try again.",
    ))
}

/// Refuses a form of another session, such as one that was open while its user signed in again.
pub(super) fn own_form(route: &Route, call: &Call) -> Result<(), Problem> {
    if route.method == Method::Get || is_by_token(call) {
        return Ok(());
    }
    let Some(who) = call.who.as_ref().filter(|_| !route.access.is_open()) else {
        return Ok(());
    };
    let given = call.header(FORM_HEADER).unwrap_or_else(|| call.field(FORM_FIELD));
    if is_equal(given, &who.form_token()) {
        return Ok(());
    }
    Err(not_ours("This form belonged to a session that has ended, so nothing was done. Try again."))
}

fn is_by_token(call: &Call) -> bool {
    call.who.as_ref().is_some_and(|who| matches!(who.by, By::Token { .. }))
}

fn not_ours(detail: &str) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, "Sent by another page", detail)
}

fn same_origin(call: &Call) -> bool {
    if let Some(site) = call.header("sec-fetch-site") {
        return site == "same-origin";
    }
    let (Some(host), Some(origin)) = (host(&call.headers), call.header("origin")) else {
        return false;
    };
    let scheme = if call.app.secure { "https" } else { "http" };
    origin == format!("{scheme}://{host}") || origin == call.origin()
}
