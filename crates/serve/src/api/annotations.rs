//! Annotations, as programs list, add and remove them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body;
use crate::call::{Answer, Call};
use crate::changes::annotations::{self as changes, LABEL_MAX};
use crate::moment::rfc3339;
use crate::problem::Problem;
use crate::store::{Annotation, Window};

/// An annotation that is added.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnnotationRequest {
    /// What happened, such as deploy 42.
    #[schemars(length(min = 1, max = LABEL_MAX))]
    label: String,
    /// When, in RFC 3339; now without it.
    #[serde(default)]
    at: Option<String>,
    /// The name of the target that it concerns; without it, it is shown for all.
    #[serde(default)]
    target: Option<String>,
}

/// Something that happened at a time.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Annotation")]
pub(crate) struct AnnotationReply {
    id: i64,
    /// When it happened, in RFC 3339.
    at: String,
    label: String,
    /// The name of the target that it concerns; null for all of them.
    target: Option<String>,
    /// Who wrote it down.
    by: String,
}

/// Annotations.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Annotations {
    annotations: Vec<AnnotationReply>,
}

/// `GET /api/v1/annotations`.
pub(crate) fn list(call: &Call) -> Result<Answer, Problem> {
    let window = Window { from: 0, to: i64::MAX, targets: None };
    let all = call.app.store.annotations(&window)?;
    let wanted = call.query("target");
    let all = all.into_iter().rev().map(|one| reply(call, one));
    let mut annotations = all.collect::<Result<Vec<_>, _>>()?;
    annotations
        .retain(|one| wanted.is_empty() || one.target.as_deref().is_none_or(|it| it == wanted));
    Answer::json(&Annotations { annotations })
}

/// `POST /api/v1/annotations`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let requested: AnnotationRequest = body::read(call)?;
    let target = match requested.target.as_deref() {
        None => None,
        Some(name) => {
            let all = call.app.store.targets()?;
            let found = all.into_iter().find(|target| target.name.eq_ignore_ascii_case(name));
            let none = || {
                let sentence = format!("There is no target of the name {name}.");
                Problem::field("target", name, "the name of a target", sentence)
            };
            Some(found.ok_or_else(none)?)
        }
    };
    let at = requested.at.unwrap_or_default();
    let made = changes::add(&call.app, call.who()?, (&requested.label, &at), target.as_ref())?;
    let address = format!("/api/v1/annotations/{}", made.id);
    Answer::made(&reply(call, made)?, &address)
}

/// `DELETE /api/v1/annotations/{annotation}`.
pub(crate) fn end(call: &Call) -> Result<Answer, Problem> {
    let id = call.segment("annotation").parse().unwrap_or_default();
    changes::end(&call.app, call.who()?, id)?;
    Ok(Answer::empty())
}

fn reply(call: &Call, of: Annotation) -> Result<AnnotationReply, Problem> {
    let target = of.target.map(|id| call.app.store.target(id)).transpose()?.flatten();
    let target = match (of.target, target) {
        (Some(_), None) => Some("a deleted target".to_owned()),
        (_, target) => target.map(|target| target.name),
    };
    Ok(AnnotationReply { id: of.id, at: rfc3339(of.at), label: of.label, target, by: of.by })
}
