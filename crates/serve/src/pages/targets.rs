//! What runs may reach, and how hard. Administrators edit the list; users who run plans can read it.

use maud::{Markup, html};

use super::form::{AREA, Area, Form, Input, Script, TEXT};
use super::{hidden, moment_of, page as whole};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::changes::targets::{self as changes, Draft, NAME_MAX, TEXT_MAX, TRIAL, limits};
use crate::problem::Problem;
use crate::store::Target;

/// `GET /targets`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let (targets, now) = (call.app.store.targets()?, call.app.now());
    let admin = call.who()?.user.role == Role::Admin;
    let body = html! {
        h1.large { "Targets" }
        p {
            "A run can reach only the addresses that are listed here. The address of every connection and every \
             datagram is checked, so redirects and names that later resolve to something else cannot bypass the list."
        }
        @if targets.is_empty() {
            div.empty { p {
                "There are no targets yet, so no plan can be run. "
                @if admin { "List the first one below." } @else { "An administrator can list them here." }
            } }
        } @else {
            div.scroll role="region" tabindex="0" aria-label="Targets" {
                table.cards {
                    thead { tr {
                        th.name scope="col" { "target" } th.name scope="col" { "addresses" }
                        th.name scope="col" { "at most" } th.name scope="col" { "until" }
                        @if admin { th.name scope="col" { span.away { "Remove" } } }
                    } }
                    tbody { @for target in &targets { (row(call, target, admin, now)?) } }
                }
            }
        }
        @if call.app.trial.is_some() { p.note { (TRIAL) } } @else if admin { (form(call)) }
    };
    Ok(Answer::page(whole(call, "Targets", &body)))
}

fn row(call: &Call, target: &Target, admin: bool, now: i64) -> Result<Markup, Problem> {
    Ok(html! {
        tr {
            th.name scope="row" {
                (target.name)
                @if target.production { " " span.tag { "production" } }
                @if !target.reason.is_empty() { div.note { (target.reason) } }
                @if let Some(secrets) = changes::secrets_of(&call.app, target)? {
                    div.note { "Secrets: " (secrets.names.join(", ")) }
                }
            }
            td.name data-label="addresses" { @for allowed in &target.grant.allow { code { (allowed) } " " } }
            td.name data-label="at most" { (limits(&target.grant)) }
            td.name data-label="until" { @if target.expires <= now { "ended " } (moment_of(target.expires)) }
            @if admin {
                td.name { form method="post" action="/targets/end" {
                    (hidden(call.who()?))
                    input type="hidden" name="id" value=(target.id);
                    button.danger aria-label={ "Remove " (target.name) } data-confirm="Remove this target?" { "Remove" }
                } }
            }
        }
    })
}

fn form(call: &Call) -> Markup {
    let form = Form::new(call, "/targets");
    let number = |value: &'static str| Input { kind: "number", value, ..TEXT };
    let settings = "Settings: values of ${env:NAME} in plans, one per line. No secrets";
    let fields = html! {
        (form.input("name", "Name; an existing target of this name is replaced", Input {
            required: true, most: Some(NAME_MAX), hint: "Directory of staging", ..TEXT
        }))
        (form.area("allow", "Networks with ports, one per line", Area {
            hint: "10.1.0.0/24:389\n192.0.2.7:443", ..AREA
        }))
        (form.area("settings", settings, Area { hint: "HOST=ldap://10.1.0.7", ..AREA }))
        (form.input("rate", "Highest rate, operations per second; if empty, any", number("")))
        (form.input("users", "Most virtual users", number("100")))
        (form.input("seconds", "Longest run, in seconds", number("3600")))
        (form.input("days", "Until, in days from now", number("90")))
        (form.input("reason", "Who owns it, and why it may be load-tested", Input {
            most: Some(TEXT_MAX), ..TEXT
        }))
        (form.tick("closed", "With a highest rate: also allow closed loads, whose rate is not known in advance", false))
        (form.tick("production", "Production: the name has to be typed before each run", false))
        div { button.main { "List it" } }
    };
    html! { section id="add" { h2 { "List a target" } (form.whole("stack", Script::Nothing, &fields)) } }
}

/// `POST /targets`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    changes::put(&call.app, call.who()?, &draft(call)).map_err(at_field)?;
    Ok(Answer::see("/targets"))
}

/// The fields of the form have shorter names than those of a document.
fn at_field(problem: Problem) -> Problem {
    let names = [("rate_max", "rate"), ("users_max", "users"), ("seconds_max", "seconds")];
    match names.into_iter().find(|(name, _)| problem.is_about(name)) {
        Some((_, field)) => problem.at(field),
        None => problem,
    }
}

/// `POST /targets/end`.
pub(crate) fn end(call: &Call) -> Result<Answer, Problem> {
    let id = call.field("id").parse().unwrap_or_default();
    changes::end(&call.app, call.who()?, id)?;
    Ok(Answer::see("/targets"))
}

fn draft(call: &Call) -> Draft {
    // What is no number is outside every limit.
    let number = |name: &str| call.field(name).trim().parse().unwrap_or(0);
    Draft {
        name: call.field("name").to_owned(),
        allow: call.field("allow").split_whitespace().map(str::to_owned).collect(),
        settings: call.field("settings").replace("\r\n", "\n"),
        rate_max: Some(call.field("rate").trim())
            .filter(|it| !it.is_empty())
            .map(|_| number("rate")),
        closed: call.field("closed") == "1",
        users_max: number("users"),
        seconds_max: number("seconds"),
        days: number("days"),
        production: call.field("production") == "1",
        reason: call.field("reason").to_owned(),
    }
}
