//! Plans, as programs create and change them.

use crate::call::{Answer, Call};
use crate::child::Kind;
use crate::pages::import::{made, sentence, text_of};
use crate::problem::Problem;

/// `POST /api/v1/import/{kind}`.
pub(crate) fn import(call: &Call) -> Result<Answer, Problem> {
    let kind = Kind::named(call.segment("kind")).ok_or_else(|| Problem::missing("kind"))?;
    Answer::json(&made(call, kind, text_of(&call.body)?, call.query("job"))?)
}

/// `POST /api/v1/edit`.
pub(crate) fn edit(call: &Call) -> Result<Answer, Problem> {
    let edited = call.app.children.edit(text_of(&call.body)?);
    let edited = edited.map_err(|error| Problem::unusable(format!("Failed to {error}.")))?;
    Answer::json(&edited.map_err(|why| Problem::unusable(sentence(&why)))?)
}
