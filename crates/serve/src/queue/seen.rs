//! [`SeenQueue`]: the part of the queue that a user may see, and when its runs are expected to begin and end.
//!
//! A run belongs to its plan, and who does not see the plan does not find the run. Times are those of the whole queue,
//! because one machine executes all runs.

use std::path::Path;
use std::sync::Arc;

use brunt_envelope::RunSpec;
use brunt_history::RunId;
use brunt_web::watch::Watch;

use super::{OnceError, Queue, RunRequest, Status, StopError, SubmitError};
use crate::store::REVISION;

/// What is expected of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expected {
    pub(crate) status: Status,
    /// In how many seconds it begins; zero if it has begun, nothing if that is not known.
    pub(crate) begins_s: Option<f64>,
    /// In how many seconds it ends, if that is known.
    pub(crate) ends_s: Option<f64>,
}

/// The runs that are not over, in the order in which they run.
fn expected(mut runs: Vec<Status>) -> Vec<Expected> {
    runs.retain(|run| !run.state.is_over());
    runs.sort_by_key(|run| (!run.state.is_active(), run.turn, run.number));
    let mut begins_s = Some(0.0);
    let forecast = |status: Status| {
        let left = status.planned_s.map(|planned| (planned - status.reached_s).max(0.0));
        let ends_s = begins_s.zip(left).map(|(begins, left)| begins + left);
        let begins_s = std::mem::replace(&mut begins_s, ends_s);
        Expected { status, begins_s, ends_s }
    };
    runs.into_iter().map(forecast).collect()
}

/// The queue without the runs of some plans.
pub(crate) struct SeenQueue<'a> {
    queue: &'a Queue,
    /// The names of the plans that may not be seen.
    hidden: Vec<String>,
}

impl<'a> SeenQueue<'a> {
    pub(crate) fn new(queue: &'a Queue, hidden: Vec<String>) -> Self {
        Self { queue, hidden }
    }

    fn sees(&self, status: &Status) -> bool {
        let plan = status.plan.as_deref().and_then(|text| text.rsplit_once(REVISION));
        plan.is_none_or(|(plan, _)| !self.hidden.iter().any(|hidden| hidden == plan))
    }

    /// The status of a run.
    pub(crate) fn status(&self, id: &RunId) -> Option<Status> {
        self.queue.status(id).filter(|status| self.sees(status))
    }

    /// Runs that are queued or active, and the last finished ones, in the order in which they were submitted.
    pub(crate) fn list(&self) -> Vec<Status> {
        let mut runs = self.queue.list();
        runs.retain(|status| self.sees(status));
        runs
    }

    /// The runs that are not over, in the order in which they run.
    pub(crate) fn expected(&self) -> Vec<Expected> {
        let mut runs = expected(self.queue.list());
        runs.retain(|run| self.sees(&run.status));
        runs
    }

    /// How many runs a new one has to wait for, including those that may not be seen.
    pub(crate) fn ahead(&self) -> usize {
        self.queue.list().iter().filter(|run| !run.state.is_over()).count()
    }

    /// The messages of a run, while it is active and for a while afterwards.
    pub(crate) fn watch(&self, id: &RunId) -> Option<Arc<Watch>> {
        self.status(id).and_then(|_| self.queue.watch(id))
    }

    /// Ends a run gracefully, or at once.
    pub(crate) fn stop(&self, id: &RunId, by: &str, now: bool) -> Result<(), StopError> {
        if self.status(id).is_none() {
            return Err(StopError::Unknown(id.clone()));
        }
        if now { self.queue.stop_now(id, by) } else { self.queue.stop(id, by) }
    }

    /// Lets a waiting run begin before all others that wait. Returns whether it waits.
    pub(crate) fn put_first(&self, id: &RunId) -> bool {
        self.status(id).is_some() && self.queue.put_first(id)
    }

    /// Performs each scenario of a plan once, as [`Queue::once`] does.
    pub(crate) fn once(
        &self,
        requested: RunSpec,
        directory: Option<&Path>,
    ) -> Result<String, OnceError> {
        self.queue.once(requested, directory)
    }

    /// Queues a run, as [`Queue::submit_with`] does.
    pub(crate) fn submit_with(
        &self,
        request: RunRequest,
        planned_s: Option<f64>,
        fill: &dyn Fn(&Path) -> std::io::Result<()>,
    ) -> Result<RunId, SubmitError> {
        self.queue.submit_with(request, planned_s, fill)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::State;

    fn run(number: u64, state: State, planned_s: Option<f64>) -> Status {
        let id = format!("{number:024x}").parse().unwrap();
        Status { state, planned_s, ..Status::submitted(id, number, String::new()) }
    }

    #[test]
    fn forecast_starts_a_run_after_those_before_it() {
        let going = Status { reached_s: 40.0, ..run(4, State::Steady, Some(100.0)) };
        let first = Status { turn: -1, ..run(7, State::Queued, Some(10.0)) };
        let (second, third) = (run(5, State::Queued, None), run(6, State::Queued, Some(5.0)));
        let over = run(3, State::Done, Some(9.0));
        let runs = vec![over, going, second, third, first];
        let times: Vec<_> = expected(runs)
            .into_iter()
            .map(|run| (run.status.number, run.begins_s, run.ends_s))
            .collect();
        let after = [(7, Some(60.0), Some(70.0)), (5, Some(70.0), None), (6, None, None)];
        assert_eq!(times[0], (4, Some(0.0), Some(60.0)));
        assert_eq!(times[1..], after);
    }

    #[test]
    fn forecast_of_an_overdue_run_ends_now() {
        let late = Status { reached_s: 12.0, ..run(1, State::Draining, Some(10.0)) };
        assert_eq!(expected(vec![late])[0].ends_s, Some(0.0));
    }
}
