//! The API for programs: `/api/v1`.

pub(crate) mod agents;
pub(crate) mod annotations;
mod body;
pub(crate) mod editing;
pub(crate) mod hooks;
pub(crate) mod keyed;
pub(crate) mod marks;
pub(crate) mod plans;
pub(crate) mod projects;
pub(crate) mod records;
pub(crate) mod runs;
pub(crate) mod schedules;
pub(crate) mod shape;
pub(crate) mod targets;

use schemars::JsonSchema;
use serde::Serialize;

use crate::auth::{By, Role, Scope};
use crate::call::{Answer, Call, JSON};
use crate::pages::compare::compared_by;
use crate::problem::Problem;

/// Who sends a request, and what they may do.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Me<'a> {
    /// The name of the user.
    name: &'a str,
    role: Role,
    /// The scope of the token; null without one.
    scope: Option<Scope>,
}

/// `GET /api/v1/me`.
pub(crate) fn me(call: &Call) -> Result<Answer, Problem> {
    let who = call.who()?;
    let scope = match &who.by {
        By::Session(_) => None,
        By::Token { scope, .. } => Some(*scope),
    };
    Answer::json(&Me { name: &who.user.name, role: who.user.role, scope })
}

/// `GET /api/v1/compare`.
pub(crate) fn compare(call: &Call) -> Result<Answer, Problem> {
    Ok(Answer::new(JSON, compared_by(call)?.json.into_bytes()))
}
