//! Webhooks: where schedules send the results of their runs. An administrator lists them, because the site connects to
//! them.

use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::{StatusCode, Uri};
use maud::{Markup, html};

use super::form::{Form, Input, Script, TEXT};
use super::{hidden, moment_of, page as whole};
use crate::auth::Secret;
use crate::call::{Answer, Call};
use crate::problem::Problem;
use crate::reach::is_barred;
use crate::schedule::KEY_BEGINS;
use crate::store::Hook;

/// The most characters of a name and of a URL.
const NAME_MAX: usize = 60;
const URL_MAX: usize = 1_000;
const TRIAL: &str = "This is a trial, which can reach only its built-in servers. To add webhooks, start the site \
                     without --trial.";

/// `GET /hooks`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    shown(call, None)
}

/// The page of webhooks, with the key of one that was just added. The key is shown only this once.
fn shown(call: &Call, key: Option<&str>) -> Result<Answer, Problem> {
    let hooks = call.app.store.hooks()?;
    let body = html! {
        p.crumbs { a href="/schedules" { "Schedules" } }
        h1.large { "Webhooks" }
        p {
            "A schedule sends the result of each of its runs to its webhook: the verdict, the missed objectives, and \
             what is worse than the baseline. The message is a JSON POST, signed as "
            a href="https://www.standardwebhooks.com" rel="noreferrer" { "Standard Webhooks" } " specifies."
        }
        @if let Some(key) = key {
            div.warning role="status" {
                p { "This key verifies the signatures of its messages. It is shown only now:" }
                pre tabindex="0" data-copy { (key) }
            }
        }
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
                    th.name scope="col" { "name" } th.name scope="col" { "URL" }
                    th.name scope="col" { "added by" } th.name scope="col" { "added" }
                    th.name scope="col" { span.away { "Remove" } }
                } }
                tbody { @for hook in hooks { tr {
                    th.name scope="row" { (hook.name) }
                    td.name data-label="URL" { (hook.url) }
                    td.name data-label="added by" { (hook.by) }
                    td.name data-label="added" { (moment_of(hook.at)) }
                    td.name { form method="post" action="/hooks/end" {
                        (hidden(who))
                        input type="hidden" name="id" value=(hook.id);
                        button.danger aria-label={ "Remove " (hook.name) }
                            data-confirm="Remove this webhook? Its schedules will no longer send results." { "Remove" }
                    } }
                } } }
            }
        }
    })
}

fn form(call: &Call) -> Markup {
    let form = Form::new(call, "/hooks");
    let fields = html! {
        (form.input("name", "Name", Input {
            required: true, most: Some(NAME_MAX), hint: "CI of the directory", ..TEXT
        }))
        (form.input("url", "URL, without a password: messages are signed", Input {
            kind: "url", required: true, most: Some(URL_MAX), hint: "https://ci.example.com/hook", ..TEXT
        }))
        div { button.main { "Add it" } }
    };
    html! { section id="add" { h2 { "Add a webhook" } (form.whole("stack", Script::Nothing, &fields)) } }
}

/// `POST /hooks`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    if app.trial.is_some() {
        return Err(Problem::new(StatusCode::FORBIDDEN, "Not in a trial", TRIAL));
    }
    let (name, url) = (call.field("name").trim(), call.field("url").trim());
    if name.is_empty() || name.chars().count() > NAME_MAX {
        return Err(Problem::unusable(format!("A name has 1 to {NAME_MAX} characters.")).at("name"));
    }
    if !is_url(url) {
        let why = "Write a URL of http or https without a query, a fragment or a password, such as \
                   https://ci.example.com/hook.";
        return Err(Problem::unusable(why).at("url"));
    }
    if let Some(address) = address(url).filter(|address| is_barred(*address)) {
        let why = format!(
            "{address} is an address that nothing of this site is sent to: it is link-local, multicast, broadcast or \
             unspecified."
        );
        return Err(Problem::unusable(why).at("url"));
    }
    let hook = Hook {
        id: 0,
        name: name.to_owned(),
        url: url.to_owned(),
        by: who.user.name.clone(),
        at: app.now(),
    };
    let secret = Secret::new().map_err(Problem::bug)?;
    let key = format!("{KEY_BEGINS}{}", BASE64.encode(secret.bytes()));
    let sealed = app.vault.seal_key(&hook, &key).map_err(Problem::bug)?;
    if !app.store.add_hook(&hook, &sealed)? {
        let why = format!("A webhook named {name} already exists.");
        return Err(Problem::unusable(why).at("name"));
    }
    app.audit(who, "add webhook", &format!("{name}: {url}"))?;
    shown(call, Some(&key))
}

/// `POST /hooks/end`.
pub(crate) fn end(call: &Call) -> Result<Answer, Problem> {
    let id = call.field("id").parse().unwrap_or_default();
    let Some((hook, _)) = call.app.store.hook(id)? else { return Err(Problem::missing("webhook")) };
    call.app.store.end_hook(id)?;
    call.app.audit(call.who()?, "remove webhook", &hook.name)?;
    Ok(Answer::see("/hooks"))
}

fn is_url(text: &str) -> bool {
    let plain = text.len() <= URL_MAX && text.bytes().all(|byte| byte.is_ascii_graphic());
    let uri: Option<Uri> = text.parse().ok();
    let has_place = uri.is_some_and(|uri| {
        let known = matches!(uri.scheme_str(), Some("http" | "https"));
        known
            && uri.query().is_none()
            && uri.authority().is_some_and(|of| !of.as_str().contains('@'))
    });
    plain && has_place && !text.contains('#')
}

/// The address that a URL names, if it names one. What a name resolves to is checked when a message is sent.
fn address(url: &str) -> Option<IpAddr> {
    let uri: Uri = url.parse().ok()?;
    uri.host()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_an_address_or_a_name() {
        for (url, barred) in [
            ("http://169.254.169.254/latest", true),
            ("http://[::ffff:169.254.169.254]:80/", true),
            ("https://[fe80::1]/", true),
            ("http://0.0.0.0:8080/", true),
            ("http://224.0.0.1/", true),
            ("http://127.0.0.1:8080/", false),
            ("http://10.1.0.7/", false),
            ("https://ci.example.com/", false),
        ] {
            assert_eq!(address(url).is_some_and(is_barred), barred, "{url}");
        }
    }

    #[test]
    fn a_url_is_one_that_can_be_told_something() {
        for (text, fits) in [
            ("https://ci.example.com/hook", true),
            ("http://10.1.0.7:8080/", true),
            ("http://[2001:db8::1]/x", true),
            ("ftp://ci.example.com/", false),
            ("/hook", false),
            ("https://me:secret@ci.example.com/", false),
            ("https://ci.example.com/?a=b", false),
            ("https://ci.example.com/#x", false),
            ("https://ci.example.com/a b", false),
            ("", false),
        ] {
            assert_eq!(is_url(text), fits, "{text}");
        }
    }
}
