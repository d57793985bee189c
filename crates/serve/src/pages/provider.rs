//! The provider of OpenID Connect at which people sign in. For administrators.

use http::StatusCode;
use maud::{Markup, html};

use super::form::{AREA, Area, Form, Input, PASSWORD, Script, TEXT};
use super::single_sign_on::{AFTER, BACK_CHANNEL, CALLBACK};
use super::{hidden, page as whole};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::oidc::is_issuer;
use crate::problem::Problem;
use crate::provider::{Failure, client_secret, sealed};
use crate::store::ProviderSettings;

/// The most characters of a name, of other words, and of a secret; the most lines of the table of groups.
const NAME_MAX: usize = 40;
const WORDS_MAX: usize = 500;
const SECRET_MAX: usize = 4 << 10;
const GROUPS_MAX: usize = 200;
/// The range of the minutes after which a session is checked again.
const MINUTES: (i64, i64) = (1, 1_440);
/// The choice for all other users that means that they may not sign in.
const NOBODY: &str = "nobody";
/// Why a trial has no provider.
const TRIAL: &str =
    "A trial talks to nothing else. Start a site of your own with brunt serve, without --trial.";

/// `GET /provider`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    shown(call, None)
}

/// The page. If the settings were just saved, it has the number of keys of the provider, or why there are none.
fn shown(call: &Call, requested: Option<Result<usize, Failure>>) -> Result<Answer, Problem> {
    let stored = call.app.store.provider()?;
    let secret = stored.as_ref().map(|(stored, sealed)| client_secret(&call.app, stored, sealed));
    let is_public = secret.is_some_and(|secret| secret.is_ok_and(|secret| secret.is_empty()));
    let stored = stored.map(|(settings, _)| settings);
    let body = html! {
        h1.large { "Sign-in" }
        p {
            "People can sign in at a provider of OpenID Connect, such as Keycloak. Their groups there decide what they \
             may do here. Users with a password of this site, and at least one administrator, sign in without it."
        }
        @match requested {
            Some(Ok(keys)) => div.verdict role="status" {
                p { strong { "Saved." } " The provider answers. Keys that can sign: " (keys) "." }
            },
            Some(Err(failure)) => div.warning role="status" {
                p { strong { "Saved." } " The provider cannot be used yet: " (failure) "." }
            },
            None => {}
        }
        @if call.app.trial.is_some() {
            p.note { (TRIAL) }
        } @else {
            (addresses(call))
            (form(call, stored.as_ref(), is_public))
            @if stored.is_some() { (removal(call)?) }
        }
    };
    Ok(Answer::page(whole(call, "Sign-in", &body)))
}

/// What has to be entered at the provider.
fn addresses(call: &Call) -> Markup {
    let origin = call.origin();
    html! {
        section id="addresses" {
            h2 { "What the provider has to know" }
            table.cards { tbody {
                @for (name, path) in [
                    ("redirect URI", CALLBACK),
                    ("post-logout redirect URI", AFTER),
                    ("back-channel logout URL, if it can send to this site", BACK_CHANNEL),
                ] {
                    tr { th.name scope="row" { (name) } td.name { code { (origin) (path) } } }
                }
            } }
        }
    }
}

fn form(call: &Call, stored: Option<&ProviderSettings>, is_public: bool) -> Markup {
    let form = Form::new(call, "/provider");
    let text =
        |value: fn(&ProviderSettings) -> &str, other: &'static str| stored.map_or(other, value);
    let groups = stored.map_or_else(String::new, |stored| written(&stored.groups));
    let others = stored.and_then(|stored| stored.others).map_or(NOBODY, Role::word);
    let minutes = stored.map_or(5, |stored| stored.minutes).to_string();
    let of_others = [(NOBODY.to_owned(), "may not sign in".to_owned())];
    let roles = Role::ALL
        .map(|role| (role.word().to_owned(), format!("{}: {}", role.word(), role.meaning())));
    let word = Input { required: true, most: Some(WORDS_MAX), is_word: true, ..TEXT };
    let label = if stored.is_some() {
        "Client secret; leave it empty to keep the stored one"
    } else {
        "Client secret"
    };
    let fields = html! {
        (form.input("name", "Name, as on the button \"Sign in with ...\"", Input {
            required: true, most: Some(NAME_MAX), value: text(|it| &it.name, ""), hint: "Keycloak", ..TEXT
        }))
        (form.input("issuer", "Issuer", Input {
            kind: "url", value: text(|it| &it.issuer, ""), hint: "https://sso.example.com/realms/company", ..word
        }))
        (form.input("client", "Client ID", Input { value: text(|it| &it.client, ""), hint: "brunt", ..word }))
        (form.input("secret", label, Input { required: false, ..PASSWORD }))
        (form.tick("public", "The client is public: it has no secret", is_public))
        (form.input("scopes", "Scopes", Input { value: text(|it| &it.scopes, "openid profile email"), ..word }))
        (form.input("claim", "Claim with the groups of a person; a path is written with dots", Input {
            value: text(|it| &it.claim, "groups"), ..word
        }))
        (form.area("groups", "Roles of groups, one a line: GROUP = viewer, runner or admin", Area {
            rows: 4, value: &groups, hint: "load-admins = admin", is_code: true, ..AREA
        }))
        (form.choice("others", "Who is in none of these groups", &[&of_others[..], &roles[..]].concat(), others))
        (form.input("minutes", "Minutes after which the provider is asked again about somebody", Input {
            kind: "number", required: true, value: &minutes, range: Some(MINUTES), ..TEXT
        }))
        div { button.main { "Save" } }
    };
    html! { section id="set" { h2 { "The provider" } (form.whole("stack", Script::Nothing, &fields)) } }
}

fn removal(call: &Call) -> Result<Markup, Problem> {
    Ok(html! {
        section id="remove" {
            h2 { "Remove it" }
            form method="post" action="/provider/end" {
                (hidden(call.who()?))
                button.danger data-confirm="Remove the provider? Whoever signed in there is signed out." {
                    "Remove the provider"
                }
            }
        }
    })
}

/// The table of groups as lines.
fn written(groups: &[(String, Role)]) -> String {
    let lines = groups.iter().map(|(group, role)| format!("{group} = {}", role.word()));
    lines.collect::<Vec<_>>().join("\n")
}

/// `POST /provider`.
pub(crate) fn set(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    if app.trial.is_some() {
        return Err(Problem::new(StatusCode::FORBIDDEN, "Not in a trial", TRIAL));
    }
    let settings = read(call)?;
    let secret = secret(call, &settings)?;
    let sealed = sealed(app, &settings, &secret)?;
    app.store.put_provider(&settings, &sealed)?;
    app.provider.forget();
    let ProviderSettings { name, issuer, client, .. } = &settings;
    let roles = written(&settings.groups).replace('\n', ", ");
    let others = settings.others.map_or(NOBODY, Role::word);
    let what = format!("{name}, {issuer}, client {client}; {roles}; others: {others}");
    app.audit(who, "set provider", &what)?;
    let requested = app.provider.begin((&settings, &secret), app.now()).and_then(|conversation| {
        conversation.metadata()?;
        Ok(conversation.keys(0)?.count())
    });
    shown(call, Some(requested))
}

/// The secret that was typed, the stored one if it belongs to the same issuer, or none.
fn secret(call: &Call, settings: &ProviderSettings) -> Result<String, Problem> {
    let typed = call.field("secret");
    if call.field("public") == "1" {
        let why = "A public client has no secret: leave it empty, or remove the tick.";
        let is_alone = typed.is_empty();
        return if is_alone { Ok(String::new()) } else { Err(Problem::unusable(why).at("public")) };
    }
    if typed.len() > SECRET_MAX {
        let why = format!("A secret has at most {SECRET_MAX} bytes.");
        return Err(Problem::unusable(why).at("secret"));
    }
    if !typed.is_empty() {
        return Ok(typed.to_owned());
    }
    let stored = call.app.store.provider()?.filter(|(stored, _)| stored.issuer == settings.issuer);
    let kept = stored.and_then(|(stored, sealed)| client_secret(&call.app, &stored, &sealed).ok());
    let missing = || {
        let why = "Enter the client secret, or tick that the client is public. A stored secret is kept only for the \
                   same issuer.";
        Problem::unusable(why).at("secret")
    };
    kept.filter(|secret| !secret.is_empty()).ok_or_else(missing)
}

fn read(call: &Call) -> Result<ProviderSettings, Problem> {
    let refused = |field: &'static str, why: &str| Problem::unusable(why).at(field);
    let text = |field: &'static str, most: usize, why: &str| {
        let text = call.field(field).trim();
        let fits =
            (1..=most).contains(&text.chars().count()) && !text.chars().any(char::is_control);
        if fits { Ok(text.to_owned()) } else { Err(refused(field, why)) }
    };
    let issuer = call.field("issuer").trim().to_owned();
    if !is_issuer(&issuer) {
        let why = "Write the issuer as the provider does: a URL of https without a query, such as \
                   https://sso.example.com/realms/company. Plain http is accepted only on this machine's loopback.";
        return Err(refused("issuer", why));
    }
    let scopes = text("scopes", WORDS_MAX, "Write the scopes with spaces between them.")?;
    if !scopes.split(' ').any(|scope| scope == "openid") {
        return Err(refused("scopes", "One of the scopes has to be openid."));
    }
    let others = call.field("others");
    let role = Role::named(others);
    if role.is_none() && others != NOBODY {
        return Err(refused("others", "Choose what everybody else may do."));
    }
    let minutes = call.field("minutes").trim().parse().ok();
    let minutes = minutes.filter(|minutes| (MINUTES.0..=MINUTES.1).contains(minutes));
    Ok(ProviderSettings {
        name: text("name", NAME_MAX, "Write a name of at most 40 characters.")?,
        client: text("client", WORDS_MAX, "Write the client ID as the provider has it.")?,
        claim: text("claim", WORDS_MAX, "Write the name of a claim, such as groups.")?,
        groups: groups(call.field("groups"))
            .map_err(|error| refused("groups", &error.to_string()))?,
        minutes: minutes
            .ok_or_else(|| refused("minutes", "Write a number of minutes from 1 to 1440."))?,
        others: role,
        scopes,
        issuer,
    })
}

/// Why a table of groups is not accepted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum GroupsError {
    #[error(
        "Line {0} is not written as GROUP = ROLE, with one of the roles viewer, runner and admin."
    )]
    Line(usize),
    #[error("Line {0} names a group again.")]
    Again(usize),
    #[error("A table of groups has at most {GROUPS_MAX} lines.")]
    Long,
}

/// Reads the table of groups. A name may contain an equals sign.
fn groups(text: &str) -> Result<Vec<(String, Role)>, GroupsError> {
    let mut groups: Vec<(String, Role)> = Vec::new();
    let lines = (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty());
    for (number, line) in lines {
        let parts = line.rsplit_once('=').map(|(group, role)| (group.trim(), role.trim()));
        let parts = parts.and_then(|(group, role)| Some((group, Role::named(role)?)));
        let Some((group, role)) = parts.filter(|(group, _)| !group.is_empty()) else {
            return Err(GroupsError::Line(number));
        };
        if groups.iter().any(|(known, _)| known == group) {
            return Err(GroupsError::Again(number));
        }
        groups.push((group.to_owned(), role));
    }
    if groups.len() > GROUPS_MAX {
        return Err(GroupsError::Long);
    }
    Ok(groups)
}

/// `POST /provider/end`.
pub(crate) fn end(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    if !app.store.end_provider()? {
        return Err(Problem::missing("provider"));
    }
    app.provider.forget();
    app.audit(who, "remove provider", "")?;
    Ok(Answer::see("/provider"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_mapping_is_parsed_from_lines() {
        let text = "/load/admins = admin\n\n  cn=b,ou=x=runner  \r\nc = viewer";
        let read = groups(text).unwrap();
        let names = ["/load/admins", "cn=b,ou=x", "c"].map(str::to_owned);
        let roles = [Role::Admin, Role::Runner, Role::Viewer];
        assert_eq!(read, names.into_iter().zip(roles).collect::<Vec<_>>());
        assert_eq!(groups(&written(&read)), Ok(read));
        for (wrong, error) in [
            ("a", GroupsError::Line(1)),
            ("a = admin\nb = king", GroupsError::Line(2)),
            ("= admin", GroupsError::Line(1)),
            ("a = admin\na = viewer", GroupsError::Again(2)),
        ] {
            assert_eq!(groups(wrong), Err(error), "{wrong}");
        }
    }
}
