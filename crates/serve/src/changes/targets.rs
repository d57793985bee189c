//! Targets that are listed, replaced and removed: what runs may reach, and how hard.

use std::net::IpAddr;

use brunt_envelope::{Grant, RequestedSecrets};
use http::StatusCode;
use ipnet::IpNet;

use super::is_name;
use crate::app::App;
use crate::auth::Requester;
use crate::problem::Problem;
use crate::reach::barred;
use crate::store::Target;

const DAY: i64 = 24 * 3_600;
/// The most characters of a name, and of a target's other texts.
pub(crate) const NAME_MAX: usize = 60;
pub(crate) const TEXT_MAX: usize = 2_000;
/// The most networks of a target, and the most settings.
pub(crate) const NETWORKS_MAX: usize = 50;
pub(crate) const RATE_MAX: u64 = 10_000_000;
pub(crate) const USERS_MAX: u64 = 1_000_000;
pub(crate) const SECONDS_MAX: u64 = 7 * 86_400;
pub(crate) const DAYS_MAX: u64 = 3_650;
pub(crate) const TRIAL: &str = "This is a trial, which can reach only its built-in servers. To list your own servers, \
                                start the site without --trial.";

/// A target as a user describes it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub(crate) name: String,
    /// Networks with ports.
    pub(crate) allow: Vec<String>,
    /// Values of `${env:NAME}` in plans, one `NAME=value` a line.
    pub(crate) settings: String,
    pub(crate) rate_max: Option<u64>,
    pub(crate) closed: bool,
    pub(crate) users_max: u64,
    pub(crate) seconds_max: u64,
    /// How many days from now it may be used.
    pub(crate) days: u64,
    pub(crate) production: bool,
    pub(crate) reason: String,
}

/// Lists a target, and replaces the one that has its name.
pub(crate) fn put(app: &App, who: &Requester, draft: &Draft) -> Result<(), Problem> {
    let target = checked(app, draft)?;
    app.store.put_target(&target)?;
    app.audit(who, "list target", &described(&target))
}

/// Lists a target whose name is new, and returns its id.
pub(crate) fn add(app: &App, who: &Requester, draft: &Draft) -> Result<i64, Problem> {
    let target = checked(app, draft)?;
    let Some(id) = app.store.add_target(&target)? else {
        let taken = format!("A target named {} already exists.", target.name);
        let problem =
            Problem::field("name", &target.name, "a name that no other target has", taken);
        return Err(Problem { status: StatusCode::CONFLICT, ..problem });
    };
    app.audit(who, "list target", &described(&target))?;
    Ok(id)
}

/// Replaces what a target permits. Its name stays, because its secrets belong to the name.
pub(crate) fn replace(app: &App, who: &Requester, id: i64, draft: &Draft) -> Result<(), Problem> {
    let old = app.store.target(id)?.ok_or_else(|| Problem::missing("target"))?;
    let target = checked(app, draft)?;
    if target.name != old.name {
        let sentence = format!("The name of a target cannot be changed: this is {}.", old.name);
        return Err(Problem::field("name", &target.name, &old.name, sentence));
    }
    app.store.put_target(&target)?;
    app.audit(who, "list target", &described(&target))
}

/// Removes a target and its secrets.
pub(crate) fn end(app: &App, who: &Requester, id: i64) -> Result<(), Problem> {
    let name = app.store.end_target(id)?.ok_or_else(|| Problem::missing("target"))?;
    app.store.end_secrets(&name)?;
    app.audit(who, "remove target", &name)
}

fn described(target: &Target) -> String {
    format!("{}: {}; {}", target.name, target.grant.allow.join(" "), limits(&target.grant))
}

/// The limits of a target, in words.
pub(crate) fn limits(grant: &Grant) -> String {
    let mut words = Vec::new();
    words.extend(grant.rate_max.map(|rate| format!("{rate}/s")));
    words.extend(grant.users_max.map(|users| format!("{users} users")));
    words.extend(grant.seconds_max.map(|seconds| format!("{seconds} s")));
    if grant.rate_max.is_some() && grant.closed {
        words.push("closed loads too".to_owned());
    }
    words.join(", ")
}

/// The target that is described, if it is within the limits of a site.
fn checked(app: &App, draft: &Draft) -> Result<Target, Problem> {
    if app.trial.is_some() {
        return Err(Problem::new(StatusCode::FORBIDDEN, "Not in a trial", TRIAL));
    }
    let name = draft.name.trim();
    if !is_name(name, NAME_MAX) {
        let wanted = format!("text from 1 to {NAME_MAX} characters on one line");
        return Err(Problem::field(
            "name",
            name,
            &wanted,
            "A target needs a short name on one line.",
        ));
    }
    settings_of(&draft.settings).map_err(|error| {
        let wanted = "names and values on one line each";
        Problem::field("settings", &draft.settings, wanted, error.to_string())
    })?;
    if let Some(rate) = draft.rate_max {
        number("rate_max", "The highest rate", rate, RATE_MAX)?;
    }
    number("users_max", "The number of users", draft.users_max, USERS_MAX)?;
    number("seconds_max", "The longest run", draft.seconds_max, SECONDS_MAX)?;
    number("days", "The number of days", draft.days, DAYS_MAX)?;
    Ok(Target {
        id: 0,
        name: name.to_owned(),
        settings: draft.settings.clone(),
        grant: Grant {
            allow: networks(&draft.allow)?,
            rate_max: draft.rate_max.map(|rate| rate as f64),
            closed: draft.closed,
            users_max: Some(u32::try_from(draft.users_max).map_err(Problem::bug)?),
            seconds_max: Some(draft.seconds_max),
        },
        expires: app.now() + i64::try_from(draft.days).map_err(Problem::bug)? * DAY,
        production: draft.production,
        reason: draft.reason.trim().chars().take(TEXT_MAX).collect(),
    })
}

fn number(field: &str, what: &str, given: u64, most: u64) -> Result<(), Problem> {
    if (1..=most).contains(&given) {
        return Ok(());
    }
    let wanted = format!("a whole number from 1 to {most}");
    Err(Problem::field(field, &given.to_string(), &wanted, format!("{what} is {wanted}.")))
}

fn networks(all: &[String]) -> Result<Vec<String>, Problem> {
    if all.is_empty() || all.len() > NETWORKS_MAX {
        let (given, wanted) =
            (format!("{} networks", all.len()), format!("1 to {NETWORKS_MAX} networks"));
        return Err(Problem::field("allow", &given, &wanted, format!("A target has {wanted}.")));
    }
    let one = |(number, text): (usize, &String)| {
        let wanted = "a network with a port, such as 10.1.0.0/24:389";
        network(text).map_err(|error| {
            Problem::field(&format!("allow[{number}]"), text, wanted, error.to_string())
        })
    };
    all.iter().enumerate().map(one).collect()
}

/// Why a network is not accepted.
#[derive(Debug, thiserror::Error)]
enum NetworkError {
    #[error("'{0}' is not a network with a port, such as 10.1.0.0/24:389 or [2001:db8::]/32:443.")]
    Form(String),
    #[error("'{text}' contains addresses of {barred}, which no run is allowed to reach.")]
    Barred { text: String, barred: IpNet },
}

/// A network for a target, in its stored form.
fn network(text: &str) -> Result<String, NetworkError> {
    let wrong = || NetworkError::Form(text.to_owned());
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
    if let Some(barred) = barred(plain) {
        return Err(NetworkError::Barred { text: text.to_owned(), barred });
    }
    Ok(match plain {
        IpNet::V4(plain) => format!("{plain}:{port}"),
        IpNet::V6(plain) => format!("[{}]/{}:{port}", plain.addr(), plain.prefix_len()),
    })
}

/// A line of settings that is none.
#[derive(Debug, thiserror::Error)]
#[error("Write each setting as NAME=value on its own line, such as HOST=ldap://10.1.0.7.")]
pub(crate) struct SettingsError;

/// The names and values in the settings of a target.
pub(crate) fn settings_of(text: &str) -> Result<Vec<(String, String)>, SettingsError> {
    let plain = |name: &str| {
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') && !name.is_empty()
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let read = lines.map(|line| match line.split_once('=') {
        Some((name, value)) if plain(name.trim()) && line.len() <= TEXT_MAX => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err(SettingsError),
    });
    read.take(NETWORKS_MAX).collect()
}

/// The names of the secrets of a target, for plans that may be run against it.
pub(crate) fn secrets_of(app: &App, target: &Target) -> Result<Option<RequestedSecrets>, Problem> {
    let all = app.store.secrets()?;
    let own = all.into_iter().filter(|secret| secret.target.eq_ignore_ascii_case(&target.name));
    let names: Vec<String> = own.map(|secret| secret.name).collect();
    Ok((!names.is_empty()).then(|| RequestedSecrets { target: target.name.clone(), names }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_network_is_parsed_and_must_be_unicast() {
        for (text, kept) in [
            ("10.1.0.0/24:389", "10.1.0.0/24:389"),
            ("192.0.2.7:443", "192.0.2.7/32:443"),
            ("127.0.0.1:8080", "127.0.0.1/32:8080"),
            ("[2001:db8::]/32:443", "[2001:db8::]/32:443"),
            ("[::1]:80", "[::1]/128:80"),
        ] {
            assert_eq!(network(text).unwrap(), kept, "{text}");
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
    fn target_settings_are_parsed_from_lines() {
        let read = settings_of("HOST = h \n\nB=c=d").unwrap();
        assert_eq!(read, [("HOST".to_owned(), "h".to_owned()), ("B".to_owned(), "c=d".to_owned())]);
        for wrong in ["x", "=y", "A B=c"] {
            assert!(settings_of(wrong).is_err(), "{wrong}");
        }
    }
}
