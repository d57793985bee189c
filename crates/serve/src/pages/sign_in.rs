//! Signing in and out.

use http::StatusCode;

use super::sign_in_page::{SIGN_IN, next, page};
use super::single_sign_on;
use crate::auth::{By, Secret, Tried};
use crate::call::{Answer, Call, cookie, ended_cookie};
use crate::problem::Problem;

/// `GET /sign-in`.
pub(crate) fn form(call: &Call) -> Result<Answer, Problem> {
    if call.who.is_some() {
        return Ok(Answer::see(&next(call.query("next"))));
    }
    page(call, call.query("next"), None)
}

/// `POST /sign-in`. An unknown name takes as long as a known one and gets the same answer.
pub(crate) fn sign_in(call: &Call) -> Result<Answer, Problem> {
    let (app, now) = (&call.app, call.app.now());
    let name = call.field("name").trim();
    let tried = Tried::all(name, call.from);
    if let Some(wait) = wait(call, name, &tried)? {
        let detail = "There were too many failed attempts for this name or from this address.";
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "Try again later", detail);
        return Err(Problem { wait: Some(wait), ..problem });
    }
    let user = app.store.user_named(name)?;
    let kept = user.as_ref().map(|user| app.store.password_of(user.id)).transpose()?.flatten();
    let right = app.passwords.is(call.field("password"), kept.as_deref());
    let Some(user) = user.filter(|_| right) else {
        app.limiter.failed(&tried, now);
        // An unknown name may be a password that was typed into the wrong field.
        let known = app.store.user_named(name)?.map(|user| format!("as {}", user.name));
        let who = known.unwrap_or_else(|| "with an unknown name".to_owned());
        app.audit_by("somebody", "fail to sign in", &format!("{who}, from {}", call.from))?;
        let why = "The name or the password is wrong.";
        return Err(Problem::new(StatusCode::FORBIDDEN, "Not signed in", why).at("password"));
    };
    app.limiter.forget(&tried[..1]);
    let session = Secret::new().map_err(Problem::bug)?;
    app.store.begin_session(user.id, &session.hash(), (now, &call.visitor()))?;
    app.audit_by(&user.name, SIGN_IN, &from(call))?;
    let see = Answer::see(&next(call.field("next")));
    Ok(see.with(http::header::SET_COOKIE, &cookie(app, &session)))
}

/// `POST /sign-out`. Who signed in at the provider is signed out there too.
pub(crate) fn sign_out(call: &Call) -> Result<Answer, Problem> {
    let mut onward = None;
    if let By::Session(session) = &call.who()?.by {
        onward = single_sign_on::onward(call, &session.hash())?;
        call.app.store.end_session(&session.hash())?;
    }
    let answer = onward.unwrap_or_else(|| Answer::see("/sign-in"));
    Ok(answer.with(http::header::SET_COOKIE, &ended_cookie(&call.app)))
}

/// How many seconds must pass before another try; `None` if one is allowed now. Who signed in from this address before
/// does not wait for what others failed to do with the name or from the address.
fn wait(call: &Call, name: &str, tried: &[Tried; 3]) -> Result<Option<i64>, Problem> {
    let (app, now) = (&call.app, call.app.now());
    if let Some(wait) = app.limiter.wait(&tried[..1], now) {
        return Ok(Some(wait));
    }
    let Some(wait) = app.limiter.wait(&tried[1..], now) else { return Ok(None) };
    let was_here = match app.store.user_named(name)? {
        Some(user) => app.store.has_noted(&user.name, SIGN_IN, &from(call))?,
        None => false,
    };
    Ok((!was_here).then_some(wait))
}

fn from(call: &Call) -> String {
    format!("from {}", call.from)
}
