//! The page on which a user chooses a password, by a link that is valid once and for half an hour. In a trial there is
//! no password to choose: the link signs in.
//!
//! The link's secret is in its fragment, which a browser sends to no server and no log; a script copies it into the
//! form. Without scripts the user copies it.

use maud::{Markup, html};

use super::{field, outer};
use crate::auth::{PASSWORD_MIN, Secret};
use crate::call::{Answer, Call, cookie};
use crate::problem::Problem;

/// `GET /welcome`.
#[expect(clippy::unnecessary_wraps, reason = "a handler can fail")]
pub(crate) fn form(call: &Call) -> Result<Answer, Problem> {
    let page = if call.app.trial.is_some() { gate(None) } else { shown("", None) };
    Ok(Answer::page(page))
}

/// `POST /welcome`.
pub(crate) fn choose(call: &Call) -> Result<Answer, Problem> {
    let (app, now) = (&call.app, call.app.now());
    if app.trial.is_some() {
        return enter(call);
    }
    let link = Secret::read(call.field("link").trim());
    let user = link.map(|link| app.store.invited(&link.hash(), now)).transpose()?.flatten();
    let Some(user) = user else {
        let why = "This link was already used, has expired or is incomplete. An administrator of this site can create \
                   another; on the server's machine, 'brunt serve --link NAME' creates one.";
        return Ok(Answer::page(shown("", Some(why))).status(http::StatusCode::FORBIDDEN));
    };
    let refused = |why: &str| {
        let page = shown(call.field("link"), Some(why));
        Ok(Answer::page(page).status(http::StatusCode::UNPROCESSABLE_ENTITY))
    };
    if call.field("password") != call.field("again") {
        return refused("The two passwords differ. Type the same password twice.");
    }
    let hash = match app.passwords.hash(call.field("password")) {
        Ok(hash) => hash,
        Err(why) => return refused(&why),
    };
    app.store.set_password(user.id, &hash)?;
    app.audit_by(&user.name, "choose password", "by a link")?;
    let session = Secret::new().map_err(Problem::bug)?;
    app.store.begin_session(user.id, &session.hash(), now)?;
    Ok(Answer::see("/").with(http::header::SET_COOKIE, &cookie(app, &session)))
}

/// Signs in to a trial. The next link is printed for the operator, for another browser.
fn enter(call: &Call) -> Result<Answer, Problem> {
    let (app, now) = (&call.app, call.app.now());
    let link = Secret::read(call.field("link").trim());
    let user = link.map(|link| app.store.take_invitation(&link.hash(), now)).transpose()?.flatten();
    let Some(user) = user else {
        let why = "This address was already used. The terminal of the trial shows the next one.";
        return Ok(Answer::page(gate(Some(why))).status(http::StatusCode::FORBIDDEN));
    };
    app.audit_by(&user.name, "sign in", "by the link of the trial")?;
    let session = Secret::new().map_err(Problem::bug)?;
    app.store.begin_session(user.id, &session.hash(), now)?;
    let host = call.header("host").unwrap_or_default();
    (app.log)(&format!("For another browser: http://{host}{}", app.invite(user.id)?));
    Ok(Answer::see("/").with(http::header::SET_COOKIE, &cookie(app, &session)))
}

fn gate(fault: Option<&str>) -> Markup {
    outer(
        "Trial",
        &html! {
            div.narrow {
                h1.large { "A trial of brunt" }
                p { "Sign in with the address that brunt serve --trial printed. It works once." }
                @if let Some(fault) = fault { p.warning role="alert" { (fault) } }
                form.stack method="post" action="/welcome" data-enter {
                    (field("link", "The part after # in the address", &html! {
                        input id="link" name="link" required autocomplete="off" data-fragment;
                    }))
                    div { button.main { "Sign in" } }
                }
            }
        },
    )
}

fn shown(link: &str, fault: Option<&str>) -> Markup {
    outer(
        "Choose a password",
        &html! {
            div.narrow {
                h1.large { "Choose a password" }
                p { "Your link can be used once and is valid for 30 minutes." }
                @if let Some(fault) = fault { p.warning role="alert" { (fault) } }
                form.stack method="post" action="/welcome" {
                    (field("link", "The part after # in the link", &html! {
                        input id="link" name="link" value=(link) required autocomplete="off" data-fragment;
                    }))
                    (field("password", &format!("Password, {PASSWORD_MIN} characters or more"), &html! {
                        input id="password" name="password" type="password" required minlength=(PASSWORD_MIN)
                            autocomplete="new-password";
                    }))
                    (field("again", "Repeat the password", &html! {
                        input id="again" name="again" type="password" required autocomplete="new-password";
                    }))
                    div { button.main { "Choose and sign in" } }
                }
            }
        },
    )
}
