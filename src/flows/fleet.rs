//! [`FlowFleet`]: the users of a flow, for the engine.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use brunt_drivers::flow::{CompiledFlow, FlowCounters, User, WorkerContext};
use brunt_engine::{DriverCounts, SessionFactory};

/// Makes the users of one flow on whichever worker asks.
pub(super) struct FlowFleet {
    compiled: Arc<CompiledFlow>,
    /// One for each worker.
    counters: Vec<Arc<FlowCounters>>,
}

/// The names of what is counted of connections, behind the tallies of a flow.
pub(super) fn connections() -> [String; 1] {
    ["http connections opened".to_owned()]
}

/// How many users share their connections.
pub(super) fn group(compiled: &CompiledFlow) -> u32 {
    compiled.network().settings().streams.max(1)
}

impl FlowFleet {
    pub(super) fn new(compiled: &Arc<CompiledFlow>, workers: usize) -> Self {
        let counters = || Arc::new(FlowCounters::new(compiled.tallies().clone()));
        let counters = std::iter::repeat_with(counters).take(workers).collect();
        Self { compiled: Arc::clone(compiled), counters }
    }
}

impl SessionFactory for FlowFleet {
    type Session = User;

    fn group(&self) -> u32 {
        group(&self.compiled)
    }

    fn sessions(&self, worker: usize, numbers: Range<u32>) -> Vec<User> {
        let context =
            Rc::new(WorkerContext::new(&self.compiled, &self.counters[worker], numbers.len()));
        numbers.map(|number| User::new(&context, number)).collect()
    }

    /// Each worker tells of its own ledger. Connections are counted for the whole process, so one worker reports for
    /// all.
    fn counts(&self, worker: usize, into: &mut DriverCounts) {
        let DriverCounts { tallies, tallies_by_phase, .. } = into;
        self.counters[worker].write(tallies, tallies_by_phase);
        if worker == 0 {
            let counts = self.compiled.network().counts();
            // Behind those of the ledger, of which there may be none without a phase.
            into.tallies.resize(self.compiled.tallies().len(), 0);
            into.tallies.push(counts.opened);
            into.orphans = counts.unasked;
        }
    }
}
