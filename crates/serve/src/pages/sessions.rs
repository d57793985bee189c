//! The sessions of a user: where each began, and when it was last used. A user ends them one by one, or all others.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use maud::{Markup, html};

use super::{hidden, moment_of};
use crate::auth::{By, Hash};
use crate::call::{Answer, Call};
use crate::problem::Problem;
use crate::store::SessionRow;

/// Parts of User-Agents, and the names of their browsers. The first that matches counts: most name other browsers too.
const BROWSERS: [(&str, &str); 8] = [
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
    ("Wget/", "Wget"),
];
const SYSTEMS: [(&str, &str); 6] = [
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
];

/// The sessions of the user who makes the request, for the page of the account.
pub(super) fn section(call: &Call) -> Result<Markup, Problem> {
    let who = call.who()?;
    let sessions = call.app.store.sessions(who.user.id, call.app.now())?;
    let own = own(call);
    let others = sessions.iter().filter(|session| Some(session.hash) != own).count();
    Ok(html! {
        section id="sessions" {
            h2 { "Sessions" }
            p { "Where you are signed in. If you do not recognise a session, end it, and change your password." }
            div.scroll role="region" tabindex="0" aria-label="Sessions" {
                table.cards {
                    thead { tr {
                        th.name scope="col" { "browser" } th.name scope="col" { "address" }
                        th.name scope="col" { "began" } th.name scope="col" { "last used" }
                        th scope="col" { span.away { "End" } }
                    } }
                    tbody { @for session in &sessions { (row(call, session, Some(session.hash) == own)?) } }
                }
            }
            @if others > 0 {
                form method="post" action="/account/sessions/end-others" {
                    (hidden(who))
                    button.danger { "End all other sessions" }
                }
            }
        }
    })
}

fn row(call: &Call, session: &SessionRow, is_own: bool) -> Result<Markup, Problem> {
    let name = browser(&session.visitor.browser);
    let address = &session.visitor.address;
    Ok(html! {
        tr {
            th.name scope="row" title=(session.visitor.browser) {
                (name) @if is_own { " " span.tag { "this one" } }
            }
            td.name data-label="address" { (if address.is_empty() { "unknown" } else { address }) }
            td.name data-label="began" { (moment_of(session.created)) }
            td.name data-label="last used" { (moment_of(session.seen)) }
            td { @if !is_own { form method="post" action="/account/sessions/end" {
                (hidden(call.who()?))
                input type="hidden" name="session" value=(BASE64.encode(session.hash));
                button.danger aria-label={ "End the session of " (name) " at " (address) } { "End" }
            } } }
        }
    })
}

/// The session that makes the request.
fn own(call: &Call) -> Option<Hash> {
    match &call.who.as_ref()?.by {
        By::Session(secret) => Some(secret.hash()),
        By::Token { .. } => None,
    }
}

/// The browser and the system in two words.
fn browser(message: &str) -> String {
    let find = |names: &[(&str, &'static str)]| {
        names.iter().find(|(begin, _)| message.contains(begin)).map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(name), None) | (None, Some(name)) => name.to_owned(),
        (None, None) => "unknown".to_owned(),
    }
}

/// `POST /account/sessions/end`.
pub(crate) fn end(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    let hash = BASE64.decode(call.field("session")).ok().and_then(|hash| hash.try_into().ok());
    let hash: Hash = hash.ok_or_else(|| Problem::missing("session"))?;
    let of = app.store.sessions(who.user.id, app.now())?.into_iter().find(|one| one.hash == hash);
    if !app.store.end_session_of(who.user.id, &hash)? {
        return Err(Problem::missing("session"));
    }
    let from = of.map(|session| format!("that began from {}", session.visitor.address));
    app.audit(who, "end session", &from.unwrap_or_default())?;
    Ok(Answer::see("/account#sessions"))
}

/// `POST /account/sessions/end-others`.
pub(crate) fn end_others(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    let ended = app.store.end_sessions(who.user.id, own(call).as_ref())?;
    app.audit(who, "end sessions", &format!("{ended} of their own"))?;
    Ok(Answer::see("/account#sessions"))
}

#[cfg(test)]
mod tests {
    use super::browser;

    #[test]
    fn browser_is_named_from_its_user_agent() {
        for (message, named) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                "Firefox on Linux",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 \
                 Safari/537.36 Edg/140.0.0.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1",
                "Safari on iOS",
            ),
            ("curl/8.14.1", "curl"),
            ("<script>", "unknown"),
            ("", "unknown"),
        ] {
            assert_eq!(browser(message), named, "{message}");
        }
    }
}
