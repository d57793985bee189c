//! [`Finished`]: the result of a run, put together from what its workers and the collector ended with.

use crate::plan::Plan;
use crate::worker::{Ended, WindowTo, WorkerEnd};
use brunt_exchange::Moment;
use brunt_record::{Counts, Imbalance, Interval, Phase, TimerNoise, Timing};
use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, SystemTime};

/// The result of a completed run.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The measurements by phase: all intervals of the phase merged.
    pub totals: BTreeMap<Phase, Interval>,
    /// The outcomes of all exchanges of the run, over all phases. They balance.
    pub counts: Counts,
    /// When the steady phase was measured, and how late this machine's timer is.
    pub timing: Timing,
    /// What ended the run.
    pub ended: Ended,
    /// How long the run lasted, from the origin to the last answer, or to the end of the schedule if that is later.
    pub lasted: Duration,
    /// How long it took until nothing was in flight any more, including waits for answers that never came.
    pub over: Duration,
    /// How long preparing took, before the origin.
    pub prepared_in: Duration,
    /// When the run began, by its time of day; `None` in a simulation.
    pub began: Option<SystemTime>,
}

/// Why a run has no result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A thread could not be started, or had no timer.
    #[error("start worker {worker}: {source}")]
    Worker {
        /// The number of the worker.
        worker: usize,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Exchanges were lost or counted twice: a fault of brunt, not of the target.
    #[error(transparent)]
    Imbalance(#[from] Imbalance),
}

/// Puts the result together. Every exchange must be accounted for.
pub(crate) fn conclude(
    plan: &Plan,
    totals: BTreeMap<Phase, Interval>,
    workers: &[WorkerEnd],
    began: Moment,
    noise: TimerNoise,
) -> Result<Finished, RunError> {
    let origin = workers.iter().map(|worker| worker.origin).max().unwrap_or_default();
    let last = workers.iter().map(|worker| worker.last).max().unwrap_or_default();
    let ended = workers.iter().map(|worker| worker.ended).max().unwrap_or(Ended::Aborted);
    let mut counts = Counts::default();
    for total in totals.values() {
        counts.merge(&total.counts());
    }
    counts.conserved()?;
    let over = workers.iter().map(|worker| worker.over).max().unwrap_or_default();
    let steady = plan.phases().into_iter().find(|(phase, _)| *phase == Phase::Steady);
    let from = steady.map_or(Duration::ZERO, |(_, from)| from);
    let to = window_to(workers).unwrap_or(last) - origin;
    let timing = Timing { from, to: to.max(from), over: over - origin, noise };
    Ok(Finished {
        timing,
        totals,
        counts,
        ended,
        lasted: last - origin,
        over: over - origin,
        prepared_in: origin - began,
        began: None,
    })
}

/// When exchanges ceased to become due at all workers. If a count ended the load, this is the earliest due time at any
/// worker of an exchange beyond the count.
fn window_to(workers: &[WorkerEnd]) -> Option<Moment> {
    let counted = workers.iter().filter_map(|worker| match worker.window_to {
        WindowTo::Count(at) => Some(at),
        WindowTo::End(_) | WindowTo::Answer(_) => None,
    });
    let others = workers.iter().filter_map(|worker| match worker.window_to {
        WindowTo::End(at) | WindowTo::Answer(at) => Some(at),
        WindowTo::Count(_) => None,
    });
    counted.min().or_else(|| others.max())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_ends_where_the_exchange_beyond_the_count_was_due() {
        let at = Moment::from_nanos;
        let end = |window_to| WorkerEnd {
            ended: Ended::Count,
            origin: Moment::ZERO,
            last: at(9),
            window_to,
            over: at(9),
        };
        let counted = [end(WindowTo::Count(at(6))), end(WindowTo::Count(at(5)))];
        assert_eq!(window_to(&counted), Some(at(5)));
        let answered = [end(WindowTo::Answer(at(6))), end(WindowTo::Answer(at(8)))];
        assert_eq!(window_to(&answered), Some(at(8)));
        assert_eq!(window_to(&[]), None);
    }
}
