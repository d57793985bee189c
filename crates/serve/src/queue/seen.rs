//! [`SeenQueue`]: the queue as somebody sees it.
//!
//! A run belongs to its plan, and who does not see the plan does not find the run. Times are those of the whole queue,
//! because one machine executes all runs.

use std::path::Path;
use std::sync::Arc;

use brunt_envelope::RunSpec;
use brunt_history::RunId;
use brunt_web::watch::Watch;

use super::forecast::{Expected, expected};
use super::{OnceError, Queue, RunRequest, Status, StopError, SubmitError};
use crate::store::REVISION;

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

    /// How many runs a new one has to wait for, whoever sees them.
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
