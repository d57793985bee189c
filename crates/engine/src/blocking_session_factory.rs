//! What the engine asks of whoever supplies sessions that keep their threads waiting: a [`BlockingSessionFactory`].

use crate::session_factory::DriverCounts;
use brunt_exchange::{BlockingSession, Ticket};

/// The blocking sessions of a run. Each lives on a thread of its own, where it is made and stays.
///
/// A factory outlives a run that had to leave a thread behind, so it is shared by counting and not borrowed.
pub trait BlockingSessionFactory: Send + Sync + 'static {
    /// What a session of this factory is.
    type Session: BlockingSession;

    /// Makes the session with this number, on the thread it will live on; connecting is left to its `ready`. Called
    /// again with the same number where a thread had to be left behind in an exchange that took too long.
    fn session(&self, number: u32) -> Self::Session;

    /// Which operation the exchange of this ticket is, told without its session: asked where an exchange took too long
    /// and its thread is left behind.
    fn operation(&self, ticket: &Ticket) -> u16 {
        let _ = ticket;
        0
    }

    /// Writes down what has been noticed since the beginning that belongs to no exchange. Called some times a second
    /// for one worker after the other, each time with what it wrote before.
    fn counts(&self, worker: usize, into: &mut DriverCounts) {
        let _ = (worker, into);
    }
}
