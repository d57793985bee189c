//! [`Askers`]: the sessions of a run of lookups, for the engine.

use std::sync::Arc;

use brunt_drivers::names::{AccessPaths, NamesSession, Questions};
use brunt_engine::BlockingSessionFactory;
use brunt_exchange::Ticket;

/// Makes sessions on whichever thread asks.
pub(super) struct Askers {
    pub(super) questions: Arc<Questions>,
    pub(super) paths: AccessPaths,
    pub(super) seed: u64,
}

impl BlockingSessionFactory for Askers {
    type Session = NamesSession;

    fn session(&self, number: u32) -> NamesSession {
        NamesSession::new(&self.questions, &self.paths, number, self.seed)
    }

    fn operation(&self, ticket: &Ticket) -> u16 {
        self.questions.operation(ticket.number)
    }
}
