//! What runs may reach, and how hard. Administrators edit the list; users who run plans can read it.

use std::net::IpAddr;

use http::StatusCode;
use ipnet::IpNet;
use maud::{Markup, html};

use super::{field, hidden, moment_of, page as whole};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::child::Grant;
use crate::problem::Problem;
use crate::store::Target;

const DAY: i64 = 24 * 3_600;
/// The most characters of a name, and of a target's other texts.
const NAME_MAX: usize = 60;
const TEXT_MAX: usize = 2_000;
/// The most networks of a target.
const NETWORKS_MAX: usize = 50;
const TRIAL: &str = "This is a trial, which can reach only its built-in servers. To list your own servers, start the \
                     site without --trial.";

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
        @if call.app.trial.is_some() { p.note { (TRIAL) } } @else if admin { (form(call)?) }
    };
    Ok(Answer::page(whole(call, "Targets", &body)))
}

/// The limits of a target, in words.
pub(super) fn limits(grant: &Grant) -> String {
    let mut words = Vec::new();
    words.extend(grant.rate_max.map(|rate| format!("{rate}/s")));
    words.extend(grant.users_max.map(|users| format!("{users} users")));
    words.extend(grant.seconds_max.map(|seconds| format!("{seconds} s")));
    if grant.rate_max.is_some() && grant.closed {
        words.push("closed loads too".to_owned());
    }
    words.join(", ")
}

fn row(call: &Call, target: &Target, admin: bool, now: i64) -> Result<Markup, Problem> {
    Ok(html! {
        tr {
            th.name scope="row" {
                (target.name)
                @if target.production { " " span.tag { "production" } }
                @if !target.reason.is_empty() { div.note { (target.reason) } }
                @if let Some(secrets) = super::secrets::of(&call.app, target)? {
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

fn form(call: &Call) -> Result<Markup, Problem> {
    let input = |name: &str, kind: &str, value: &str, hint: &str| {
        html! { input id=(name) name=(name) type=(kind) value=(value) placeholder=(hint) autocomplete="off"; }
    };
    Ok(html! {
        section id="add" {
            h2 { "List a target" }
            form.stack method="post" action="/targets" {
                (hidden(call.who()?))
                (field("name", "Name; an existing target of this name is replaced", &html! {
                    input id="name" name="name" required placeholder="Directory of staging" autocomplete="off";
                }))
                (field("allow", "Networks with ports, one per line", &html! {
                    textarea id="allow" name="allow" rows="3" placeholder="10.1.0.0/24:389\n192.0.2.7:443" {}
                }))
                (field("settings", "Settings: values of ${env:NAME} in plans, one per line. No secrets", &html! {
                    textarea id="settings" name="settings" rows="3" placeholder="HOST=ldap://10.1.0.7" {}
                }))
                (field("rate", "Highest rate, exchanges per second; if empty, any", &input("rate", "number", "", "")))
                (field("users", "Most virtual users", &input("users", "number", "100", "")))
                (field("seconds", "Longest run, in seconds", &input("seconds", "number", "3600", "")))
                (field("days", "Until, in days from now", &input("days", "number", "90", "")))
                (field("reason", "Who owns it, and why it may be load-tested", &input("reason", "text", "", "")))
                label.tick {
                    input type="checkbox" name="closed" value="1";
                    " With a highest rate: also allow closed loads, whose rate is not known in advance"
                }
                label.tick {
                    input type="checkbox" name="production" value="1";
                    " Production: the name has to be typed before each run"
                }
                div { button.main { "List it" } }
            }
        }
    })
}

/// `POST /targets`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    if app.trial.is_some() {
        return Err(Problem::new(StatusCode::FORBIDDEN, "Not in a trial", TRIAL));
    }
    let target = target(call)?;
    app.store.put_target(&target)?;
    let what =
        format!("{}: {}; {}", target.name, target.grant.allow.join(" "), limits(&target.grant));
    app.audit(who, "list target", &what)?;
    Ok(Answer::see("/targets"))
}

/// `POST /targets/end`.
pub(crate) fn end(call: &Call) -> Result<Answer, Problem> {
    let id = call.field("id").parse().unwrap_or_default();
    let name = call.app.store.end_target(id)?.ok_or_else(|| Problem::missing("target"))?;
    call.app.store.end_secrets(&name)?;
    call.app.audit(call.who()?, "remove target", &name)?;
    Ok(Answer::see("/targets"))
}

fn target(call: &Call) -> Result<Target, Problem> {
    let name = call.field("name").trim();
    if !(1..=NAME_MAX).contains(&name.chars().count()) || name.chars().any(char::is_control) {
        return Err(Problem::unusable("A target needs a short name on one line."));
    }
    let number = |name: &str, what: &str, most: u64| {
        let read = call.field(name).trim().parse().ok();
        let fits = read.filter(|number: &u64| (1..=most).contains(number));
        fits.ok_or_else(|| Problem::unusable(format!("{what} is a whole number from 1 to {most}.")))
    };
    let allow: Result<Vec<String>, String> =
        call.field("allow").split_whitespace().take(NETWORKS_MAX + 1).map(network).collect();
    let allow = allow.map_err(Problem::unusable)?;
    if allow.is_empty() || allow.len() > NETWORKS_MAX {
        return Err(Problem::unusable(format!("A target has 1 to {NETWORKS_MAX} networks.")));
    }
    let settings = call.field("settings").replace("\r\n", "\n");
    settings_of(&settings).map_err(Problem::unusable)?;
    let rate_max = match call.field("rate").trim() {
        "" => None,
        _ => Some(number("rate", "The highest rate", 10_000_000)? as f64),
    };
    let grant = Grant {
        allow,
        rate_max,
        closed: call.field("closed") == "1",
        users_max: Some(number("users", "The number of users", 1_000_000)? as u32),
        seconds_max: Some(number("seconds", "The longest run", 7 * 86_400)?),
    };
    let days = number("days", "The number of days", 3_650)?;
    let days = i64::try_from(days).map_err(Problem::bug)?;
    Ok(Target {
        id: 0,
        name: name.to_owned(),
        settings,
        grant,
        expires: call.app.now() + days * DAY,
        production: call.field("production") == "1",
        reason: call.field("reason").trim().chars().take(TEXT_MAX).collect(),
    })
}

/// A network for a target, in its stored form. The error says why it is not accepted.
fn network(text: &str) -> Result<String, String> {
    let wrong = || {
        format!(
            "'{text}' is not a network with a port, such as 10.1.0.0/24:389 or [2001:db8::]/32:443."
        )
    };
    let (network, port) = text.rsplit_once(':').ok_or_else(wrong)?;
    let port: u16 = port.parse().ok().filter(|port| *port > 0).ok_or_else(wrong)?;
    let plain = network.replace(['[', ']'], "");
    let plain = match plain.parse::<IpAddr>() {
        Ok(address) => IpNet::from(address),
        Err(_) => plain.parse().map_err(|_| wrong())?,
    };
    if network.contains('[') != plain.addr().is_ipv6() {
        return Err(wrong());
    }
    let never = "0.0.0.0/8 169.254.0.0/16 224.0.0.0/4 255.255.255.255/32 ::/128 fe80::/10 ff00::/8 ::ffff:0:0/96";
    let never = never.split(' ').filter_map(|one| one.parse::<IpNet>().ok());
    for never in never {
        if never.contains(&plain) || plain.contains(&never) {
            return Err(format!(
                "'{text}' contains addresses of {never}, which no run is allowed to reach."
            ));
        }
    }
    Ok(match plain {
        IpNet::V4(plain) => format!("{plain}:{port}"),
        IpNet::V6(plain) => format!("[{}]/{}:{port}", plain.addr(), plain.prefix_len()),
    })
}

/// The names and values in the settings of a target.
pub(super) fn settings_of(text: &str) -> Result<Vec<(String, String)>, String> {
    let plain = |name: &str| {
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') && !name.is_empty()
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let read = lines.map(|line| match line.split_once('=') {
        Some((name, value)) if plain(name.trim()) && line.len() <= TEXT_MAX => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("Write each setting as NAME=value on its own line, such as HOST=ldap://10.1.0.7."
            .to_owned()),
    });
    read.take(NETWORKS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_nobody_is_no_target() {
        for (text, kept) in [
            ("10.1.0.0/24:389", "10.1.0.0/24:389"),
            ("192.0.2.7:443", "192.0.2.7/32:443"),
            ("127.0.0.1:8080", "127.0.0.1/32:8080"),
            ("[2001:db8::]/32:443", "[2001:db8::]/32:443"),
            ("[::1]:80", "[::1]/128:80"),
        ] {
            assert_eq!(network(text).as_deref(), Ok(kept), "{text}");
        }
        for wrong in [
            "",
            "10.1.0.0/24",
            "10.1.0.0/24:0",
            "example.com:80",
            "0.0.0.0/0:80",
            "::/0:80",
            "[::]/0:80",
            "224.0.0.1:80",
            "169.254.169.254:80",
            "255.255.255.255:67",
            "[fe80::1]:80",
            "[::ffff:10.0.0.1]:80",
            "0.1.2.3:80",
            "2001:db8::1:80",
        ] {
            assert!(network(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn settings_are_lines() {
        let read = settings_of("HOST = h \n\nB=c=d").unwrap();
        assert_eq!(read, [("HOST".to_owned(), "h".to_owned()), ("B".to_owned(), "c=d".to_owned())]);
        for wrong in ["x", "=y", "A B=c"] {
            assert!(settings_of(wrong).is_err(), "{wrong}");
        }
    }
}
