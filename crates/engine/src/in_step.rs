//! [`InStep`] and [`CollectorPace`]: how the workers and the collector of a simulated run take turns.

use crate::machine::SimulatedMachine;
use brunt_exchange::Moment;
use std::fmt;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

/// How a simulated worker keeps step with the collector.
#[derive(Clone, Debug)]
pub(crate) struct InStep {
    done: Arc<Mutex<Receiver<()>>>,
    pub(crate) machine: Arc<dyn SimulatedMachine>,
}

impl InStep {
    /// Waits until the collector is done with what was sent to it, or gone.
    pub(crate) fn wait(&self) {
        let _ = self.done.lock().unwrap_or_else(PoisonError::into_inner).recv();
    }
}

/// How a collector keeps step with simulated workers.
pub(crate) struct CollectorPace {
    now: Box<dyn Fn() -> Moment>,
    done: SyncSender<()>,
}

impl CollectorPace {
    /// The time of the simulation.
    pub(crate) fn now(&self) -> Moment {
        (self.now)()
    }

    /// Lets the workers go on.
    pub(crate) fn done(&self) {
        // Workers that failed do not wait.
        let _ = self.done.try_send(());
    }
}

impl fmt::Debug for CollectorPace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CollectorPace").finish_non_exhaustive()
    }
}

/// Both sides, on this machine, whose time is this.
pub(crate) fn in_step(
    machine: &Arc<dyn SimulatedMachine>,
    now: impl Fn() -> Moment + 'static,
) -> (InStep, CollectorPace) {
    // There is one answer at a time.
    let (done, turns) = sync_channel(1);
    let worker = InStep { done: Arc::new(Mutex::new(turns)), machine: Arc::clone(machine) };
    (worker, CollectorPace { now: Box::new(now), done })
}
