//! Webhooks: where schedules send the results of their runs. An administrator lists them, because the site connects to
//! them.

use std::net::IpAddr;

use http::{StatusCode, Uri};
use maud::{Markup, html};

use super::form::{AREA, Area, Form, Input, Script, TEXT};
use super::{hidden, moment_of, page as whole};
use crate::call::{Answer, Call};
use crate::notice::{self, Format};
use crate::problem::Problem;
use crate::reach::is_barred;
use crate::store::Hook;

/// The most characters of a name, of a URL and of an address of mail.
const NAME_MAX: usize = 60;
const URL_MAX: usize = 1_000;
const ADDRESS_MAX: usize = 254;
/// The most addresses of mail.
const ADDRESSES_MAX: usize = 20;
const TRIAL: &str = "This is a trial, which can reach only its built-in servers. To add webhooks, start the site \
                     without --trial.";

const SURE: &str = "Remove this webhook? Its schedules will no longer send results.";

/// `GET /hooks`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    shown(call, &html! {})
}

/// The page of webhooks, below what there is to say.
fn shown(call: &Call, said: &Markup) -> Result<Answer, Problem> {
    let hooks = call.app.store.hooks()?;
    let body = html! {
        p.crumbs { a href="/schedules" { "Schedules" } }
        h1.large { "Webhooks" }
        p {
            "A schedule sends the result of each of its runs to its webhook: a sentence and a link, or for programs \
             all that is known. Messages are signed as "
            a href="https://www.standardwebhooks.com" rel="noreferrer" { "Standard Webhooks" } " specifies."
        }
        (said)
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
                            Some((at, told)) => { (moment_of(*at)) ": " (told) }
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
    let (app, who) = (&call.app, call.who()?);
    if app.trial.is_some() {
        return Err(Problem::new(StatusCode::FORBIDDEN, "Not in a trial", TRIAL));
    }
    let (name, url) = (call.field("name").trim(), call.field("url").trim());
    if name.is_empty() || name.chars().count() > NAME_MAX {
        return Err(Problem::unusable(format!("A name has 1 to {NAME_MAX} characters.")).at("name"));
    }
    let format = match call.field("format") {
        "" => Format::Json,
        key => Format::of(key).ok_or_else(|| Problem::missing("format").at("format"))?,
    };
    check_url(url, format)?;
    let hook = Hook {
        name: name.to_owned(),
        url: if format.has_secret_url() { host_of(url) } else { url.to_owned() },
        format,
        to: recipients(call, format)?,
        by: who.user.name.clone(),
        at: app.now(),
        ..Hook::default()
    };
    let (key, sealed) = notice::sealed_key(app, &hook, url)?;
    if !app.store.add_hook(&hook, &sealed)? {
        let why = format!("A webhook named {name} already exists.");
        return Err(Problem::unusable(why).at("name"));
    }
    app.audit(who, "add webhook", &format!("{name}: {}", hook.url))?;
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

fn check_url(url: &str, format: Format) -> Result<(), Problem> {
    if !is_url(url, format.has_secret_url()) {
        let query = if format.has_secret_url() { "" } else { "a query, " };
        let why = format!(
            "Write a URL of http or https without {query}a fragment or a password, such as \
             https://ci.example.com/hook."
        );
        return Err(Problem::unusable(why).at("url"));
    }
    if let Some(address) = address(url).filter(|address| is_barred(*address)) {
        let why = format!(
            "{address} is an address that nothing of this site is sent to: it is link-local, multicast, broadcast or \
             unspecified."
        );
        return Err(Problem::unusable(why).at("url"));
    }
    Ok(())
}

/// Who receives mail, as the form says.
fn recipients(call: &Call, format: Format) -> Result<Vec<String>, Problem> {
    let lines = call.field("to").lines().map(str::trim).filter(|line| !line.is_empty());
    let to: Vec<String> = lines.map(str::to_owned).collect();
    let wrong = |why: String| Err(Problem::unusable(why).at("to"));
    if format != Format::Mail {
        return if to.is_empty() { Ok(to) } else { wrong("Only mail has addresses.".to_owned()) };
    }
    if to.is_empty() || to.len() > ADDRESSES_MAX {
        return wrong(format!("Mail needs 1 to {ADDRESSES_MAX} addresses, one a line."));
    }
    match to.iter().find(|address| !is_mail(address)) {
        Some(other) => {
            wrong(format!("'{other}' is no address; write one such as team@example.com."))
        }
        None => Ok(to),
    }
}

fn is_mail(text: &str) -> bool {
    let is_plain =
        text.chars().all(|letter| letter.is_ascii_graphic() && !",;<>\"()".contains(letter));
    let parts = text.split_once('@').filter(|(name, host)| !name.is_empty() && !host.is_empty());
    is_plain && text.len() <= ADDRESS_MAX && parts.is_some_and(|(_, host)| !host.contains('@'))
}

/// `POST /hooks/test`: sends a message that says so, and waits for what comes of it.
pub(crate) fn test(call: &Call) -> Result<Answer, Problem> {
    let (hook, sealed) = named(call)?;
    call.app.audit(call.who()?, "test webhook", &hook.name)?;
    let sent = notice::send(&call.app, (&hook, &sealed), &notice::test(&call.app, &hook))?;
    let said = html! {
        @match sent {
            Ok(()) => p.status role="status" { "The test message arrived at " (hook.name) "." },
            Err(why) => div.warning role="alert" { p {
                "The test message did not arrive at " (hook.name) ": " (why) "."
            } },
        }
    };
    shown(call, &said)
}

/// `POST /hooks/end`.
pub(crate) fn end(call: &Call) -> Result<Answer, Problem> {
    let (hook, _) = named(call)?;
    call.app.store.end_hook(hook.id)?;
    call.app.audit(call.who()?, "remove webhook", &hook.name)?;
    Ok(Answer::see("/hooks"))
}

/// The webhook that a form names.
fn named(call: &Call) -> Result<(Hook, Vec<u8>), Problem> {
    let id = call.field("id").parse().unwrap_or_default();
    call.app.store.hook(id)?.ok_or_else(|| Problem::missing("webhook"))
}

fn is_url(text: &str, may_have_query: bool) -> bool {
    let plain = text.len() <= URL_MAX && text.bytes().all(|byte| byte.is_ascii_graphic());
    let uri: Option<Uri> = text.parse().ok();
    let has_place = uri.is_some_and(|uri| {
        let known = matches!(uri.scheme_str(), Some("http" | "https"));
        known
            && (may_have_query || uri.query().is_none())
            && uri.authority().is_some_and(|of| !of.as_str().contains('@'))
    });
    plain && has_place && !text.contains('#')
}

/// What is shown of a URL that is a secret.
fn host_of(url: &str) -> String {
    let uri: Option<Uri> = url.parse().ok();
    let of = |uri: Uri| Some(format!("{}://{}/", uri.scheme_str()?, uri.authority()?));
    uri.and_then(of).unwrap_or_default()
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
            assert_eq!(is_url(text, false), fits, "{text}");
        }
    }

    #[test]
    fn a_secret_url_may_have_a_query_and_only_its_host_is_shown() {
        let url = "https://flow.example.com:443/workflows/1/run?api-version=1&sig=s3cret";
        assert!(is_url(url, true) && !is_url(url, false));
        assert_eq!(host_of(url), "https://flow.example.com:443/");
        assert!(!is_url("https://me:x@flow.example.com/?sig=1", true));
    }

    #[test]
    fn an_address_of_mail_is_one_word() {
        for (text, fits) in [
            ("team@example.com", true),
            ("a+b@x", true),
            ("team", false),
            ("a@b@c", false),
            ("Ada <a@b>", false),
            ("a@b,c@d", false),
            ("@b", false),
        ] {
            assert_eq!(is_mail(text), fits, "{text}");
        }
    }
}
