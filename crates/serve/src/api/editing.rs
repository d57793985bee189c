//! Changes of a plan's text, and plans that are made of other formats. Nothing is stored.

use std::collections::BTreeMap;

use brunt_envelope::{Kind, PathPart};
use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::body;
use crate::call::{Answer, Call};
use crate::pages::import::{made, text_of};
use crate::problem::{InvalidValue, ParameterLocation, Problem};

/// The most changes at once.
const CHANGES_MAX: usize = 200;

/// Changes of a plan's text, and the part whose form is wanted. A child carries them out.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "EditRequest")]
pub(crate) struct EditBody {
    /// The text of the plan.
    text: String,
    /// The changes, in this order.
    #[serde(default)]
    #[schemars(length(max = CHANGES_MAX))]
    changes: Vec<Change>,
    /// The part whose form is wanted, by its path.
    #[serde(default)]
    at: Vec<PathPart>,
}

/// A change of a part of the plan, which its path names: keys, and numbers of elements counted from 0.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "op", deny_unknown_fields)]
#[schemars(rename = "EditChange")]
enum Change {
    /// Writes a value.
    Set { path: Vec<PathPart>, text: String },
    /// Removes a key or an element.
    Unset { path: Vec<PathPart> },
    /// Adds a key with an initial value; to a list an element, at its end if no position is given.
    Add {
        path: Vec<PathPart>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<u32>,
    },
    /// Writes a value of another kind, by the number of the kind in the form.
    Choose { path: Vec<PathPart>, kind: u32 },
    /// Moves an element of a list to another position.
    Move { path: Vec<PathPart>, to: u32 },
    /// Adds an element to a list: the keys of a table, as TOML.
    Paste {
        path: Vec<PathPart>,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<u32>,
    },
    /// Lets a single user perform the steps for this long.
    Alone { duration: String },
    /// Removes the keys that a search for the highest rate varies.
    Search,
    /// Writes the threshold of each step with this name.
    Thresholds { of: BTreeMap<String, String> },
    /// Writes the values of `${env:NAME}`.
    Fill { of: BTreeMap<String, String> },
}

/// The text after the changes, and the form of a part.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Edited {
    text: String,
    /// Why a change was not made; empty if all were.
    fault: String,
    /// The number of that change, counted from 0. Those before it were made.
    refused: Option<u32>,
    /// The parts of the plan.
    outline: Vec<Value>,
    /// The form of the part that was asked for; null if the text is not TOML.
    form: Option<Value>,
    /// Names that can be used in `${}`.
    names: Vec<String>,
    /// The keys of the part as TOML.
    own: String,
}

/// `POST /api/v1/edit`.
pub(crate) fn edit(call: &Call) -> Result<Answer, Problem> {
    let requested: EditBody = body::read(call)?;
    let requested = serde_json::to_string(&requested).map_err(Problem::bug)?;
    let edited = call.app.children.edit(requested)?;
    Answer::json(&serde_json::from_value::<Edited>(edited).map_err(Problem::bug)?)
}

/// `POST /api/v1/import/{kind}`.
pub(crate) fn import(call: &Call) -> Result<Answer, Problem> {
    let word = call.segment("kind");
    let Some(kind) = Kind::named(word) else {
        let wanted = format!("one of {}", Kind::ALL.map(Kind::word).join(", "));
        let problem = Problem::faulty(vec![InvalidValue::new(
            ParameterLocation::Path,
            "kind",
            Some(word),
            wanted,
        )]);
        return Err(Problem { status: StatusCode::NOT_FOUND, title: "Not found", ..problem });
    };
    let text = match kind {
        Kind::Loadgen => body::read::<Tree>(call)
            .and_then(|tree| serde_json::to_string(&tree).map_err(Problem::bug))?,
        _ => text_of(&call.body)?,
    };
    Answer::json(&made(call, kind, text, call.query("job"))?)
}

/// The files of LoadGen: their texts by their paths.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
struct Tree(BTreeMap<String, String>);
