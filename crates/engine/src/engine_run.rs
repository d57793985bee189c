//! [`EngineRun`]: all that a run of the engine takes except its sessions.
//!
//! The tasks of sessions are generic, so the code that runs for each exchange is compiled where the engine and the
//! sessions are used together. For each protocol this is one small crate (`protocols/*/load`), so a change of a tool
//! does not compile it again (`docs/decisions/010-builds.md`); code that runs a session elsewhere compiles a second
//! copy.

use std::sync::Arc;

use brunt_record::Catalogue;

use crate::run::run_sessions;
#[cfg(feature = "virtual-time")]
use crate::simulated_blocking;
use crate::worker::Sessions;
use crate::{
    BlockingSessionFactory, EngineClock, EngineTime, Finished, Plan, RunError, SessionFactory,
    Sink, Stop,
};

/// A run of the engine, for any type of sessions.
pub struct EngineRun<'a> {
    /// The plan to carry out.
    pub plan: &'a Plan,
    /// The names of its operations, parts and tallies.
    pub catalogue: &'a Catalogue,
    /// What ends it early.
    pub stop: &'a Stop,
    /// What receives each interval.
    pub sink: &'a mut dyn Sink,
    /// Its time.
    pub time: EngineTime,
}

impl EngineRun<'_> {
    /// Carries it out with sessions that wait for nothing else.
    pub fn with<F: SessionFactory>(self, sessions: &F) -> Result<Finished, RunError> {
        self.carry_out(sessions)
    }

    /// Not generic, so that everything beside the tasks of the sessions is compiled here.
    fn carry_out(self, sessions: &dyn Sessions<EngineClock>) -> Result<Finished, RunError> {
        run_sessions(self.plan, self.catalogue, &self.time, sessions, self.stop, self.sink)
    }

    /// Carries it out with sessions that block a thread each.
    pub fn blocking<F: BlockingSessionFactory>(
        self,
        sessions: &Arc<F>,
    ) -> Result<Finished, RunError> {
        let Self { plan, catalogue, stop, sink, time } = self;
        match &time {
            EngineTime::Machine(time) => {
                crate::run_blocking(plan, catalogue, time, sessions, stop, sink)
            }
            #[cfg(feature = "virtual-time")]
            EngineTime::Virtual(time) => {
                let sessions: Arc<F> = Arc::clone(sessions);
                simulated_blocking::run(plan, catalogue, time, sessions, stop, sink)
            }
        }
    }
}
