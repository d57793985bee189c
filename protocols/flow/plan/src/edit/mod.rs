//! Changes to a plan's text by key path: the operations of a form.
//!
//! The text is authoritative, so a change cuts and pastes only the bytes of the part it names: comments, order and
//! spelling of all others stay. [`splice`] does that with the positions that `toml_edit` provides, [`whole`] makes the
//! same change to the values, and a change is refused if the resulting text does not have the resulting values.

pub mod blank;
mod error;
mod fill;
mod find;
mod form;
mod load;
mod outline;
mod shape;
mod sheet;
mod splice;
#[cfg(test)]
mod tests;
mod whole;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::Value;
use toml_edit::Document;

pub use error::EditError;
use error::{CHANGES_MAX, DEPTH_MAX};
pub use form::Node;
use form::form;
use outline::{Entry, outline};
use shape::Shapes;
pub use sheet::Sheet;
use sheet::sheet;

/// Keys that set the number of users or when they begin.
const CROWD: [&str; 10] = [
    "rate",
    "stages",
    "trace",
    "arrival",
    "backlog",
    "iterations",
    "rounds",
    "groups",
    "ramp-up",
    "warm-up",
];
/// Those, and the other keys that set how many users there are and for how long.
const PACE: [&str; 4] = ["users", "duration", "think", "back-off"];

/// One part of a path: a key of a table, or the number of an element, counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Part {
    /// The number of an element.
    Index(usize),
    /// A key.
    Key(String),
}

/// A change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "op", deny_unknown_fields)]
pub enum Change {
    /// Writes a value, which is parsed according to its position.
    Set {
        /// The position.
        path: Vec<Part>,
        /// The value.
        text: String,
    },
    /// Removes a key or an element.
    Unset {
        /// Its position.
        path: Vec<Part>,
    },
    /// Adds a key with an initial value; to a list an element, at its end if no position is given.
    Add {
        /// The table or list.
        path: Vec<Part>,
        /// The key.
        #[serde(default)]
        key: Option<String>,
        /// The position in the list.
        #[serde(default)]
        at: Option<usize>,
    },
    /// Writes a value of another kind, among those that are allowed there.
    Choose {
        /// The position of the value.
        path: Vec<Part>,
        /// The number of the kind.
        kind: usize,
    },
    /// Moves an element of a list to another position.
    Move {
        /// The element.
        path: Vec<Part>,
        /// Its new position.
        to: usize,
    },
    /// Adds an element to a list: the keys of a table, as TOML.
    Paste {
        /// The list.
        path: Vec<Part>,
        /// The keys.
        text: String,
        /// The position in the list.
        #[serde(default)]
        at: Option<usize>,
    },
    /// Lets a single user perform the steps for this long, in place of the plan's users and their schedule.
    Alone {
        /// How long.
        duration: String,
    },
    /// Removes the keys that set when, how often and by how many users the steps are performed, since a search varies
    /// these.
    Search,
    /// Writes the threshold of each step with this name.
    Thresholds {
        /// The thresholds by the names of steps.
        of: BTreeMap<String, String>,
    },
    /// Writes the values of `${env:NAME}`, for machines where they are not set.
    Fill {
        /// The values by the names of variables.
        of: BTreeMap<String, String>,
    },
}

impl Change {
    /// The part that a simple change is about; empty for a compound change, which is about the plan.
    fn path(&self) -> &[Part] {
        match self {
            Self::Set { path, .. }
            | Self::Unset { path }
            | Self::Add { path, .. }
            | Self::Choose { path, .. }
            | Self::Move { path, .. }
            | Self::Paste { path, .. } => path,
            Self::Alone { .. } | Self::Search | Self::Thresholds { .. } | Self::Fill { .. } => &[],
        }
    }
}

/// A request from a form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditRequest {
    /// The text of the plan.
    pub text: String,
    /// The changes, in this order.
    #[serde(default)]
    pub changes: Vec<Change>,
    /// The part whose form is requested.
    #[serde(default)]
    pub at: Vec<Part>,
    /// Whether the whole plan is requested as readable lines.
    #[serde(default)]
    pub sheet: bool,
}

/// The answer.
#[derive(Clone, Debug, Serialize)]
pub struct EditReply {
    /// The resulting text.
    pub text: String,
    /// Why a change was not made; empty if all were.
    pub fault: String,
    /// The index of that change, counted from 0: those before it were made, and none after it.
    pub refused: Option<usize>,
    /// The parts of the plan.
    pub outline: Vec<Entry>,
    /// The form of the requested part, or of the nearest existing part above it.
    pub form: Option<Node>,
    /// Names that can be used in `${}`.
    pub names: Vec<String>,
    /// The keys of that part as TOML, to be copied and inserted elsewhere.
    pub own: String,
    /// The whole plan as readable lines, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<Sheet>,
}

/// Carries out a form's request. A text that is not TOML has no form, only a fault.
pub fn reply_to(requested: &EditRequest) -> EditReply {
    let shapes = Shapes::of_plans();
    let (mut text, mut fault, mut refused) = (requested.text.clone(), String::new(), None);
    if requested.changes.len() > CHANGES_MAX {
        (fault, refused) = (EditError::ManyChanges.to_string(), Some(0));
    } else {
        for (number, change) in requested.changes.iter().enumerate() {
            match changed(&text, change, &shapes) {
                Ok(now) => text = now,
                Err(error) => {
                    (fault, refused) = (error.to_string(), Some(number));
                    break;
                }
            }
        }
    }
    let values = match read(&text) {
        Ok(values) => values,
        Err(error) => {
            let (outline, names) = (Vec::new(), Vec::new());
            return EditReply {
                text,
                fault: error.to_string(),
                refused,
                outline,
                form: None,
                names,
                own: String::new(),
                sheet: None,
            };
        }
    };
    let mut at = requested.at.clone();
    while !at.is_empty() && whole::at(&values, &at).is_none() {
        at.pop();
    }
    let own = whole::at(&values, &at).filter(|_| !at.is_empty());
    let own = own.and_then(|own| toml::to_string(own).ok()).unwrap_or_default();
    EditReply {
        fault,
        refused,
        outline: outline(&values),
        form: Some(form(&shapes, &values, &at)),
        names: outline::names(&values),
        own,
        sheet: requested.sheet.then(|| sheet(&shapes, &values)),
        text,
    }
}

fn read(text: &str) -> Result<Value, EditError> {
    toml::from_str::<toml::Table>(text).map(Value::Table).map_err(|error| {
        let line =
            error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        EditError::NotToml { line, why: error.message().to_owned() }
    })
}

/// The text after a change.
pub fn changed(text: &str, change: &Change, shapes: &Shapes) -> Result<String, EditError> {
    let values = read(text)?;
    if let Change::Fill { of } = change {
        return fill::filled(text, of);
    }
    if let Some(each) = several(change, &values) {
        return each.iter().try_fold(text.to_owned(), |text, one| changed(&text, one, shapes));
    }
    let act = act(change, &values, shapes)?;
    acted(text, values, &act)
}

/// The text after a change of its values. A change is refused if the text would not have these values.
fn acted(text: &str, values: Value, act: &Edit) -> Result<String, EditError> {
    let document = Document::parse(text.to_owned()).map_err(|_| EditError::Notation)?;
    let spliced = splice::splice(&document, act)?;
    let mut wanted = values;
    whole::apply(&mut wanted, act)?;
    let same = read(&spliced).is_ok_and(|now| whole::same(&now, &wanted));
    same.then_some(spliced).ok_or(EditError::Notation)
}

/// The simple changes that a compound change consists of.
fn several(change: &Change, values: &Value) -> Option<Vec<Change>> {
    let key = |key: &str| Part::Key(key.to_owned());
    match change {
        Change::Alone { duration } => {
            let run = |name: &str| vec![key("run"), key(name)];
            let set =
                |name: &str, text: &str| Change::Set { path: run(name), text: text.to_owned() };
            let there = CROWD.into_iter().filter(|name| whole::at(values, &run(name)).is_some());
            let without = there.map(|name| Change::Unset { path: run(name) });
            Some(without.chain([set("users", "1"), set("duration", duration)]).collect())
        }
        Change::Search => {
            let run = |name: &str| vec![key("run"), key(name)];
            let of_run = CROWD.into_iter().chain(PACE);
            let there = of_run.filter(|name| whole::at(values, &run(name)).is_some());
            Some(there.map(|name| Change::Unset { path: run(name) }).collect())
        }
        Change::Thresholds { of } => Some(
            outline(values)
                .into_iter()
                .filter(|entry| entry.level == 2)
                .filter_map(|entry| {
                    let text = of.get(&entry.label)?.clone();
                    Some(Change::Set {
                        path: [&entry.path[..], &[key("threshold")]].concat(),
                        text,
                    })
                })
                .collect(),
        ),
        _ => None,
    }
}

/// A change of values.
#[derive(Clone, Debug)]
pub enum Edit {
    /// Writes a value, and the tables above it if they do not exist.
    Set(Vec<Part>, Value),
    /// Removes a value.
    Unset(Vec<Part>),
    /// Inserts an element into a list, which is created if it does not exist.
    Insert(Vec<Part>, usize, Value),
    /// Moves an element.
    Move(Vec<Part>, usize, usize),
}

fn act(change: &Change, values: &Value, shapes: &Shapes) -> Result<Edit, EditError> {
    if change.path().len() > DEPTH_MAX {
        return Err(EditError::Deep);
    }
    let length = |path: &[Part]| match whole::at(values, path) {
        None => Ok(0),
        Some(Value::Array(list)) => Ok(list.len()),
        Some(_) => Err(EditError::NotList),
    };
    let shape = |path: &[Part]| shapes.at(values, path);
    Ok(match change {
        Change::Set { path, text } => {
            let value = blank::typed(shapes, shape(path).as_ref(), whole::at(values, path), text)?;
            Edit::Set(path.clone(), value)
        }
        Change::Unset { path } => {
            whole::at(values, path).filter(|_| !path.is_empty()).ok_or(EditError::Gone)?;
            Edit::Unset(path.clone())
        }
        Change::Add { path, key: Some(key), .. } => {
            let path = [&path[..], &[Part::Key(key.clone())]].concat();
            if key.is_empty() || whole::at(values, &path).is_some() {
                return Err(EditError::Key(key.clone()));
            }
            let value = blank::blank(shapes, shape(&path).as_ref());
            Edit::Set(path, value)
        }
        Change::Add { path, key: None, at } => {
            let end = length(path)?;
            let item = [&path[..], &[Part::Index(end)]].concat();
            let value = blank::blank(shapes, shape(&item).as_ref());
            Edit::Insert(path.clone(), at.unwrap_or(end).min(end), value)
        }
        Change::Choose { path, kind } => {
            let found = shape(path).ok_or(EditError::Gone)?;
            let kinds = shapes.kinds(&found);
            let chosen = kinds.get(*kind).ok_or(EditError::Gone)?;
            Edit::Set(path.clone(), blank::blank(shapes, Some(chosen)))
        }
        Change::Move { path, to } => {
            let Some((Part::Index(from), list)) = path.split_last() else {
                return Err(EditError::NotList);
            };
            let end = length(list)?;
            if *from >= end || *to >= end {
                return Err(EditError::Gone);
            }
            Edit::Move(list.to_vec(), *from, *to)
        }
        Change::Paste { path, text, at } => {
            let end = length(path)?;
            Edit::Insert(path.clone(), at.unwrap_or(end).min(end), read(text)?)
        }
        // The caller has divided these into simple changes.
        Change::Alone { .. } | Change::Search | Change::Thresholds { .. } | Change::Fill { .. } => {
            return Err(EditError::Mismatch);
        }
    })
}
