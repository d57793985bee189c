//! [`ScenarioRecord`]: what came of a scenario that has a load of its own.
//!
//! The rates of a run are those of all its exchanges together, so they do not show that the users of one scenario were
//! too few while another scenario had enough. Each scenario is judged by its own arrivals.

use crate::pace::KEPT_UP;
use crate::{OperationRecord, Record, RunOutcome, SloOutcome, SloResult, Status, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One iteration may be due in the moment in which the load ends.
const WAITING_MAX: u64 = 1;

/// What came of a scenario that has a load of its own, in the steady phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScenarioRecord {
    /// What it is called.
    pub name: String,
    /// Its virtual users.
    pub users: u64,
    /// How long its load lasted in the steady phase, in seconds.
    pub seconds: f64,
    /// Iterations that were due; absent where each begins when a user is free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<u64>,
    /// Iterations that began.
    pub begun: u64,
    /// Iterations of which the last step was performed or skipped.
    pub completed: u64,
    /// Of these, the iterations in which a step failed.
    pub failed: u64,
    /// Iterations that were due and did not begin, because no user of the scenario was free; absent where none is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_begun: Option<u64>,
    /// Iterations a second that were due; absent where none is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered: Option<f64>,
    /// Iterations a second that were completed; null if the load lasted no time.
    pub achieved: Option<f64>,
    /// How long iterations waited for a user, from when they were due to their beginning; absent where none is due, or
    /// none began. Its histogram is that of the span `NAME lag`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag: Option<ScenarioLag>,
    /// The operations and spans that no other scenario has: an objective of one of them is an objective of the
    /// scenario.
    pub measured: Vec<String>,
    /// What came of it, in a word: `overloaded` if iterations were due that did not begin; else by its objectives.
    pub outcome: RunOutcome,
}

/// How long iterations waited for a user.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScenarioLag {
    /// Half of them waited at most this long, in microseconds.
    pub p50_us: f64,
    /// 99 of 100 of them waited at most this long, in microseconds.
    pub p99_us: f64,
    /// The longest, in microseconds.
    pub max_us: f64,
}

/// What was counted of a scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScenarioCounts {
    /// What it is called.
    pub name: String,
    /// Its virtual users.
    pub users: u64,
    /// How long its load lasted in the steady phase, in seconds.
    pub seconds: f64,
    /// Iterations that were due; none where each begins when a user is free.
    pub due: Option<u64>,
    /// Iterations that began.
    pub begun: u64,
    /// Iterations of which the last step was performed or skipped.
    pub completed: u64,
    /// Of these, the iterations in which a step failed.
    pub failed: u64,
    /// The operations and spans that no other scenario has.
    pub measured: Vec<String>,
}

impl ScenarioRecord {
    /// The name of the span from when an iteration of a scenario is due to its beginning.
    pub fn lag_span(scenario: &str) -> String {
        format!("{scenario} lag")
    }

    /// Makes one of what was counted; `spans` are those of the run.
    pub(crate) fn new(counts: ScenarioCounts, spans: &[OperationRecord]) -> Self {
        let ScenarioCounts { name, users, seconds, due, begun, completed, failed, measured } =
            counts;
        let rate = |count: u64| (seconds > 0.0).then(|| count as f64 / seconds);
        let lag = spans.iter().find(|span| span.name == Self::lag_span(&name));
        Self {
            users,
            seconds,
            due,
            begun,
            completed,
            failed,
            not_begun: due.map(|due| due.saturating_sub(begun)),
            offered: due.and_then(rate),
            achieved: rate(completed),
            lag: lag.filter(|_| due.is_some()).and_then(ScenarioLag::new),
            measured,
            outcome: RunOutcome::Measured,
            name,
        }
    }

    /// What was counted of it.
    pub(crate) fn counts(&self) -> ScenarioCounts {
        ScenarioCounts {
            name: self.name.clone(),
            users: self.users,
            seconds: self.seconds,
            due: self.due,
            begun: self.begun,
            completed: self.completed,
            failed: self.failed,
            measured: self.measured.clone(),
        }
    }

    /// Whether more iterations were due than its users could begin.
    pub fn is_overloaded(&self) -> bool {
        let (Some(due), Some(left)) = (self.due, self.not_begun) else { return false };
        left > WAITING_MAX && (due - left) as f64 / (due as f64) < KEPT_UP
    }

    /// What came of it in a run with these objectives and this verdict. It follows the order of the outcomes of runs.
    fn judged(&self, objectives: &[SloResult], verdict: &Verdict) -> RunOutcome {
        let own = || {
            let about = |slo: &&SloResult| slo.operation().is_some_and(|it| self.has(&it));
            objectives.iter().filter(about)
        };
        let any = |outcome| own().any(|slo| slo.outcome == outcome);
        match () {
            () if self.completed > 0 && self.failed == self.completed => RunOutcome::NothingWorked,
            () if verdict.status == Status::GeneratorLimited => RunOutcome::NotReliable,
            () if verdict.cut_short || self.due.unwrap_or(self.begun) == 0 => {
                RunOutcome::Incomplete
            }
            () if self.is_overloaded() => RunOutcome::Overloaded,
            () if any(SloOutcome::Missed) => RunOutcome::Missed,
            () if any(SloOutcome::Undecided) => RunOutcome::Undecided,
            () if own().next().is_some() => RunOutcome::Passed,
            () => RunOutcome::Measured,
        }
    }

    fn has(&self, operation: &str) -> bool {
        self.measured.iter().any(|known| known == operation)
    }
}

impl ScenarioLag {
    fn new(span: &OperationRecord) -> Option<Self> {
        let waited = span.response.histogram().ok()?;
        let micros = |time: std::time::Duration| time.as_nanos() as f64 / 1e3;
        Some(Self {
            p50_us: micros(waited.quantile(0.5)?),
            p99_us: micros(waited.quantile(0.99)?),
            max_us: micros(waited.max()?),
        })
    }
}

impl Record {
    /// Adds what was counted of scenarios that have loads of their own.
    #[must_use]
    pub fn with_scenarios(mut self, counts: Vec<ScenarioCounts>) -> Self {
        let spans = &self.spans;
        self.scenarios = counts.into_iter().map(|it| ScenarioRecord::new(it, spans)).collect();
        self.with_outcome()
    }

    /// Judges the scenarios by the objectives of the run.
    pub(crate) fn judge_scenarios(&mut self) {
        for scenario in &mut self.scenarios {
            scenario.outcome = scenario.judged(&self.slo, &self.verdict);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::samples::measured;

    fn counts(due: Option<u64>, begun: u64) -> ScenarioCounts {
        ScenarioCounts {
            name: "login".to_owned(),
            users: 3,
            seconds: 10.0,
            due,
            begun,
            completed: begun,
            failed: 0,
            measured: vec!["bind".to_owned()],
        }
    }

    fn record(counts: Vec<ScenarioCounts>) -> Record {
        let mut record = measured();
        (record.slo, record.away, record.rates.overload) = (Vec::new(), Vec::new(), None);
        record.verdict = crate::Verdict::default();
        record.with_scenarios(counts)
    }

    #[test]
    fn scenario_has_its_own_rates() {
        let made = record(vec![counts(Some(200), 190), counts(None, 40)]);
        let [open, closed] = &made.scenarios[..] else { panic!("{:?}", made.scenarios) };
        assert_eq!(
            (open.offered, open.achieved, open.not_begun),
            (Some(20.0), Some(19.0), Some(10))
        );
        assert_eq!((closed.offered, closed.achieved, closed.not_begun), (None, Some(4.0), None));
        assert_eq!((open.outcome, closed.outcome), (RunOutcome::Overloaded, RunOutcome::Measured));
        assert_eq!(made.outcome, Some(RunOutcome::Overloaded));
    }

    #[test]
    fn scenario_tolerates_iterations_that_just_became_due() {
        for (due, begun, overloaded) in [
            (10, 10, false),
            (10, 9, false),
            (10, 8, true),
            (1_000, 996, false),
            (1_000, 994, true),
            (0, 0, false),
        ] {
            let made = record(vec![counts(Some(due), begun)]);
            assert_eq!(made.scenarios[0].is_overloaded(), overloaded, "{due} {begun}");
            assert_eq!(made.outcome() == RunOutcome::Overloaded, overloaded, "{due} {begun}");
        }
    }

    #[test]
    fn scenario_outcome_depends_on_its_own_objectives() {
        for (expr, outcome, expected) in [
            ("bind.p99<1s", SloOutcome::Missed, RunOutcome::Missed),
            ("bind.p99<1s", SloOutcome::Undecided, RunOutcome::Undecided),
            ("bind.p99<1s", SloOutcome::Met, RunOutcome::Passed),
            ("search.p99<1s", SloOutcome::Missed, RunOutcome::Measured),
            ("p99<1s", SloOutcome::Missed, RunOutcome::Measured),
        ] {
            let mut made = record(vec![counts(Some(10), 10)]);
            let (expr, unit) = (expr.to_owned(), "s".to_owned());
            made.slo =
                vec![SloResult { expr, value: None, at_least: false, unit, outcome, why: None }];
            let made = made.with_outcome();
            assert_eq!(made.scenarios[0].outcome, expected);
        }
        let failed = ScenarioCounts { failed: 10, ..counts(Some(10), 10) };
        assert_eq!(record(vec![failed]).scenarios[0].outcome, RunOutcome::NothingWorked);
        assert_eq!(record(vec![counts(None, 0)]).scenarios[0].outcome, RunOutcome::Incomplete);
    }
}
