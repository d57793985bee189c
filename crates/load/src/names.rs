//! [`LookupSessions`]: the sessions of a run of lookups, for the engine.

use std::sync::Arc;

use brunt_drivers::names::{AccessPaths, NamesSession, Questions};
use brunt_engine::{BlockingSessionFactory, Finished, Plan, RunError, Sink, Stop};
use brunt_exchange::{Monotonic, Ticket};
use brunt_record::Catalogue;

/// Makes sessions on whichever thread asks.
pub struct LookupSessions {
    /// What is asked.
    pub questions: Arc<Questions>,
    /// Through what.
    pub paths: AccessPaths,
    /// The seed of every random choice.
    pub seed: u64,
}

impl LookupSessions {
    /// Carries out a plan with these sessions.
    pub fn run(
        self: &Arc<Self>,
        plan: &Plan,
        catalogue: &Catalogue,
        stop: &Stop,
        sink: &mut dyn Sink,
    ) -> Result<Finished, RunError> {
        brunt_engine::run_blocking(plan, catalogue, Monotonic::new(), self, stop, sink)
    }
}

impl BlockingSessionFactory for LookupSessions {
    type Session = NamesSession;

    fn session(&self, number: u32) -> NamesSession {
        NamesSession::new(&self.questions, &self.paths, number, self.seed)
    }

    fn operation(&self, ticket: &Ticket) -> u16 {
        self.questions.operation(ticket.number)
    }
}
