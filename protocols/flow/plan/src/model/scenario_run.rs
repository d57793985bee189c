//! A load of a scenario's own: the table `[scenario.run]`.

use std::path::PathBuf;

use brunt_run::options::arrivals::Arrival;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::values::Time;

/// Load of one scenario. With `rate`, `stages`, `trace` or `rate-file` it is open: iterations begin when they are due.
/// Without them each of its users begins the next iteration when the previous one is over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ScenarioRun {
    /// Virtual users of the scenario, over all nodes; 1 by default, with a rate as many as begin in a second, at
    /// least 10.
    pub users: Option<u32>,
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
    /// Think time of a user between two iterations, in the forms of `pause`.
    pub think: Option<String>,
    /// Time over which the users start, one after the other.
    pub ramp_up: Option<Time>,
    /// Number of iterations of each user.
    pub iterations: Option<u64>,
    /// Time after which no iteration begins, counted from `start`.
    pub duration: Option<Time>,
    /// Time after the beginning of the run, or after its warm-up, at which the scenario begins.
    pub start: Option<Time>,
}
