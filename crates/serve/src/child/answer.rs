//! What children answer: one JSON document on their standard output, or, of a run, its last file.

use serde::{Deserialize, Serialize};

/// What a child answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer<T> {
    /// What was asked for.
    Done(T),
    /// Why not, as a sentence for whoever asked.
    Failed(String),
}

/// A plan that was looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// What is wrong with it; nothing if it can be carried out.
    pub findings: Vec<Finding>,
    /// What could be mistaken.
    pub notes: Vec<String>,
    /// What it comes to: load, mix, first requests. Secrets are starred.
    pub preview: String,
    /// The plan with its defaults.
    pub merged: String,
    /// The load in figures.
    pub load: Option<LoadFigures>,
    /// The secrets that it names.
    #[serde(default)]
    pub secrets: Vec<String>,
    /// The conditions under which it is ended, as `--abort-on` takes them.
    #[serde(default)]
    pub abort_on: Vec<String>,
}

/// What is wrong with a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The line, counted from 1, where it is one of the text.
    pub line: Option<u32>,
    /// The column, counted from 1.
    pub column: Option<u32>,
    /// The key, such as `scenario[1].steps[2].get`; empty where it is about the whole.
    pub field: String,
    /// The same by its parts, elements counted from 0, for whoever has a form with it; empty where no text has it.
    #[serde(default)]
    pub path: Vec<PathPart>,
    /// What stands there and what could.
    pub text: String,
}

/// One part of the path of a key: the number of an element, or a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PathPart {
    /// The number of an element, counted from 0.
    Index(usize),
    /// A key.
    Key(String),
}

/// The load of a plan in figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadFigures {
    /// The most virtual users.
    pub users: u32,
    /// Iterations a second at the peak; null for a closed load.
    pub iterations: Option<f64>,
    /// The most exchanges a second that follow from that.
    pub exchanges: Option<f64>,
    /// How long it lasts, in seconds; null for one without end.
    pub seconds: Option<f64>,
}

/// What a run's child says of how it ended: `outcome.json`. Without one it was killed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The exit code of the same run on a command line.
    pub exit: u8,
    /// What it would have said there; empty where nothing failed.
    pub said: String,
}

/// The exit code of a run that was kept from an address, or would have done what its grant does not hold.
pub const EXIT_REFUSED: u8 = 8;
/// The exit code of a run that was ended because its target failed for too long.
pub const EXIT_ABORTED: u8 = 10;
