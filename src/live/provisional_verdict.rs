//! [`ProvisionalVerdict`]: the verdict that a run would get if it ended now.

use std::time::Duration;

use brunt_record::{Record, SloOutcome, SloResult, Status};

use super::figures::three;

/// An objective and its provisional result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judgement {
    /// As the user wrote it.
    pub(crate) objective: String,
    /// Whether it is met.
    pub(crate) outcome: SloOutcome,
    /// The figure it is about, as text.
    pub(crate) value: String,
}

/// The verdict that a run would get if it ended now.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ProvisionalVerdict {
    /// When this was computed, from the origin of the run.
    pub(crate) at: Duration,
    /// The verdict.
    pub(crate) status: Status,
    /// The reasons against the figures, the worst first; notes if there are none.
    pub(crate) reasons: Vec<String>,
    /// The result of each objective.
    pub(crate) objectives: Vec<Judgement>,
    /// Whether anything was measured that can be judged.
    pub(crate) measured: bool,
}

impl ProvisionalVerdict {
    /// The verdict in the record of a run that ended at `at`.
    pub(crate) fn new(record: &Record, at: Duration) -> Self {
        let mut reasons: Vec<String> =
            record.verdict.reasons.iter().map(|reason| reason.text.clone()).collect();
        if reasons.is_empty() {
            reasons.clone_from(&record.verdict.notes);
        }
        Self {
            at,
            status: record.verdict.status,
            reasons,
            objectives: record.slo.iter().map(|slo| judgement(slo, record)).collect(),
            measured: record.counts.planned > 0,
        }
    }
}

fn judgement(result: &SloResult, record: &Record) -> Judgement {
    let nothing = if record.counts.due() > 0 { "infinite" } else { "nothing measured" };
    let least = if result.at_least { ">=" } else { "" };
    let value = result.value.map(|value| format!("{least}{}{}", three(value), result.unit));
    Judgement {
        objective: result.expr.clone(),
        outcome: result.outcome,
        value: value.unwrap_or_else(|| nothing.to_owned()),
    }
}
