//! `--canary N`: N exchanges at a slow pace, whose result decides whether the run begins.
//!
//! The canary is a run of its own: one session, one exchange after another, with the numbers that the run would have
//! used first; the run's numbering continues after it, so nothing is used twice. If an exchange fails, or the canary
//! misses an objective that does not depend on the load, the run does not begin, and the canary's record is the one
//! that is reported.

use std::path::PathBuf;
use std::time::Duration;

use brunt_engine::{Load, Plan, PlanError, Stopping, ThinkTime};
use brunt_record::{Cause, Effect, Reason, Record, Slo, SloError, SloOutcome, Status, Verdict};

use super::files;
use super::finished::Finished;
use crate::options::output::Output;

/// The pause after each exchange.
const PAUSE: Duration = Duration::from_millis(100);

/// Why there is no canary of a load, or it cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum CanaryError {
    /// Nothing would be left for the run.
    #[error("--canary: the canary would send the whole run, which is {0}; ask for fewer")]
    WholeRun(u64),
    /// It has no plan.
    #[error("failed to {0}")]
    Plan(#[from] PlanError),
    /// An objective cannot be judged.
    #[error("failed to {0}")]
    Objective(#[from] SloError),
}

/// Splits a load in two: its first `count` exchanges at a slow pace, and the rest unchanged.
pub(crate) fn divided(load: &Plan, count: u64) -> Result<(Plan, Plan), CanaryError> {
    let whole = load.settings();
    // Each of several nodes makes a number of them according to its weight, and at least one.
    let nodes = &whole.node;
    let round = if nodes.world > 1 { nodes.slots.round() } else { 1 };
    let count = count.saturating_mul(nodes.world.into()).max(round);
    // In the closed model users number their iterations in turn, unless the load is a list that is used up.
    let used = match whole.load {
        Load::Closed(_) if !whole.stop.count_includes_warm_up => {
            // The users of all nodes, so that all of them go on from the same number.
            count.saturating_mul(nodes.all_sessions.unwrap_or(whole.sessions).into())
        }
        _ => count,
    };
    let left = whole.stop.count.map(|all| all.saturating_sub(count));
    if left == Some(0) {
        return Err(CanaryError::WholeRun(count));
    }
    let canary = load.with(|settings| {
        settings.load = Load::Closed(ThinkTime::Constant(PAUSE));
        (settings.sessions, settings.workers) = (1, Some(1));
        settings.stop = Stopping { count: Some(count), time: None, count_includes_warm_up: true };
        settings.warm_up = Duration::ZERO;
    });
    // The warm-up is already in the schedule, so nothing else changes for the rest.
    let rest = load.numbered_from(whole.first.wrapping_add(used), left);
    Ok((canary?, rest))
}

/// The canary's result as the end of the run, if the run must not begin after it.
pub(crate) fn judged(
    mut tried: Finished,
    objectives: &[Slo],
    output: &Output,
) -> Result<Option<Finished>, CanaryError> {
    if tried.signal.is_some() {
        return Ok(Some(tried));
    }
    let Finished { record, measured, losses, .. } = &mut tried;
    for slo in objectives.iter().filter(|slo| !slo.is_of_load()) {
        let result = slo.evaluate(record)?;
        record.slo.push(result);
    }
    let Some(why) = failure(record, objectives) else { return Ok(None) };
    let why = (Some(Cause::Canary { what: why }), None);
    let reason = Reason::new(Status::Partial, Effect::NotBegun, why, &record.plan.noun);
    let text = reason.text.clone();
    let Verdict { status, cut_short, reasons, .. } = &mut record.verdict;
    (*status, *cut_short) = ((*status).max(Status::Partial), true);
    reasons.insert(0, reason);
    record.outcome = Some(record.outcome());
    let written = files::write(record, measured, output, losses).map(PathBuf::from);
    Ok(Some(Finished { aborted: Some(text), is_canary: true, written, ..tried }))
}

/// Why a canary failed, if it did. If an objective limits the number of failures, that limit decides.
fn failure(record: &Record, objectives: &[Slo]) -> Option<String> {
    let counts = &record.conservation.counts;
    if counts.ok == 0 {
        return Some(format!("none of its {} {} succeeded", counts.due(), record.plan.noun.many));
    }
    let missed = record.slo.iter().find(|slo| slo.outcome == SloOutcome::Missed);
    if let Some(missed) = missed {
        return Some(format!("it missed {}", missed.expr));
    }
    let allowed = objectives.iter().any(Slo::is_of_errors);
    let failed = counts.missed();
    (failed > 0 && !allowed).then(|| {
        format!("{failed} of its {} {} did not succeed", counts.due(), record.plan.noun.many)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_engine::schedule::{Rate, Schedule};
    use brunt_engine::{Node, Settings};

    fn open(count: Option<u64>, world: u32) -> Plan {
        let schedule = Schedule::constant(Rate::per_second(500).unwrap(), None).unwrap();
        let mut settings = Settings::open(schedule, 40);
        (settings.stop.count, settings.first) = (count, 7);
        settings.node = Node::even(0, world);
        settings.warm_up = Duration::from_secs(3);
        Plan::new(settings, 4).unwrap()
    }

    #[test]
    fn canary_numbers_are_continued_by_the_run() {
        let load = open(Some(100), 1);
        let (canary, rest) = divided(&load, 10).unwrap();
        let settings = canary.settings();
        assert_eq!((settings.first, settings.stop.count, settings.sessions), (7, Some(10), 1));
        assert_eq!(settings.load, Load::Closed(ThinkTime::Constant(PAUSE)));
        let settings = rest.settings();
        assert_eq!((settings.first, settings.stop.count, settings.sessions), (17, Some(90), 40));
        assert_eq!((&settings.load, rest.lasting()), (&load.settings().load, load.lasting()));
        assert_eq!(divided(&open(None, 3), 10).unwrap().1.settings().first, 37);
        assert!(divided(&load, 100).is_err());
        let closed = Plan::new(Settings::closed(ThinkTime::None, 8), 1).unwrap();
        assert_eq!(divided(&closed, 5).unwrap().1.settings().first, 40);
        // Nodes with other numbers of users go on from the same number.
        for rank in 0..2 {
            let node = Node::weighted(rank, &[3, 1]).unwrap();
            let share = Settings::closed(ThinkTime::None, 8).shared(node, 1).unwrap();
            let (_, rest) = divided(&Plan::new(share, 1).unwrap(), 5).unwrap();
            assert_eq!(rest.settings().first, 8 * 5 * 2, "node {rank}");
        }
    }

    #[test]
    fn canary_fails_by_an_exchange_or_an_objective() {
        let text = include_str!("../../../protocols/flow/tool/src/http/testdata/empty.record.json");
        let mut record: Record = serde_json::from_str(text).unwrap();
        let set = |record: &mut Record, ok, failed| {
            let counts = &mut record.conservation.counts;
            (counts.planned, counts.ok, counts.failed) = (ok + failed, ok, failed);
        };
        let errors: Vec<Slo> = vec!["errors<20%".parse().unwrap()];
        set(&mut record, 10, 0);
        assert_eq!(failure(&record, &[]), None);
        set(&mut record, 9, 1);
        assert!(failure(&record, &[]).unwrap().contains("1 of its 10"));
        assert_eq!(failure(&record, &errors), None);
        set(&mut record, 0, 10);
        assert!(failure(&record, &errors).unwrap().contains("none of its 10"));
    }
}
