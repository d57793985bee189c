//! When, how many and how long: the table `[run]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tools::flow::plan::values::{Pairs, Time};

/// When, how many and how long.
///
/// With `rate`, `stages` or `trace` the load is open: iterations begin when they are due, whatever the answers. Without
/// them it is closed: each virtual user begins an iteration as soon as the one before is over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Run {
    /// Virtual users on each node; of an open load, the most that are at work at the same time.
    pub(crate) users: Option<u32>,
    /// How long a user of a closed load pauses between two iterations: "500ms", "uniform 1s..3s", "exponential 1s",
    /// "normal 1s±200ms".
    pub(crate) think: Option<String>,
    /// The time over which the users of a closed load begin, one after the other.
    pub(crate) ramp_up: Option<Time>,
    /// Begins the users of a closed load in groups.
    pub(crate) groups: Option<Groups>,
    /// The load ends after so many iterations.
    pub(crate) iterations: Option<Iterations>,
    /// The load ends after this time, counted from the end of the warm-up.
    pub(crate) duration: Option<Time>,
    /// How long to run before figures count.
    pub(crate) warm_up: Option<Time>,
    /// Iterations that begin in a second, such as "200/s" or "90/m", over all nodes.
    pub(crate) rate: Option<String>,
    /// How the arrivals of `rate` are spread.
    pub(crate) arrival: Option<Arrival>,
    /// Rates that change, such as "ramp 10..500 over 2m, 500/s for 10m".
    pub(crate) stages: Option<String>,
    /// A file of moments at which iterations begin, one offset in seconds on each line.
    pub(crate) trace: Option<String>,
    /// Due iterations that may wait for a free user; beyond it they are dropped, and counted.
    pub(crate) backlog: Option<u32>,
    /// How long an exchange may take.
    pub(crate) timeout: Option<Time>,
    /// How long exchanges in flight may take once nothing more is due.
    pub(crate) drain: Option<Time>,
    /// What everything random follows from; without it each run has its own.
    pub(crate) seed: Option<u64>,
    /// Threads that carry exchanges out; without it, as many as make sense.
    pub(crate) workers: Option<u32>,
    /// Which scenario an iteration is.
    pub(crate) order: Option<Order>,
    /// What each user goes through, in place of an order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) rounds: Vec<Round>,
}

/// Users that begin in groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Groups {
    /// How many begin at once.
    pub(crate) size: u32,
    /// How much later the next group begins.
    pub(crate) every: Time,
}

/// How many iterations there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Iterations {
    /// So many for each user.
    Each(u64),
    /// So many for all users of all nodes together.
    Shared(u64),
}

/// How arrivals are spread over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Arrival {
    /// Evenly.
    #[default]
    Uniform,
    /// Independently of each other.
    Poisson,
}

/// Which scenario an iteration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    /// The scenarios in turn.
    Turns,
    /// Drawn by their weights.
    Weights,
}

/// Scenarios that a user goes through one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Round {
    /// How many rounds are like this one; 1 without it.
    pub(crate) times: Option<u64>,
    /// The scenarios by name, in order, each with the number of its iterations in the round.
    pub(crate) scenarios: Pairs<u64>,
}
