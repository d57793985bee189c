//! [`LookupSessions`]: the sessions of a run of lookups, for the engine.

use std::sync::Arc;

use brunt_engine::{BlockingSessionFactory, EngineRun, Finished, RunError};
use brunt_exchange::Ticket;
use brunt_names_driver::{AccessPaths, NamesSession, Questions};

/// Makes sessions on the calling thread.
pub struct LookupSessions {
    /// The questions of the run.
    pub questions: Arc<Questions>,
    /// The paths by which they are looked up.
    pub paths: AccessPaths,
    /// The seed of every random choice.
    pub seed: u64,
}

impl LookupSessions {
    /// Carries out a run with these sessions.
    pub fn run(self: &Arc<Self>, run: EngineRun<'_>) -> Result<Finished, RunError> {
        run.blocking(self)
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
