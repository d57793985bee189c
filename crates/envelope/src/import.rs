//! The task of making a plan from another format, and its result.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The source of a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Import {
    /// The format of the source.
    pub kind: Kind,
    /// The text. For a LoadGen tree it is a JSON object that maps the paths of its files to their texts.
    pub text: String,
    /// The path of the job in a LoadGen tree; not needed if there is only one job.
    #[serde(default)]
    pub job: String,
}

/// The format of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A cURL command line, a HAR recording or an OpenAPI document, detected from the text.
    #[default]
    Auto,
    /// A cURL command line.
    Curl,
    /// A HAR recording.
    Har,
    /// An OpenAPI document.
    Openapi,
    /// The files of LoadGen: jobs, workloads, tasks.
    Loadgen,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Auto, Self::Curl, Self::Har, Self::Openapi, Self::Loadgen];

    /// Its name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Curl => "curl",
            Self::Har => "har",
            Self::Openapi => "openapi",
            Self::Loadgen => "loadgen",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == name)
    }
}

/// A plan that was made from another format.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Imported {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What was left out, removed or guessed, and which secrets the plan needs.
    pub notes: Vec<String>,
    /// The files that it refers to, by their names in `DATA`, in base64.
    pub data: BTreeMap<String, String>,
    /// The tasks of a LoadGen tree by their names, each as the keys of a step in TOML.
    #[serde(default)]
    pub steps: BTreeMap<String, String>,
}
