//! What a merged record keeps of each node: [`NodeRecord`].

use crate::{Away, Counts, Environment, Generator, Latency, Node, Rates, Record, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One of the nodes that a record was merged from: data about its machine, and its share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeRecord {
    /// Which of the nodes.
    pub node: Node,
    /// The name that its owner gave it, where a coordinator ran it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The id of its run: the same for all that were started as one.
    pub run: Option<String>,
    /// When it began, in RFC 3339, by its own clock.
    pub started: String,
    /// Its machine.
    pub environment: Environment,
    /// Its sessions.
    pub sessions: u64,
    /// What it offered and achieved.
    pub rates: Rates,
    /// The counts of its steady phase.
    pub counts: Counts,
    /// Sent − due.
    pub lag: Latency,
    /// The part of the lag that is its own.
    pub lateness: Latency,
    /// When the target gave it no answers.
    pub away: Vec<Away>,
    /// How its generator performed.
    pub generator: Generator,
    /// Whether its figures can be trusted.
    pub verdict: Verdict,
    /// How far its wall clock is ahead of the coordinator's, in seconds. Nothing is corrected by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ahead_s: Option<f64>,
    /// How much later than the first of the nodes it began, in seconds, as the coordinator measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skew_s: Option<f64>,
    /// The quickest round trip to the coordinator before the run, in seconds. `skew_s` is known to half of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_trip_s: Option<f64>,
    /// How much slower its monotonic clock ran during the run than the coordinator's, in seconds. Nothing is corrected
    /// by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift_s: Option<f64>,
    /// For how long nothing was received from it, in seconds, summed over the times that it was lost and came back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unheard_s: Option<f64>,
    /// How many of its messages arrived again because their acknowledgements were lost. They count once in the figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubled: Option<u64>,
    /// When the coordinator lost it, in seconds since the run began: no figure includes what it did after that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_at_s: Option<f64>,
}

impl NodeRecord {
    /// What is kept of the record of one node.
    pub(super) fn new(node: Node, record: &Record) -> Self {
        Self {
            node,
            name: None,
            run: record.run.clone(),
            started: record.started.clone(),
            environment: record.environment.clone(),
            sessions: record.plan.sessions,
            rates: record.rates.clone(),
            counts: record.counts,
            lag: record.lag.clone(),
            lateness: record.lateness.clone(),
            away: record.away.clone(),
            generator: record.generator.clone(),
            verdict: record.verdict.clone(),
            wall_ahead_s: None,
            skew_s: None,
            round_trip_s: None,
            drift_s: None,
            unheard_s: None,
            doubled: None,
            lost_at_s: None,
        }
    }
}
