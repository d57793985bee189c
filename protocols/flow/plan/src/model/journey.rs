//! What decides which steps of a scenario are performed: conditions, choices, repetitions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Check;
use crate::values::{Scalar, Several, Time};

/// A condition on the values of variables: `value`, and one or more keys that say what it must be; without any of them,
/// the value must exist.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Condition {
    /// Text with variables, such as "${token}". It does not exist if one of them has no value.
    pub value: String,
    /// Whether the value must exist.
    #[serde(default)]
    pub exists: Option<bool>,
    /// Text or number that it must equal.
    #[serde(default)]
    pub equals: Option<Scalar>,
    /// Text that it must contain.
    #[serde(default)]
    pub contains: Option<String>,
    /// Regular expression that must match it.
    #[serde(default)]
    pub matches: Option<String>,
    /// Range that the number must be in, both ends included: "1..10", "0.5..", "..3".
    #[serde(default)]
    pub between: Option<String>,
    /// Inverts the condition: it must not hold.
    #[serde(default)]
    pub not: Option<bool>,
}

/// How a step is tried again after a failure. The last attempt decides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Retry {
    /// Number of further attempts; 1 by default.
    pub times: Option<u32>,
    /// Failures after which it is tried again, by default all: codes such as "503" or "500..599", "timeout", or classes
    /// such as "closed", "connect" or "check".
    pub of: Option<Several>,
    /// Pause before each further attempt, in the forms of `pause`.
    pub pause: Option<String>,
}

/// When a step that is asked again waits longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Slower {
    /// Time by which the wait becomes longer, each time.
    pub by: Time,
    /// Conditions of the answer that demands it.
    pub when: Vec<Check>,
}

/// The connection of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Connection {
    /// A new one: the user's connections are closed before the step.
    New,
}

/// Which one of the steps of a group is performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Choose {
    /// A random one by `weight`: a function of the seed and the iteration.
    Weights,
    /// The first whose `when` holds; the last may have none.
    First,
}

/// How often the steps of a group are performed: `times`, or `while` with `most`, or both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Repeat {
    /// Number of rounds: a number, or a text with variables, which needs `most`.
    pub times: Option<Scalar>,
    /// Pause between two rounds, in the forms of `pause`.
    pub pause: Option<String>,
    /// Conditions for another round, which are examined before each.
    #[serde(rename = "while", skip_serializing_if = "Vec::is_empty")]
    pub as_long_as: Vec<Condition>,
    /// Maximum number of rounds. The last step fails if the conditions of `while` still hold then.
    pub most: Option<u64>,
}
