//! What the engine needs from the supplier of sessions that block their threads: a [`BlockingSessionFactory`].

use crate::session_factory::DriverCounts;
use brunt_exchange::{BlockingSession, Ticket};

/// The blocking sessions of a run. Each is made on a thread of its own, and stays on that thread.
///
/// A factory outlives a run that had to abandon a thread, so it is shared by reference counting and not borrowed.
pub trait BlockingSessionFactory: Send + Sync + 'static {
    /// The sessions it makes.
    type Session: BlockingSession;

    /// Makes the session with this number, on the thread that will use it; connecting is left to its `ready`. Called
    /// again with the same number if a thread had to be abandoned in an exchange that took too long.
    fn session(&self, number: u32) -> Self::Session;

    /// The operation of the exchange with this ticket, computed without its session: needed if an exchange took too
    /// long and its thread is abandoned.
    fn operation(&self, ticket: &Ticket) -> u16 {
        let _ = ticket;
        0
    }

    /// Writes the driver's own counts since the beginning. Called a few times a second for one worker after the other,
    /// each time with the counts it wrote before.
    fn counts(&self, worker: usize, into: &mut DriverCounts) {
        let _ = (worker, into);
    }
}
