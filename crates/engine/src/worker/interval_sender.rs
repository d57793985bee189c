//! [`IntervalSender`]: how the measurements of a worker reach the collector.

use super::usage::Usage;
use crate::in_step::InStep;
use brunt_record::{Interval, Phase};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError};
use std::time::Duration;

/// The measurements of one worker in one step.
#[derive(Debug)]
pub(crate) struct WorkerIntervals {
    pub(crate) worker: usize,
    /// The step; 0 is the preparation.
    pub(crate) index: u64,
    /// Whether this is the worker's last.
    pub(crate) last: bool,
    pub(crate) intervals: Vec<Interval>,
}

/// Sends the measurements of a worker to the collector, and receives spent intervals.
pub(crate) struct IntervalSender {
    pub(crate) measured: SyncSender<WorkerIntervals>,
    pub(crate) spent: Receiver<Interval>,
    /// In a simulation, the worker goes on once the collector is done with them.
    pub(crate) in_step: Option<InStep>,
}

impl IntervalSender {
    /// An empty interval for operations and parts, of this number and phase, from this time on.
    #[cold]
    pub(super) fn fresh(
        &self,
        (operations, parts): (usize, usize),
        (index, phase, from): (u64, Phase, Duration),
    ) -> Interval {
        let spent = self.spent.try_recv();
        let mut fresh = spent.unwrap_or_else(|_| Interval::new(operations, parts));
        fresh.reset(index, phase, from);
        fresh
    }

    /// Hands measurements over. Gives them back if the collector has no room, unless they are the last, for which the
    /// worker may wait. A collector that is gone has failed, and reports that itself.
    pub(super) fn send(&self, measured: WorkerIntervals) -> Result<(), Vec<Interval>> {
        if measured.last || self.in_step.is_some() {
            if self.measured.send(measured).is_ok()
                && let Some(in_step) = &self.in_step
            {
                in_step.wait();
            }
            return Ok(());
        }
        match self.measured.try_send(measured) {
            Ok(()) | Err(TrySendError::Disconnected(_)) => Ok(()),
            Err(TrySendError::Full(measured)) => Err(measured.intervals),
        }
    }

    /// What this thread has used.
    pub(super) fn used(&self) -> Usage {
        match &self.in_step {
            Some(in_step) => Usage::simulated(in_step.machine.used()),
            None => Usage::of_thread(),
        }
    }
}
