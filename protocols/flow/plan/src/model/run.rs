//! When iterations begin, how many there are and for how long: the table `[run]`.

use std::path::PathBuf;

use brunt_run::options::arrivals::Arrival;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::values::{Pairs, Time};

/// Load: number of users, rate and duration.
///
/// With `rate`, `stages` or `trace` the load is open: iterations begin when they are due, whatever the answers. Without
/// them it is closed: each virtual user begins its next iteration when the previous one is over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Run {
    /// Virtual users on each node; in an open load, the maximum number of concurrent iterations.
    pub users: Option<u32>,
    /// Think time of a user of a closed load between two iterations, failed or not: "500ms", "uniform 1s..3s",
    /// "exponential 1s", "normal 1s±200ms".
    pub think: Option<String>,
    /// Additional pause of a user of a closed load after an iteration in which a step failed, in the forms of `think`.
    pub back_off: Option<String>,
    /// Time over which the users of a closed load start, one after the other.
    pub ramp_up: Option<Time>,
    /// Starts the users of a closed load in groups.
    pub groups: Option<Groups>,
    /// Number of iterations after which the load ends.
    pub iterations: Option<Iterations>,
    /// Time after which the load ends, counted from the end of the warm-up.
    pub duration: Option<Time>,
    /// Time to run before measuring.
    pub warm_up: Option<Time>,
    /// Iterations that begin per second, over all nodes, such as "200/s" or "90/m".
    pub rate: Option<String>,
    /// How the arrivals of `rate` are spread over time.
    pub arrival: Option<Arrival>,
    /// Rate that changes, such as "ramp 10..500 over 2m, 500/s for 10m".
    pub stages: Option<String>,
    /// File with the times at which iterations begin, one offset in seconds per line.
    pub trace: Option<String>,
    /// File with a rate that changes, as for `--rate-file`; multiples in it refer to `rate`.
    pub rate_file: Option<PathBuf>,
    /// Number of due iterations that may wait for a free user before further ones are dropped and counted.
    pub backlog: Option<u32>,
    /// Maximum time of an exchange; "30s" by default, "0s" for no maximum.
    pub timeout: Option<Time>,
    /// Maximum time for exchanges in flight after the last iteration was due; "10s" by default.
    pub drain: Option<Time>,
    /// Seed for all random values; by default a new one for each run.
    pub seed: Option<u64>,
    /// Number of worker threads; by default as many as the processors and users can use.
    pub workers: Option<u32>,
    /// Whether each worker thread stays on one processor; by default it does.
    pub pin: Option<bool>,
    /// Class of all packets that are sent, as for `--dscp`, which has precedence: "ef", "af21" or "46".
    pub dscp: Option<String>,
    /// How the scenario of an iteration is chosen.
    pub order: Option<Order>,
    /// Scenarios that each user performs in rounds, in place of an order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Round>,
}

impl Run {
    /// Whether iterations begin when they are due.
    pub const fn is_open(&self) -> bool {
        let stages = self.stages.is_some() || self.trace.is_some();
        stages || self.rate.is_some() || self.rate_file.is_some()
    }
}

/// Users that start in groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Groups {
    /// Number of users that start at once.
    pub size: u32,
    /// Time between two groups.
    pub every: Time,
}

/// Number of iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Iterations {
    /// This many for each user.
    Each(u64),
    /// This many for all users of all nodes together.
    Shared(u64),
}

/// How the scenario of an iteration is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The scenarios in turn.
    Turns,
    /// Drawn by weight.
    Weights,
}

/// Scenarios that a user performs one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Round {
    /// Number of rounds like this one; 1 by default.
    pub times: Option<u64>,
    /// The scenarios by name, in order, each with the number of its iterations in the round.
    pub scenarios: Pairs<u64>,
}
