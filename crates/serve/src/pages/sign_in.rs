//! Signing in and out.

use http::StatusCode;
use maud::{Markup, html};

use super::{field, outer};
use crate::auth::{By, Secret};
use crate::call::{Answer, Call, cookie, ended_cookie};
use crate::problem::Problem;

/// `GET /sign-in`.
pub(crate) fn form(call: &Call) -> Result<Answer, Problem> {
    if call.who.is_some() {
        return Ok(Answer::see(&next(call.query("next"))));
    }
    let ready = call.app.store.has_admin()?;
    Ok(Answer::page(shown(call.query("next"), "", None, ready)))
}

/// `POST /sign-in`. An unknown name takes as long as a known one and gets the same answer.
pub(crate) fn sign_in(call: &Call) -> Result<Answer, Problem> {
    let (app, now) = (&call.app, call.app.now());
    let name = call.field("name").trim();
    let keys = [format!("name {}", name.to_lowercase()), format!("from {}", call.from)];
    if let Some(wait) = app.limiter.wait(&keys, now) {
        let detail = "There were too many failed attempts for this name or from this address.";
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "Try again later", detail);
        return Err(Problem { wait: Some(wait), ..problem });
    }
    let user = app.store.user_named(name)?;
    let kept = user.as_ref().map(|user| app.store.password_of(user.id)).transpose()?.flatten();
    let right = app.passwords.is(call.field("password"), kept.as_deref());
    let Some(user) = user.filter(|_| right) else {
        app.limiter.failed(&keys, now);
        app.audit_by("somebody", "fail to sign in", &format!("as {}", shortened(name)))?;
        let page =
            shown(call.field("next"), name, Some("The name or the password is wrong."), true);
        return Ok(Answer::page(page).status(StatusCode::FORBIDDEN));
    };
    app.limiter.succeeded(&keys[0]);
    let session = Secret::new().map_err(Problem::bug)?;
    app.store.begin_session(user.id, &session.hash(), now)?;
    app.audit_by(&user.name, "sign in", &format!("from {}", call.from))?;
    let see = Answer::see(&next(call.field("next")));
    Ok(see.with(http::header::SET_COOKIE, &cookie(app, &session)))
}

/// `POST /sign-out`.
pub(crate) fn sign_out(call: &Call) -> Result<Answer, Problem> {
    if let By::Session(session) = &call.who()?.by {
        call.app.store.end_session(&session.hash())?;
    }
    Ok(Answer::see("/sign-in").with(http::header::SET_COOKIE, &ended_cookie(&call.app)))
}

fn shortened(name: &str) -> String {
    name.chars().take(60).collect()
}

/// The page to open afterwards: always one of this site, whatever was requested.
fn next(asked: &str) -> String {
    let is_ours = asked.starts_with('/') && !asked.starts_with("//") && !asked.contains('\\');
    let is_plain = asked.bytes().all(|byte| byte.is_ascii_graphic());
    if is_ours && is_plain { asked.to_owned() } else { "/".to_owned() }
}

fn shown(next: &str, name: &str, fault: Option<&str>, ready: bool) -> Markup {
    outer(
        "Sign in",
        &html! {
            div.narrow {
                h1.large { "brunt" }
                @if !ready {
                    p.warning {
                        "No user has a password yet. To set the password of the first administrator, open the link \
                         that brunt serve printed when it started."
                    }
                }
                @if let Some(fault) = fault { p.warning role="alert" { (fault) } }
                form.stack method="post" action="/sign-in" {
                    input type="hidden" name="next" value=(next);
                    (field("name", "Name", &html! {
                        input id="name" name="name" value=(name) required autocomplete="username" autocapitalize="none"
                            autofocus;
                    }))
                    (field("password", "Password", &html! {
                        input id="password" name="password" type="password" required autocomplete="current-password";
                    }))
                    div { button.main { "Sign in" } }
                }
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::next;

    #[test]
    fn nobody_is_sent_to_another_site() {
        assert_eq!(next("/runs/x?a=b"), "/runs/x?a=b");
        for foreign in [
            "",
            "http://evil.example",
            "//evil.example",
            "/\\evil.example",
            "x",
            "/a\nb",
            "/\u{e4}",
        ] {
            assert_eq!(next(foreign), "/", "{foreign:?}");
        }
    }
}
