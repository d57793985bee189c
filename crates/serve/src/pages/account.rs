//! The page of a user's own account: the password, tokens for programs, and sessions.

use maud::{Markup, html};

use super::form::{Form, Input, PASSWORD, Script, TEXT};
use super::{hidden, moment_of, page as whole, sessions};
use crate::auth::{By, PASSWORD_MIN, Scope, Secret, Tried};
use crate::call::{Answer, Call, cookie, has_utc_times, times_cookie};
use crate::problem::Problem;
use crate::store::TokenRow;

const DAY: i64 = 24 * 3_600;
/// The numbers of days that a token may last.
const DAYS: [i64; 4] = [30, 90, 7, 365];
/// The most characters of the name of a token.
const NAME_MAX: usize = 60;

/// `GET /account`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    shown(call, None)
}

fn shown(call: &Call, made: Option<&str>) -> Result<Answer, Problem> {
    let who = call.who()?;
    let tokens = call.app.store.tokens(Some(who.user.id))?;
    let identity = call.app.store.identity(who.user.id)?;
    let body = html! {
        h1.large { (who.user.name) }
        p.note { "Your role is " (who.user.role.word()) ": it " (who.user.role.meaning()) "." }
        @if let Some(identity) = &identity {
            p.note {
                "You sign in at " (identity.issuer) " as "
                (if identity.full_name.is_empty() { &identity.subject } else { &identity.full_name })
                @if !identity.mail.is_empty() { " (" (identity.mail) ")" }
                ". Your groups there decide your role."
            }
        }
        @if let Some(made) = made { (shown_once(made)) }
        section id="tokens" {
            h2 { "Tokens" }
            p { "Programs use a token instead of a password. Each token has one scope, expires, and can be revoked." }
            (table(call, &tokens)?)
            (new(call)?)
        }
        @if identity.is_none() {
            section id="password-section" {
                h2 { "Password" }
                (password_form(call, &who.user.name))
            }
        }
        section id="times" {
            h2 { "Times" }
            (times_form(call))
        }
        (sessions::section(call)?)
    };
    Ok(Answer::page(whole(call, "Account", &body)))
}

fn password_form(call: &Call, name: &str) -> Markup {
    let form = Form::new(call, "/account/password");
    let label = format!("New password, {PASSWORD_MIN} characters or more");
    let fields = html! {
        // For password managers.
        input name="username" value=(name) autocomplete="username" readonly hidden;
        (form.input("current", "Current password", Input { autocomplete: "current-password", ..PASSWORD }))
        (form.input("password", &label, Input { least: Some(PASSWORD_MIN), ..PASSWORD }))
        div { button { "Change password and end my other sessions" } }
    };
    form.whole("stack", Script::Nothing, &fields)
}

/// The ways in which times are shown, each with its words.
const TIMES: [(&str, &str); 2] = [("browser", "of this browser"), ("utc", "UTC")];

fn times_form(call: &Call) -> Markup {
    let form = Form::new(call, "/account/times");
    let stored = if has_utc_times(call) { "utc" } else { "browser" };
    let fields = html! {
        p.note {
            "All pages show times in this zone. The choice is that of this browser; without scripts times are in UTC."
        }
        div.acts { (form.segments("zone", "Time zone", &TIMES, stored)) button { "Save" } }
    };
    form.whole("", Script::Nothing, &fields)
}

/// `POST /account/times`.
pub(crate) fn times(call: &Call) -> Result<Answer, Problem> {
    let zone = call.field("zone");
    if !TIMES.iter().any(|(known, _)| *known == zone) {
        return Err(Problem::unusable("Choose the time zone of this browser, or UTC."));
    }
    let cookie = times_cookie(&call.app, zone == "utc");
    Ok(Answer::see("/account#times").with(http::header::SET_COOKIE, &cookie))
}

fn shown_once(token: &str) -> Markup {
    html! {
        div.verdict role="status" {
            p { strong { "The new token." } " Copy it now: it is not shown again." }
            pre tabindex="0" data-copy { (token) }
        }
    }
}

fn table(call: &Call, tokens: &[TokenRow]) -> Result<Markup, Problem> {
    let (who, now) = (call.who()?, call.app.now());
    Ok(html! {
        @if tokens.is_empty() {
            p.note { "You have no tokens yet." }
        } @else {
            div.scroll role="region" tabindex="0" aria-label="Tokens" {
                table.cards {
                    thead { tr {
                        th.name scope="col" { "name" } th.name scope="col" { "scope" }
                        th.name scope="col" { "ends" } th.name scope="col" { "last used" }
                        th scope="col" { span.away { "Revoke" } }
                    } }
                    tbody {
                        @for token in tokens { tr {
                            th.name scope="row" { (token.name) }
                            td.name data-label="scope" { (token.scope.word()) }
                            td.name data-label="ends" {
                                @if token.expires <= now { "ended " } (moment_of(token.expires))
                            }
                            td.name data-label="last used" {
                                @match token.used { Some(used) => (moment_of(used)), None => "never" }
                            }
                            td { form method="post" action="/account/tokens/end" {
                                (hidden(who))
                                input type="hidden" name="id" value=(token.id);
                                button.danger aria-label={ "Revoke " (token.name) } { "Revoke" }
                            } }
                        } }
                    }
                }
            }
        }
    })
}

fn new(call: &Call) -> Result<Markup, Problem> {
    let role = call.who()?.user.role;
    let scopes = Scope::ALL.into_iter().filter(|scope| scope.role() <= role);
    let scopes =
        scopes.map(|it| (it.word().to_owned(), format!("{}: {}", it.word(), it.meaning())));
    let scopes: Vec<_> = scopes.collect();
    let days = DAYS.map(|days| (days.to_string(), format!("{days} days")));
    let form = Form::new(call, "/account/tokens");
    let fields = html! {
        (form.input("name", "What it is for", Input {
            required: true, most: Some(NAME_MAX), hint: "CI of the directory", ..TEXT
        }))
        (form.choice("scope", "Scope", &scopes, ""))
        (form.choice("days", "Expires after", &days, ""))
        div { button.main { "Make a token" } }
    };
    Ok(form.whole("stack", Script::Nothing, &fields))
}

/// `POST /account/tokens`.
pub(crate) fn add_token(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    let name = call.field("name").trim();
    if !(1..=NAME_MAX).contains(&name.chars().count()) || name.chars().any(char::is_control) {
        let why = format!("A token needs a name on one line, of at most {NAME_MAX} characters.");
        return Err(Problem::unusable(why).at("name"));
    }
    let scope = Scope::named(call.field("scope")).filter(|scope| scope.role() <= who.user.role);
    let no_scope = || Problem::unusable("Choose a scope that your role allows.").at("scope");
    let scope = scope.ok_or_else(no_scope)?;
    let days = call.field("days").parse().ok().filter(|days| DAYS.contains(days));
    let days = days.ok_or_else(|| Problem::unusable("Choose a number of days.").at("days"))?;
    let secret = Secret::new().map_err(Problem::bug)?;
    let now = app.now();
    app.store.add_token(who.user.id, &secret.hash(), name, scope, (now, now + days * DAY))?;
    app.audit(who, "make token", &format!("{name}, to {}, for {days} days", scope.word()))?;
    shown(call, Some(&secret.shown()))
}

/// `POST /account/tokens/end`.
pub(crate) fn end_token(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    let id = call.field("id").parse().unwrap_or_default();
    if !app.store.end_token(id, Some(who.user.id))? {
        return Err(Problem::missing("token"));
    }
    app.audit(who, "revoke token", &id.to_string())?;
    Ok(Answer::see("/account"))
}

/// `POST /account/password`.
pub(crate) fn password(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    let tried = [Tried::Current(who.user.id)];
    if let Some(wait) = app.limiter.wait(&tried, app.now()) {
        let detail = "The current password was wrong too often.";
        let problem = Problem::new(http::StatusCode::TOO_MANY_REQUESTS, "Try again later", detail);
        return Err(Problem { wait: Some(wait), ..problem });
    }
    if who.user.elsewhere {
        return Err(Problem::unusable("You sign in at the provider, and have no password here."));
    }
    let kept = app.store.password_of(who.user.id)?;
    if !app.passwords.is(call.field("current"), kept.as_deref()) {
        app.limiter.failed(&tried, app.now());
        return Err(Problem::unusable("The current password is wrong.").at("current"));
    }
    let hash = app.passwords.hash(call.field("password"));
    let hash = hash.map_err(|error| Problem::unusable(error.to_string()).at("password"))?;
    app.store.set_password(who.user.id, &hash)?;
    app.audit(who, "change password", "")?;
    // Setting the password ended this session as well.
    let By::Session(_) = &who.by else { return Ok(Answer::see("/account")) };
    let session = Secret::new().map_err(Problem::bug)?;
    app.store.begin_session(who.user.id, &session.hash(), (app.now(), &call.visitor()))?;
    Ok(Answer::see("/account").with(http::header::SET_COOKIE, &cookie(app, &session)))
}
