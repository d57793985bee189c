//! Webhooks: where schedules send the results of their runs. An administrator lists them, because the site connects to
//! them.

use maud::{Markup, html};

use super::form::{AREA, Area, Form, Input, Script, TEXT};
use super::{hidden, moment_of, page as whole};
use crate::call::{Answer, Call};
use crate::changes::hooks::{self as changes, Draft, NAME_MAX, TRIAL, URL_MAX};
use crate::notice::Format;
use crate::problem::Problem;
use crate::store::Hook;

const SURE: &str = "Remove this webhook? Its schedules will no longer send results.";

/// `GET /hooks`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    shown(call, &html! {})
}

/// The page of webhooks, below a message.
fn shown(call: &Call, message: &Markup) -> Result<Answer, Problem> {
    let hooks = call.app.store.hooks()?;
    let body = html! {
        p.crumbs { a href="/schedules" { "Schedules" } }
        h1.large { "Webhooks" }
        p {
            "A schedule sends the result of each of its runs to its webhook: a sentence and a link, or for programs \
             all that is known. Messages are signed as "
            a href="https://www.standardwebhooks.com" rel="noreferrer" { "Standard Webhooks" } " specifies."
        }
        (message)
        @if hooks.is_empty() {
            div.empty { p { "There are no webhooks yet." } }
        } @else {
            (table(call, &hooks)?)
        }
        @if call.app.trial.is_some() { p.note { (TRIAL) } } @else { (form(call)) }
    };
    Ok(Answer::page(whole(call, "Webhooks", &body)))
}

fn table(call: &Call, hooks: &[Hook]) -> Result<Markup, Problem> {
    let who = call.who()?;
    Ok(html! {
        div.scroll role="region" tabindex="0" aria-label="Webhooks" {
            table.cards {
                thead { tr {
                    th.name scope="col" { "name" } th.name scope="col" { "format" } th.name scope="col" { "URL" }
                    th.name scope="col" { "added" } th.name scope="col" { "last message" }
                    th.name scope="col" { span.away { "Actions" } }
                } }
                tbody { @for hook in hooks { tr {
                    th.name scope="row" { (hook.name) }
                    td.name data-label="format" {
                        (hook.format.words())
                        @for address in &hook.to { br; (address) }
                    }
                    td.name data-label="URL" { (hook.url) @if hook.format.has_secret_url() { "…" } }
                    td.name data-label="added" { (moment_of(hook.at)) " by " (hook.by) }
                    td.name data-label="last message" {
                        @match &hook.tried {
                            Some((at, result)) => { (moment_of(*at)) ": " (result) }
                            None => "none yet",
                        }
                    }
                    td.name { div.acts {
                        form method="post" action="/hooks/test" {
                            (hidden(who))
                            input type="hidden" name="id" value=(hook.id);
                            button aria-label={ "Send a test message to " (hook.name) } { "Send a test message" }
                        }
                        form method="post" action="/hooks/end" {
                            (hidden(who))
                            input type="hidden" name="id" value=(hook.id);
                            button.danger aria-label={ "Remove " (hook.name) } data-confirm=(SURE) { "Remove" }
                        }
                    } }
                } } }
            }
        }
    })
}

fn form(call: &Call) -> Markup {
    let form = Form::new(call, "/hooks");
    let formats: Vec<_> =
        Format::ALL.map(|it| (it.key().to_owned(), it.words().to_owned())).to_vec();
    let fields = html! {
        (form.input("name", "Name", Input {
            required: true, most: Some(NAME_MAX), hint: "CI of the directory", ..TEXT
        }))
        (form.choice("format", "Format", &formats, Format::Json.key()))
        (form.input("url", "URL; that of Slack, of Teams and for mail is kept secret", Input {
            kind: "url", required: true, most: Some(URL_MAX), hint: "https://ci.example.com/hook", ..TEXT
        }))
        (form.area("to", "For mail: the addresses that receive it, one a line", Area {
            hint: "team@example.com", is_code: true, ..AREA
        }))
        div { button.main { "Add it" } }
    };
    html! { section id="add" { h2 { "Add a webhook" } (form.whole("stack", Script::Nothing, &fields)) } }
}

/// `POST /hooks`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let format = match call.field("format") {
        "" => Format::Json,
        key => Format::from_key(key).ok_or_else(|| Problem::missing("format").at("format"))?,
    };
    let lines = call.field("to").lines().map(str::trim).filter(|line| !line.is_empty());
    let draft = Draft {
        name: call.field("name").to_owned(),
        url: call.field("url").to_owned(),
        format,
        to: lines.map(str::to_owned).collect(),
    };
    let (_, key) = changes::add(&call.app, call.who()?, &draft)?;
    shown(call, &key_of(format, &key))
}

/// The key of a webhook that was just added. It is shown only this once.
fn key_of(format: Format, key: &str) -> Markup {
    html! {
        div.warning role="status" {
            p {
                "This key verifies the signatures of its messages. It is shown only now"
                @if matches!(format, Format::Slack | Format::Teams) { "; " (format.words()) " itself needs no key" }
                ":"
            }
            pre tabindex="0" data-copy { (key) }
        }
    }
}

/// `POST /hooks/test`: sends a test message, and waits for the result.
pub(crate) fn test(call: &Call) -> Result<Answer, Problem> {
    let hook = named(call)?;
    let sent = changes::test(&call.app, call.who()?, hook.id)?;
    let message = html! {
        @match sent {
            Ok(()) => p.status role="status" { "The test message arrived at " (hook.name) "." },
            Err(why) => div.warning role="alert" { p {
                "The test message did not arrive at " (hook.name) ": " (why) "."
            } },
        }
    };
    shown(call, &message)
}

/// `POST /hooks/end`.
pub(crate) fn end(call: &Call) -> Result<Answer, Problem> {
    changes::end(&call.app, call.who()?, named(call)?.id)?;
    Ok(Answer::see("/hooks"))
}

/// The webhook that a form names.
fn named(call: &Call) -> Result<Hook, Problem> {
    let id = call.field("id").parse().unwrap_or_default();
    let found = call.app.store.hook(id)?.ok_or_else(|| Problem::missing("webhook"))?;
    Ok(found.0)
}
