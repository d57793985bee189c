//! Runs: the engine with the sessions of each protocol.
//!
//! The engine is generic in its sessions, so the code that runs for each exchange is compiled where the two are used
//! together. That is only here, so a change of the program does not compile it again (`docs/decisions/010-builds.md`);
//! code that runs a session elsewhere compiles a second copy. This crate does not know the options of a run, or what is
//! done with its figures.

pub mod dhcp;
pub mod flow;
pub mod ldap;
pub mod leases;
pub mod names;

use std::sync::Arc;

use brunt_engine::timer::MachineTime;
use brunt_engine::{BlockingSessionFactory, Finished, Plan, RunError, SessionFactory, Sink, Stop};
use brunt_exchange::Monotonic;
use brunt_record::Catalogue;

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
}

impl EngineRun<'_> {
    fn with<F: SessionFactory>(
        self,
        sessions: &F,
        time: &MachineTime,
    ) -> Result<Finished, RunError> {
        brunt_engine::run(self.plan, self.catalogue, time, sessions, self.stop, self.sink)
    }

    fn blocking<F: BlockingSessionFactory>(self, sessions: &Arc<F>) -> Result<Finished, RunError> {
        let clock = Monotonic::new();
        brunt_engine::run_blocking(self.plan, self.catalogue, clock, sessions, self.stop, self.sink)
    }
}
