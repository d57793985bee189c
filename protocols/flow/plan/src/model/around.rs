//! The tables `[prepare]` and `[clean-up]`: what is done before the load and after it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Step;
use crate::values::Time;

/// What is done once, before the load or after it. It is in none of the load's figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Around {
    /// Who does it; "node" by default.
    pub each: Option<Each>,
    /// How long it may take; "1m" by default.
    pub within: Option<Time>,
    /// Steps, in order, as those of a scenario.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
}

/// Who performs the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Each {
    /// One user of the whole run, on the first node; the others wait for it. Its values stay on that node.
    Run,
    /// One user of each node.
    Node,
    /// Each user.
    User,
}
