//! The users who may sign in, and their roles. For administrators.

use std::net::IpAddr;

use maud::{Markup, html};

use super::form::{Form, Input, Script, TEXT};
use super::{hidden, page as whole};
use crate::auth::{Lock, Role, Tried};
use crate::call::{Answer, Call};
use crate::problem::Problem;
use crate::store::User;

/// The most characters of a name.
const NAME_MAX: usize = 60;

/// `GET /people`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    shown(call, None)
}

fn shown(call: &Call, link: Option<(&str, &str)>) -> Result<Answer, Problem> {
    let users = call.app.store.users()?;
    let sessions = call.app.store.count_sessions(call.app.now())?;
    let body = html! {
        h1.large { "People" }
        @if let Some((name, link)) = link {
            div.verdict role="status" {
                p { strong { "A link for " (name) "." } " It can be used once, is valid for 30 minutes, and is not \
                 shown again." }
                pre tabindex="0" data-copy data-link { (link) }
            }
        }
        div.scroll role="region" tabindex="0" aria-label="People" {
            table.cards {
                thead { tr {
                    th.name scope="col" { "name" } th.name scope="col" { "may" } th.name scope="col" { "link" }
                    th.name scope="col" { "sessions" }
                } }
                tbody { @for user in &users {
                    (row(call, user, sessions.get(&user.id).copied().unwrap_or_default())?)
                } }
            }
        }
        (locks(call, &users)?)
        section id="add" {
            h2 { "Add a user" }
            (form(call))
        }
    };
    Ok(Answer::page(whole(call, "People", &body)))
}

/// Names and addresses that have to wait after failed attempts to sign in. A name that no user has is not shown: it may
/// be a password.
fn locks(call: &Call, users: &[User]) -> Result<Markup, Problem> {
    let (who, locks) = (call.who()?, call.app.limiter.locks(call.app.now()));
    Ok(html! {
        @if !locks.is_empty() {
            section id="locks" {
                h2 { "Locked after failed attempts" }
                table.cards {
                    thead { tr {
                        th.name scope="col" { "who" } th scope="col" { "seconds left" } th.name scope="col" { "lock" }
                    } }
                    tbody { @for Lock { name, from, wait } in &locks {
                        @let known = users.iter().find(|user| name.as_deref() == Some(&user.name.to_lowercase()));
                        @let whose = known.map_or("an unknown name", |user| &user.name);
                        @let shown = locked(name.as_ref().map(|_| whose), *from);
                        tr {
                            th.name scope="row" { (shown) }
                            td data-label="seconds left" { (wait) }
                            td.name data-label="lock" {
                                @if name.is_none() || known.is_some() {
                                    form method="post" action="/people/unlock" {
                                        (hidden(who))
                                        input type="hidden" name="name" value=(name.as_deref().unwrap_or_default());
                                        input type="hidden" name="from"
                                            value=(from.map_or_else(String::new, |from| from.to_string()));
                                        button aria-label={ "Lift the lock of " (shown) } { "Lift" }
                                    }
                                }
                            }
                        }
                    } }
                }
            }
        }
    })
}

/// What has to wait, in words.
fn locked(name: Option<&str>, from: Option<IpAddr>) -> String {
    let from = from.map_or_else(|| "from any address".to_owned(), |from| format!("from {from}"));
    format!("{}, {from}", name.unwrap_or("any name"))
}

fn form(call: &Call) -> Markup {
    let form = Form::new(call, "/people");
    let fields = html! {
        (form.input("name", "Name", Input { required: true, most: Some(NAME_MAX), is_word: true, ..TEXT }))
        (form.choice("role", "Role", &roles(), Role::Viewer.word()))
        div { button.main { "Add and create a link" } }
    };
    form.whole("stack", Script::Nothing, &fields)
}

fn change_form(call: &Call, user: &User) -> Markup {
    let id = user.id.to_string();
    let form = Form::new(call, "/people/change").with("id", &id).prefixed(format!("of-{id}-"));
    let fields = html! {
        input type="hidden" name="id" value=(id);
        // Groups at the provider decide the role.
        @if user.elsewhere {
            input type="hidden" name="role" value=(user.role.word());
            (user.role.word()) " "
        } @else {
            (form.bare_choice("role", &format!("Role of {}", user.name), &roles(), user.role.word()))
        }
        (form.tick("disabled", "disabled", user.disabled))
        button { "Save" }
    };
    form.whole("line", Script::Nothing, &fields)
}

fn roles() -> [(String, String); 3] {
    Role::ALL.map(|role| (role.word().to_owned(), format!("{}: {}", role.word(), role.meaning())))
}

fn row(call: &Call, user: &User, sessions: i64) -> Result<Markup, Problem> {
    let (who, id) = (call.who()?, user.id);
    Ok(html! {
        tr {
            th.name scope="row" {
                (user.name)
                @if user.elsewhere {
                    " " span.tag { "at the provider" }
                    @if let Some(identity) = call.app.store.identity(id)? {
                        br; span.note { (identity.full_name) " " (identity.mail) }
                    }
                } @else if !user.ready {
                    " " span.tag { "no password yet" }
                }
                @if user.disabled { " " span.tag { "disabled" } }
            }
            td.name data-label="may" {
                (change_form(call, user))
            }
            td.name data-label="link" {
                @if user.elsewhere { "none" } @else {
                    form method="post" action="/people/link" {
                        (hidden(who))
                        input type="hidden" name="id" value=(id);
                        button aria-label={ "New link for " (user.name) } { "New link" }
                    }
                }
            }
            td.name data-label="sessions" {
                @if sessions == 0 { "none" } @else {
                    form method="post" action="/people/sessions/end" {
                        (hidden(who))
                        input type="hidden" name="id" value=(id);
                        button aria-label={ "End " (sessions) " sessions of " (user.name) } { "End " (sessions) }
                    }
                }
            }
        }
    })
}

fn somebody(call: &Call) -> Result<User, Problem> {
    let id = call.field("id").parse().unwrap_or_default();
    call.app.store.user(id)?.ok_or_else(|| Problem::missing("user"))
}

fn role(call: &Call) -> Result<Role, Problem> {
    let role = Role::named(call.field("role"));
    role.ok_or_else(|| Problem::unusable("This role does not exist.").at("role"))
}

/// Whether a name can be typed and distinguished from others.
pub(crate) fn is_name(name: &str) -> bool {
    let plain = |character: char| character.is_alphanumeric() || "-._@".contains(character);
    (1..=NAME_MAX).contains(&name.chars().count()) && name.chars().all(plain)
}

/// `POST /people`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    let (name, role) = (call.field("name").trim(), role(call)?);
    if !is_name(name) {
        let why = "A name has only letters, digits and -._@, without spaces.";
        return Err(Problem::unusable(why).at("name"));
    }
    let Some(id) = app.store.add_user(name, role, app.now())? else {
        return Err(Problem::unusable(format!("A user named {name} already exists.")).at("name"));
    };
    app.audit(who, "add user", &format!("{name} as {}", role.word()))?;
    shown(call, Some((name, &app.invite(id)?)))
}

/// `POST /people/change`.
pub(crate) fn change(call: &Call) -> Result<Answer, Problem> {
    let (app, who, user) = (&call.app, call.who()?, somebody(call)?);
    let (role, disabled) = (role(call)?, call.field("disabled") == "1");
    if user.elsewhere && role != user.role {
        let why = "The groups of this person at the provider decide the role.";
        return Err(Problem::unusable(why).at("role"));
    }
    if !app.store.change_user(user.id, role, disabled)? {
        let why = "This is the only administrator of this site. Make another administrator first.";
        return Err(Problem::unusable(why).at("role"));
    }
    let state = if disabled { ", disabled" } else { "" };
    app.audit(who, "change user", &format!("{} to {}{state}", user.name, role.word()))?;
    Ok(Answer::see("/people"))
}

/// `POST /people/unlock`.
pub(crate) fn unlock(call: &Call) -> Result<Answer, Problem> {
    let name = Some(call.field("name").to_owned()).filter(|name| !name.is_empty());
    let from: Option<IpAddr> = call.field("from").parse().ok();
    let shown = locked(name.as_deref(), from);
    let tried = Tried::new(name, from).ok_or_else(|| Problem::missing("lock"))?;
    call.app.audit(call.who()?, "lift lock", &shown)?;
    call.app.limiter.forget(&[tried]);
    Ok(Answer::see("/people"))
}

/// `POST /people/sessions/end`.
pub(crate) fn end_sessions(call: &Call) -> Result<Answer, Problem> {
    let (app, user) = (&call.app, somebody(call)?);
    let ended = app.store.end_sessions(user.id, None)?;
    app.audit(call.who()?, "end sessions", &format!("{ended} of {}", user.name))?;
    Ok(Answer::see("/people"))
}

/// `POST /people/link`.
pub(crate) fn link(call: &Call) -> Result<Answer, Problem> {
    let (app, user) = (&call.app, somebody(call)?);
    if user.elsewhere {
        let why = "This person signs in at the provider, and has no password here.";
        return Err(Problem::unusable(why));
    }
    app.audit(call.who()?, "make link", &user.name)?;
    shown(call, Some((&user.name, &app.invite(user.id)?)))
}
