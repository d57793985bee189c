//! Targets, as programs list, read, create, replace and remove them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body;
use crate::call::{Answer, Call};
use crate::changes::targets::{
    self as changes, DAYS_MAX, Draft, NAME_MAX, NETWORKS_MAX, RATE_MAX, SECONDS_MAX, TEXT_MAX,
    USERS_MAX, settings_of,
};
use crate::moment::rfc3339;
use crate::problem::Problem;
use crate::store::Target;

/// A target that is listed, or replaced.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TargetRequest {
    /// Its name, which no other target has.
    #[schemars(length(min = 1, max = NAME_MAX))]
    name: String,
    /// Networks with ports, such as `10.1.0.0/24:389`. Runs reach nothing else.
    #[schemars(length(min = 1, max = NETWORKS_MAX))]
    allow: Vec<String>,
    /// Values of `${env:NAME}` in plans. Everybody who signs in can read them.
    #[serde(default)]
    settings: BTreeMap<String, String>,
    /// The highest rate, in exchanges a second; any, if it is null.
    #[serde(default)]
    #[schemars(range(min = 1, max = RATE_MAX))]
    rate_max: Option<u64>,
    /// Whether a closed load may run although there is a highest rate.
    #[serde(default)]
    closed: bool,
    /// The most virtual users.
    #[schemars(range(min = 1, max = USERS_MAX))]
    users_max: u64,
    /// The longest run, in seconds.
    #[schemars(range(min = 1, max = SECONDS_MAX))]
    seconds_max: u64,
    /// How many days from now runs may use it.
    #[schemars(range(min = 1, max = DAYS_MAX))]
    days: u64,
    /// Whether its name has to be repeated for each run.
    #[serde(default)]
    production: bool,
    /// Who owns it, and why it may be load-tested.
    #[serde(default)]
    #[schemars(length(max = TEXT_MAX))]
    reason: String,
}

/// A target of runs.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Target")]
pub(crate) struct TargetReply {
    id: i64,
    name: String,
    /// Networks with ports.
    allow: Vec<String>,
    /// Values of `${env:NAME}` in plans.
    settings: BTreeMap<String, String>,
    /// The names of its secrets.
    secrets: Vec<String>,
    rate_max: Option<f64>,
    closed: bool,
    users_max: Option<u32>,
    seconds_max: Option<u64>,
    /// Until when runs may use it, in RFC 3339.
    expires: String,
    production: bool,
    reason: String,
}

/// All targets.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Targets {
    targets: Vec<TargetReply>,
}

/// `GET /api/v1/targets`.
pub(crate) fn list(call: &Call) -> Result<Answer, Problem> {
    let (mut targets, name) = (call.app.store.targets()?, call.query("name"));
    targets.retain(|target| name.is_empty() || target.name.eq_ignore_ascii_case(name));
    let targets = targets.into_iter().map(|target| reply(call, target));
    Answer::json(&Targets { targets: targets.collect::<Result<_, _>>()? })
}

/// `GET /api/v1/targets/{target}`.
pub(crate) fn read(call: &Call) -> Result<Answer, Problem> {
    Answer::json(&named(call, id(call))?)
}

/// `POST /api/v1/targets`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let draft = draft(body::read(call)?)?;
    let id = changes::add(&call.app, call.who()?, &draft)?;
    Answer::made(&named(call, id)?, &format!("/api/v1/targets/{id}"))
}

/// `PUT /api/v1/targets/{target}`.
pub(crate) fn replace(call: &Call) -> Result<Answer, Problem> {
    let draft = draft(body::read(call)?)?;
    changes::replace(&call.app, call.who()?, id(call), &draft)?;
    read(call)
}

/// `DELETE /api/v1/targets/{target}`.
pub(crate) fn end(call: &Call) -> Result<Answer, Problem> {
    changes::end(&call.app, call.who()?, id(call))?;
    Ok(Answer::empty())
}

fn id(call: &Call) -> i64 {
    call.segment("target").parse().unwrap_or_default()
}

fn named(call: &Call, id: i64) -> Result<TargetReply, Problem> {
    let target = call.app.store.target(id)?.ok_or_else(|| Problem::missing("target"))?;
    reply(call, target)
}

fn reply(call: &Call, target: Target) -> Result<TargetReply, Problem> {
    let secrets = changes::secrets_of(&call.app, &target)?.map(|secrets| secrets.names);
    let Target { id, name, settings, grant, expires, production, reason } = target;
    Ok(TargetReply {
        id,
        name,
        allow: grant.allow,
        settings: settings_of(&settings).map_err(Problem::bug)?.into_iter().collect(),
        secrets: secrets.unwrap_or_default(),
        rate_max: grant.rate_max,
        closed: grant.closed,
        users_max: grant.users_max,
        seconds_max: grant.seconds_max,
        expires: rfc3339(expires),
        production,
        reason,
    })
}

fn draft(requested: TargetRequest) -> Result<Draft, Problem> {
    let mut settings = String::new();
    for (name, value) in &requested.settings {
        let line = format!("{name}={value}");
        if line.contains(['\n', '\r']) || settings_of(&line).is_err() {
            let wanted = "a name of letters, digits and _, and a value on one line";
            let sentence = format!("The setting {name} cannot be kept. It takes {wanted}.");
            return Err(Problem::field(&format!("settings.{name}"), value, wanted, sentence));
        }
        settings.push_str(&line);
        settings.push('\n');
    }
    let TargetRequest {
        name,
        allow,
        rate_max,
        closed,
        users_max,
        seconds_max,
        days,
        production,
        reason,
        ..
    } = requested;
    Ok(Draft {
        name,
        allow,
        settings,
        rate_max,
        closed,
        users_max,
        seconds_max,
        days,
        production,
        reason,
    })
}
