//! [`ProvisionalVerdict`]: the verdict that a run would get if it ended now.

use std::time::Duration;

use brunt_record::{Record, RunOutcome, SloOutcome, SloResult, Status};

use super::figures::three;

/// An objective and its provisional result.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// As the user wrote it.
    pub objective: String,
    /// Whether it is met.
    pub outcome: SloOutcome,
    /// The figure it is about, as text.
    pub value: String,
}

/// The verdict that a run would get if it ended now.
#[derive(Clone, Debug, PartialEq)]
pub struct ProvisionalVerdict {
    /// When this was computed, from the origin of the run.
    pub at: Duration,
    /// What would have come of the run.
    pub outcome: RunOutcome,
    /// The verdict.
    pub status: Status,
    /// The reasons against the figures, the worst first; notes if there are none.
    pub reasons: Vec<String>,
    /// The result of each objective.
    pub objectives: Vec<Judgement>,
    /// Whether anything was measured that can be judged: before the window, and until something that was due in it has
    /// ended, an objective is neither met nor missed.
    pub measured: bool,
    /// What was offered and achieved so far, a second, once it is known how long an answer normally takes; none in a
    /// closed load, where users offer no rate.
    pub rates: Option<(f64, f64)>,
}

impl ProvisionalVerdict {
    /// The verdict in the record of a run that ended at `at`.
    pub fn new(record: &Record, at: Duration) -> Self {
        let mut reasons: Vec<String> =
            record.verdict.reasons.iter().map(|reason| reason.text.clone()).collect();
        if reasons.is_empty() {
            reasons.clone_from(&record.verdict.notes);
        }
        Self {
            at,
            outcome: record.outcome(),
            status: record.verdict.status,
            reasons,
            objectives: record.slo.iter().map(|slo| judgement(slo, record)).collect(),
            measured: has_ended(record),
            rates: rates(record),
        }
    }
}

fn rates(record: &Record) -> Option<(f64, f64)> {
    let rates = &record.rates;
    let (offered, achieved) = match rates.iterations {
        Some(of) => (of.offered, of.achieved),
        None => (rates.offered, rates.achieved),
    };
    offered.zip(achieved).filter(|_| rates.normal_s.is_some())
}

/// Whether something that was due in the window has ended.
fn has_ended(record: &Record) -> bool {
    record.counts.ok + record.counts.missed() > 0
}

fn judgement(result: &SloResult, record: &Record) -> Judgement {
    let nothing = if has_ended(record) { "infinite" } else { "nothing measured" };
    let least = if result.at_least { ">=" } else { "" };
    let value = result.value.map(|value| format!("{least}{}{}", three(value), result.unit));
    Judgement {
        objective: result.expr.clone(),
        outcome: result.outcome,
        value: value.unwrap_or_else(|| nothing.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::{Moment, Outcome, Stamps};
    use brunt_record::{
        Catalogue, Ending, Finish, Head, Interval, Measured, Own, Phase, Plan, Slo, Tool,
    };

    /// The verdict on a run of which an interval of this phase was measured, in which `planned` exchanges became due
    /// and
    /// `ended` of them succeeded.
    fn standing(phase: Phase, planned: u64, ended: u64) -> ProvisionalVerdict {
        let mut interval = Interval::new(1, 0);
        interval.reset(0, phase, Duration::ZERO);
        interval.to = Duration::from_secs(1);
        let due = Moment::ZERO;
        let stamps = Stamps { due, free: due, sent: due, ended: due + Duration::from_millis(3) };
        for _ in 0..planned {
            interval.plan();
            interval.pace.due(Duration::ZERO);
        }
        let lasted = Duration::from_millis(3);
        let finish = Finish {
            due: Duration::ZERO,
            response: lasted,
            service: Some(lasted),
            answered: true,
            ok: true,
            in_time: true,
        };
        for _ in 0..ended {
            interval.record(0, Outcome::Ok(0), &stamps, 0, Own::default());
            interval.pace.finished(&finish);
        }
        let mut measured = Measured::default();
        measured.absorb(&interval);
        let objectives: Vec<Slo> = vec!["p99<20ms".parse().unwrap()];
        let tool = Tool { name: "brunt".to_owned(), version: "0".to_owned() };
        let catalogue = Catalogue { operations: vec!["get".to_owned()], ..Catalogue::default() };
        let (plan, began) = (Plan::open(1.0, 1, 1), jiff::Timestamp::UNIX_EPOCH);
        let head = Head::new("run".to_owned(), began, tool, plan, catalogue);
        let head = Head { objectives, ..head };
        let ending = Ending::so_far(&measured.totals);
        let names = |_: usize, _: Outcome| "ok".into();
        let record = measured.conclusion(head, &names, ending).record().unwrap();
        ProvisionalVerdict::new(&record, interval.to)
    }

    #[test]
    fn provisional_verdict_waits_for_the_first_ended_exchange() {
        assert!(!standing(Phase::WarmUp, 5, 5).measured);
        let [unknown, known] = [0, 5].map(|ended| standing(Phase::Steady, 5, ended));
        assert!(!unknown.measured && known.measured);
        assert_eq!(unknown.objectives[0].value, "nothing measured");
        assert_eq!(known.objectives[0].value, "3.00ms");
        assert_eq!(unknown.rates, None, "how long an answer takes is not known");
        assert_eq!(known.rates, Some((5.0, 5.0)));
    }
}
