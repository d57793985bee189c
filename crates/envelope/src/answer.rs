//! What children answer: one JSON document on their standard output, or, for a run, its last file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a child answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer<T> {
    /// The result.
    Done(T),
    /// Why there is no result, as a sentence for the user.
    Failed(String),
    /// The disk has no room for the result; with the message of the system.
    Full(String),
}

/// The result of checking a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// What is wrong with it; empty if it can be run.
    pub findings: Vec<Finding>,
    /// What could be misunderstood.
    pub notes: Vec<String>,
    /// What it will do: load, mix, first requests. Secrets are starred.
    pub preview: String,
    /// The plan with its defaults filled in.
    pub merged: String,
    /// The load in figures.
    pub load: Option<LoadFigures>,
    /// The secrets that it refers to.
    #[serde(default)]
    pub secrets: Vec<String>,
    /// The conditions under which the run is ended, in the syntax of `--abort-on`.
    #[serde(default)]
    pub abort_on: Vec<String>,
}

/// What is wrong with a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The line, counted from 1, if the finding belongs to a line of the text.
    pub line: Option<u32>,
    /// The column, counted from 1.
    pub column: Option<u32>,
    /// The key, such as `scenario[1].steps[2].get`; empty if the finding is about the whole plan.
    pub field: String,
    /// The same by its parts, with elements counted from 0, for forms; empty if no part of the text has the key.
    #[serde(default)]
    pub path: Vec<PathPart>,
    /// What the plan contains there, and what it could contain.
    pub text: String,
}

/// One part of the path of a key: the number of an element, or a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PathPart {
    /// The number of an element, counted from 0.
    Index(usize),
    /// The name of a key.
    Key(String),
}

/// The load of a plan in figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadFigures {
    /// The most virtual users.
    pub users: u32,
    /// Iterations a second at the peak; `None` for a closed load.
    pub iterations: Option<f64>,
    /// The most exchanges a second that result from this.
    pub exchanges: Option<f64>,
    /// How long it lasts, in seconds; `None` for a load without an end.
    pub seconds: Option<f64>,
}

/// How a run ended, as its child reports it: `outcome.json`. Without this file the child was killed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The exit code that the same run has on a command line.
    pub exit: u8,
    /// The message that it would have printed there; empty if nothing failed.
    #[serde(rename = "said")]
    pub message: String,
}

/// The exit code of a run that was refused an address, or that would have exceeded its grant.
pub const EXIT_REFUSED: u8 = 8;
/// The exit code of a run that was ended because its target failed for too long.
pub const EXIT_ABORTED: u8 = 10;
