//! The API for programs: `/api/v1`.

pub(crate) mod plans;
pub(crate) mod records;
pub(crate) mod runs;

use serde::Serialize;

use crate::auth::By;
use crate::call::{Answer, Call, JSON};
use crate::pages::compare::compared_by;
use crate::problem::Problem;

/// `GET /api/v1/me`.
pub(crate) fn me(call: &Call) -> Result<Answer, Problem> {
    #[derive(Serialize)]
    struct Me<'a> {
        name: &'a str,
        role: &'static str,
        scope: Option<&'static str>,
    }
    let who = call.who()?;
    let scope = match &who.by {
        By::Session(_) => None,
        By::Token { scope, .. } => Some(scope.word()),
    };
    Answer::json(&Me { name: &who.user.name, role: who.user.role.word(), scope })
}

/// `GET /api/v1/compare`.
pub(crate) fn compare(call: &Call) -> Result<Answer, Problem> {
    Ok(Answer::new(JSON, compared_by(call)?.json.into_bytes()))
}
