//! [`FlowSessions`]: the users of a flow, for the engine.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use brunt_engine::{DriverCounts, EngineRun, Finished, Load, RunError, SessionFactory, Settings};
use brunt_flow_driver::{
    CompiledFlow, DataEnd, FlowCounters, Handover, IterationStart, User, WorkerContext,
};

/// Makes the users of one flow on the thread of the calling worker.
pub struct FlowSessions {
    compiled: Arc<CompiledFlow>,
    /// One for each worker.
    counters: Vec<Arc<FlowCounters>>,
    iteration_start: IterationStart,
    /// Connections that earlier runs opened.
    opened: u64,
    /// TLS sessions that earlier runs resumed.
    resumed: u64,
    data_end: Arc<DataEnd>,
    /// Where users get and leave values, and whether they leave any.
    handover: Option<(Arc<Handover>, bool)>,
}

/// The names of the connection counts, which follow the tallies of a flow.
pub fn connections() -> [String; 2] {
    ["http connections opened".to_owned(), "http TLS sessions resumed".to_owned()]
}

/// How many users share their connections.
pub fn group(compiled: &CompiledFlow) -> u32 {
    compiled.network().settings().streams.max(1)
}

impl FlowSessions {
    /// The users of one run of a flow.
    pub fn new(compiled: &Arc<CompiledFlow>, workers: usize, settings: &Settings) -> Self {
        let counters = || Arc::new(FlowCounters::new(compiled.tallies().clone()));
        let counters = std::iter::repeat_with(counters).take(workers).collect();
        let arrivals = matches!(settings.load, Load::Open(_));
        let opened = compiled.network().counts().opened;
        let resumed = compiled.network().handshakes().resumed;
        let iteration_start = IterationStart { first: settings.first, arrivals };
        let data_end = Arc::default();
        let compiled = Arc::clone(compiled);
        Self { compiled, counters, iteration_start, opened, resumed, data_end, handover: None }
    }

    /// Gives the users values of others; `leaves` is whether they hand theirs over in turn.
    #[must_use]
    pub fn handing(self, handover: &Arc<Handover>, leaves: bool) -> Self {
        Self { handover: Some((Arc::clone(handover), leaves)), ..self }
    }

    /// Where the users report that no rows are left.
    pub fn data_end(&self) -> &Arc<DataEnd> {
        &self.data_end
    }

    /// Carries out a run with these sessions.
    pub fn run(&self, run: EngineRun<'_>) -> Result<Finished, RunError> {
        run.with(self)
    }
}

impl SessionFactory for FlowSessions {
    type Session = User;

    const ITERATES: bool = true;

    fn group(&self) -> u32 {
        group(&self.compiled)
    }

    fn sessions(&self, worker: usize, numbers: Range<u32>) -> Vec<User> {
        let context = WorkerContext::new(&self.compiled, &self.counters[worker], numbers.len());
        let context = context.on(self.iteration_start).reporting(&self.data_end);
        let context = match &self.handover {
            Some((handover, leaves)) => context.handing(handover, *leaves),
            None => context,
        };
        let context = Rc::new(context);
        numbers.map(|number| User::new(&context, number)).collect()
    }

    /// Each worker reports its own ledger. Connections are counted for the whole process, so one worker reports them
    /// for all.
    fn counts(&self, worker: usize, into: &mut DriverCounts) {
        let DriverCounts { tallies, tallies_by_phase, .. } = into;
        self.counters[worker].write(tallies, tallies_by_phase);
        if worker == 0 {
            let counts = self.compiled.network().counts();
            // After the tallies of the ledger, of which there may be none without a phase.
            into.tallies.resize(self.compiled.tallies().len(), 0);
            into.tallies.push(counts.opened - self.opened);
            into.tallies.push(self.compiled.network().handshakes().resumed - self.resumed);
            into.orphans = counts.unsolicited;
        }
    }
}
