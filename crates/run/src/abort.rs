//! [`AbortOn`]: ends a run when a condition of `--abort-on` has been true for its time.
//!
//! It is one more observer of the intervals that all workers together made, in the single function that carries out
//! every run. The run ends in good order: no further exchange becomes due, exchanges in flight are completed, and all
//! files are written. With several nodes, each node judges its own share.

use brunt_record::{AbortFound, AbortWatch, Cause, Interval, Measured};

use super::job::Job;
use super::observer::{Observer, ObserverFailure};
use crate::console::Console;

/// Ends a run when a condition is fulfilled.
pub(crate) struct AbortOn {
    console: Console,
    watch: AbortWatch,
    quiet: bool,
    /// The condition that ended the run, with the measured value.
    fired: Option<AbortFound>,
}

impl AbortOn {
    /// The conditions of a job.
    pub(crate) fn new(job: &Job, quiet: bool, console: &Console) -> Self {
        let rules = &job.output.run.abort_on;
        let watch = AbortWatch::new(rules, &job.catalogue, job.load.settings().interval);
        Self { console: console.clone(), watch, quiet, fired: None }
    }

    /// The condition that ended the run after this number of seconds, if one did.
    pub(crate) fn cause(&self, seconds: f64) -> Option<Cause> {
        self.fired.as_ref().map(|found| found.cause(seconds))
    }
}

impl Observer for AbortOn {
    fn is_quiet(&self) -> bool {
        true
    }

    fn interval(&mut self, interval: &Interval, _: &Measured) -> Result<(), ObserverFailure> {
        let Some(found) = self.watch.poll(interval) else { return Ok(()) };
        if !self.quiet {
            self.console.message(&format!("\nThe run ends: --abort-on {found}"));
        }
        self.fired = Some(found);
        Err(ObserverFailure::Decided)
    }
}
