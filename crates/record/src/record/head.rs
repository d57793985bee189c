//! What is known of a run before it begins ([`Head`]), and what is known only once it is over
//! ([`Ending`]).
//!
//! A record is made only from these and the intervals between them. An event file begins with the
//! head and ends with the ending, so a record made from the file equals the record that the run
//! made.

use super::{Plan, PortBudget, Tool};
use crate::{Catalogue, Cause, EarlyEnd, Environment, Latency, Node, Phase, Slo, Timing, Totals};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What is known of a run before its first exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Head {
    /// The id of the run ([`run_id`](crate::run_id)). Nodes that were started as one run share it.
    pub run: String,
    /// Which part of the run this is; absent if it is the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<Node>,
    /// The fingerprint of the requested load ([`fingerprint`](crate::fingerprint)). It does not
    /// depend on the node.
    pub fingerprint: String,
    /// The program that makes the run.
    pub tool: Tool,
    /// When it began, in RFC 3339.
    #[serde(deserialize_with = "super::time")]
    pub started: String,
    /// The command line, secrets replaced.
    pub command: Vec<String>,
    /// The words of a search for the highest rate of this load, after `brunt find-max`: its own, then `--` and the
    /// command without rates, counts and durations. Absent if a search cannot repeat it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub search: Vec<String>,
    /// What was requested; for a node, its part.
    pub plan: Plan,
    /// The machine.
    pub environment: Environment,
    /// The names of operations, parts and tallies.
    pub catalogue: Catalogue,
    /// Whether the target runs in this process, as a library does.
    pub in_process: bool,
    /// Percentiles to list, ascending.
    pub percentiles: Vec<f64>,
    /// The local ports that are available and those that the plan needs.
    pub ports: Option<PortBudget>,
    /// Exchanges a second this machine reaches against a target that costs nothing.
    pub ceiling: Option<f64>,
    /// The objectives of the run.
    pub objectives: Vec<Slo>,
}

impl Head {
    /// The head of a run on one machine, of which nothing else is known.
    pub fn new(
        run: String,
        started: jiff::Timestamp,
        tool: Tool,
        plan: Plan,
        catalogue: Catalogue,
    ) -> Self {
        Self {
            run,
            node: None,
            fingerprint: crate::fingerprint(&tool, &plan, &catalogue, []),
            tool,
            started: started.to_string(),
            command: Vec::new(),
            search: Vec::new(),
            plan,
            environment: Environment::default(),
            catalogue,
            in_process: false,
            percentiles: Latency::PERCENTILES.to_vec(),
            ports: None,
            ceiling: None,
            objectives: Vec::new(),
        }
    }
}

/// What is known of a run only once it is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ending {
    /// When it was measured.
    pub timing: Timing,
    /// Why the run did not reach its planned end, in words; null if it did.
    pub interrupted: Option<String>,
    /// The same as data; absent if it did, and in the events of an older version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early: Option<EarlyEnd>,
    /// A remark for the reader about how it ended.
    pub remark: Option<String>,
    /// What shows that the target was there although exchanges had no answer in time: answers that came too late,
    /// or its own figures. Null if nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub present: Option<String>,
    /// Whether every exchange has ended. False where only a part of the intervals is known:
    /// exchanges in flight at that time are counted only as planned.
    #[serde(skip, default = "settled")]
    pub settled: bool,
}

const fn settled() -> bool {
    true
}

impl Ending {
    /// A run that reached its planned end.
    pub const fn planned(timing: Timing) -> Self {
        Self { timing, interrupted: None, early: None, remark: None, present: None, settled: true }
    }

    /// The same ending, before its planned time.
    #[must_use]
    pub fn cut_short(self, by: EarlyEnd) -> Self {
        Self { interrupted: Some(by.words()), early: Some(by), ..self }
    }

    /// What ended the run before its planned end. Of events of an older version only the words are known.
    pub(crate) fn early(&self) -> Option<EarlyEnd> {
        let words = || self.interrupted.clone().map(|what| Cause::Error { what }.into());
        self.early.clone().or_else(words)
    }

    /// A run of which only these intervals are known yet: the window ends with the last interval.
    pub fn so_far(totals: &Totals) -> Self {
        let over = totals.phases().iter().map(|total| total.to).max().unwrap_or_default();
        let window =
            totals.phase(Phase::Steady).map_or((over, over), |steady| (steady.from, steady.to));
        let (from, to): (Duration, Duration) = window;
        let timing = Timing { from, to, over, ..Timing::default() };
        Self { settled: false, ..Self::planned(timing) }
    }
}
