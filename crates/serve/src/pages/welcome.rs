//! The page on which a user chooses a password, by a link that is valid once and for half an hour. In a trial there is
//! no password to choose: the link signs in.
//!
//! The link's secret is in its fragment, which a browser sends to no server and no log; a script copies it into the
//! form. Without scripts the user copies it.

use http::StatusCode;
use maud::{Markup, html};

use super::form::{Filled, Form, Input, PASSWORD, Script, TEXT};
use super::outer;
use crate::auth::{PASSWORD_MIN, Secret};
use crate::call::{Answer, Call, cookie};
use crate::problem::Problem;

/// `GET /welcome`.
#[expect(clippy::unnecessary_wraps, reason = "a handler can fail")]
pub(crate) fn form(call: &Call) -> Result<Answer, Problem> {
    let page = if call.app.trial.is_some() { gate(call) } else { shown(call) };
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
        return Err(wrong_link(why));
    };
    if call.field("password") != call.field("again") {
        let why = "The two passwords differ. Type the same password twice.";
        return Err(Problem::unusable(why).at("again"));
    }
    let hash = app.passwords.hash(call.field("password"));
    let hash = hash.map_err(|error| Problem::unusable(error.to_string()).at("password"))?;
    app.store.set_password(user.id, &hash)?;
    app.audit_by(&user.name, "choose password", "by a link")?;
    let session = Secret::new().map_err(Problem::bug)?;
    app.store.begin_session(user.id, &session.hash(), (now, &call.visitor()))?;
    Ok(Answer::see("/").with(http::header::SET_COOKIE, &cookie(app, &session)))
}

fn wrong_link(why: &str) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, "Not a valid link", why).at("link")
}

/// Signs in to a trial. The next link is printed for the operator, for another browser.
fn enter(call: &Call) -> Result<Answer, Problem> {
    let (app, now) = (&call.app, call.app.now());
    let link = Secret::read(call.field("link").trim());
    let user = link.map(|link| app.store.take_invitation(&link.hash(), now)).transpose()?.flatten();
    let Some(user) = user else {
        let why = "This address was already used. The terminal of the trial shows the next one.";
        return Err(wrong_link(why));
    };
    app.audit_by(&user.name, "sign in", "by the link of the trial")?;
    let session = Secret::new().map_err(Problem::bug)?;
    app.store.begin_session(user.id, &session.hash(), (now, &call.visitor()))?;
    let host = call.header("host").unwrap_or_default();
    (app.log)(&format!("For another browser: http://{host}{}", app.invite(user.id)?));
    Ok(Answer::see("/").with(http::header::SET_COOKIE, &cookie(app, &session)))
}

const LINK: Input<'static> = Input { required: true, filled: Filled::FromAddress, ..TEXT };

fn gate(call: &Call) -> Markup {
    let form = Form::new(call, "/welcome");
    let fields = html! {
        (form.input("link", "The part after # in the address", LINK))
        div { button.main { "Sign in" } }
    };
    outer(
        "Trial",
        &html! {
            div.narrow {
                h1.large { "A trial of brunt" }
                p { "Sign in with the address that brunt serve --trial printed. It works once." }
                (form.whole("stack", Script::Enter, &fields))
            }
        },
    )
}

fn shown(call: &Call) -> Markup {
    let form = Form::new(call, "/welcome");
    let label = format!("Password, {PASSWORD_MIN} characters or more");
    let fields = html! {
        (form.input("link", "The part after # in the link", LINK))
        (form.input("password", &label, Input { least: Some(PASSWORD_MIN), ..PASSWORD }))
        (form.input("again", "Repeat the password", PASSWORD))
        div { button.main { "Choose and sign in" } }
    };
    outer(
        "Choose a password",
        &html! {
            div.narrow {
                h1.large { "Choose a password" }
                p { "Your link can be used once and is valid for 30 minutes." }
                (form.whole("stack", Script::Nothing, &fields))
            }
        },
    )
}
