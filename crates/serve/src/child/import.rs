//! What a child is told, and what it answers, when it makes a plan of something else.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a plan is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Import {
    /// What it is.
    pub kind: Kind,
    /// The text; of a LoadGen tree a JSON object of the paths of its files and their texts.
    pub text: String,
    /// The path of the job in a LoadGen tree; needless where there is one job.
    #[serde(default)]
    pub job: String,
}

/// What a text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A cURL command line, a HAR recording or an OpenAPI document: whichever it looks like.
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
    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "auto" => Self::Auto,
            "curl" => Self::Curl,
            "har" => Self::Har,
            "openapi" => Self::Openapi,
            "loadgen" => Self::Loadgen,
            _ => return None,
        })
    }
}

/// A plan that was made of something else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Imported {
    /// What it is called.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What was left out, taken out or guessed, and which secrets it needs.
    pub notes: Vec<String>,
    /// Files that it names, by their names in [`DATA`](crate::history::DATA), in base64.
    pub data: BTreeMap<String, String>,
    /// The tasks of a LoadGen tree by their names, each as the keys of a step in TOML.
    #[serde(default)]
    pub steps: BTreeMap<String, String>,
}
