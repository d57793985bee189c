//! The settings of a search: the table `[find-max]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::values::Time;

/// The search of `brunt find-max -- run PLAN`. Options of its command line come before these; `brunt run` does not use
/// them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FindMax {
    /// Objectives of the search, beside those of the plan. They may be relative to the unloaded target:
    /// `token.p99 < 5x`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub objectives: Vec<String>,
    /// Searches for five minutes at most, and claims what was held for one.
    pub quick: Option<bool>,
    /// How far below the estimate a rate is claimed, as a share from 0.005 to 0.5; 0.05 by default, 0.1 with `quick`.
    pub precision: Option<f64>,
    /// How long a rate must hold to be claimed; "5m" by default, "60s" with `quick`.
    pub confirm: Option<Time>,
    /// How long the search may take; "45m" by default, "5m" with `quick`.
    pub budget: Option<Time>,
    /// How long the target may take to recover after too much; "60s" by default, "30s" with
    /// `quick`.
    pub recovery: Option<Time>,
    /// Iterations per second to begin with, such as "20/s".
    pub from: Option<String>,
    /// Iterations per second above which nothing is tried, such as "2k/s".
    pub to: Option<String>,
}
