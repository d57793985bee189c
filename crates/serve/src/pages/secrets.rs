//! Secrets of targets. They are entered here and never shown: a forgotten secret must be stored again.

use maud::{Markup, html};

use super::form::{Form, Input, PASSWORD, Script, TEXT};
use super::{hidden, moment_of, page as whole};
use crate::call::{Answer, Call};
use crate::changes::targets::secrets_of;
use crate::problem::Problem;
use crate::store::{SecretRow, Target};

/// The most characters of a name, and bytes of a value.
const NAME_MAX: usize = 60;
const VALUE_MAX: usize = 8 << 10;
/// The most secrets of a target.
const OF_TARGET_MAX: usize = 50;

/// `GET /secrets`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let secrets = call.app.store.secrets()?;
    let targets = call.app.store.targets()?;
    let body = html! {
        h1.large { "Secrets" }
        p {
            "Passwords, tokens and keys of targets. A plan names one with " code { "{ env = \"NAME\" }" }
            ", as the value of a variable or as a password. Only the process of a run receives the value, and only \
             for the addresses that the target had when the secret was stored. Pages, records and logs show stars \
             instead."
        }
        @if secrets.is_empty() {
            div.empty { p { "There are no secrets yet." } }
        } @else {
            div.scroll role="region" tabindex="0" aria-label="Secrets" {
                table.cards {
                    thead { tr {
                        th.name scope="col" { "name" } th.name scope="col" { "target" }
                        th.name scope="col" { "stored by" } th.name scope="col" { "stored" }
                        th.name scope="col" { "last used" }
                        th.name scope="col" { span.away { "Remove" } }
                    } }
                    tbody { @for secret in &secrets { (row(call, secret)?) } }
                }
            }
        }
        @if targets.is_empty() {
            p { "A secret belongs to a target. " a href="/targets" { "List one first" } "." }
        } @else {
            (form(call, &targets))
        }
        p.note {
            "Secrets are encrypted (AES-256-GCM) with a key in a separate file. This protects copies of the database. \
             It does not protect against root on this machine, or against the user that brunt serve runs as."
        }
    };
    Ok(Answer::page(whole(call, "Secrets", &body)))
}

fn row(call: &Call, secret: &SecretRow) -> Result<Markup, Problem> {
    Ok(html! {
        tr {
            th.name scope="row" { code { (secret.name) } }
            td.name data-label="target" { (secret.target) }
            td.name data-label="stored by" { (secret.by) }
            td.name data-label="stored" { (moment_of(secret.at)) }
            td.name data-label="last used" {
                @match secret.used { Some(used) => (moment_of(used)), None => "never" }
            }
            td.name { form method="post" action="/secrets/end" {
                (hidden(call.who()?))
                input type="hidden" name="target" value=(secret.target);
                input type="hidden" name="name" value=(secret.name);
                button.danger aria-label={ "Remove " (secret.name) " of " (secret.target) }
                    data-confirm="Remove this secret?" { "Remove" }
            } }
        }
    })
}

fn form(call: &Call, targets: &[Target]) -> Markup {
    let form = Form::new(call, "/secrets");
    let targets = targets.iter().map(|target| (target.id.to_string(), target.name.clone()));
    let targets: Vec<_> = targets.collect();
    let fields = html! {
        (form.choice("target", "Target", &targets, ""))
        (form.input("name", "Name; an existing secret of this name is replaced", Input {
            required: true, most: Some(NAME_MAX), pattern: Some("[A-Za-z_][A-Za-z0-9_]*"), hint: "BIND_PASSWORD",
            is_word: true, ..TEXT
        }))
        (form.input("value", "Value; it is not shown again", PASSWORD))
        div { button.main { "Store it" } }
    };
    html! { section id="add" { h2 { "Store a secret" } (form.whole("stack", Script::Nothing, &fields)) } }
}

/// `POST /secrets`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    let target = app.store.target(call.field("target").parse().unwrap_or_default())?;
    let target = target.ok_or_else(|| Problem::missing("target").at("target"))?;
    let (name, value) = (call.field("name").trim(), call.field("value"));
    if !is_name(name) {
        let why = format!(
            "A name has letters, digits and _, such as BIND_PASSWORD, and at most {NAME_MAX} characters."
        );
        return Err(Problem::unusable(why).at("name"));
    }
    if value.is_empty() || value.len() > VALUE_MAX {
        return Err(Problem::unusable(format!("A secret has 1 to {VALUE_MAX} bytes.")).at("value"));
    }
    let others = secrets_of(&call.app, &target)?.map_or(0, |requested| requested.names.len());
    if others >= OF_TARGET_MAX {
        let why = format!("A target has at most {OF_TARGET_MAX} secrets.");
        return Err(Problem::unusable(why).at("target"));
    }
    let row = SecretRow {
        target: target.name.clone(),
        name: name.to_owned(),
        allow: serde_json::to_string(&target.grant.allow).map_err(Problem::bug)?,
        by: who.user.name.clone(),
        at: app.now(),
        used: None,
    };
    let sealed = app.vault.seal(&row, value).map_err(Problem::bug)?;
    app.store.put_secret(&row, &sealed)?;
    app.audit(who, "store secret", &format!("{name} of {}", target.name))?;
    Ok(Answer::see("/secrets"))
}

/// `POST /secrets/end`.
pub(crate) fn end(call: &Call) -> Result<Answer, Problem> {
    let (target, name) = (call.field("target"), call.field("name"));
    if !call.app.store.end_secret(target, name)? {
        return Err(Problem::missing("secret"));
    }
    call.app.audit(call.who()?, "remove secret", &format!("{name} of {target}"))?;
    Ok(Answer::see("/secrets"))
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    let begins = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    begins
        && name.len() <= NAME_MAX
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
