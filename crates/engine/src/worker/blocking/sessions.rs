//! [`BlockingSessions`]: a factory as the watchdog sees it, whatever its type of sessions.

use super::slot::BlockingSlot;
use super::{Wait, thread};
use crate::blocking_session_factory::BlockingSessionFactory;
use crate::session_factory::DriverCounts;
use brunt_exchange::Ticket;

/// The blocking sessions of a run, for slots with this clock.
pub(crate) trait BlockingSessions<T>: Send + Sync {
    /// The whole life of thread number `me` of a slot.
    fn live(&self, slot: &BlockingSlot<T>, me: u32);

    /// The operation of the exchange with this ticket.
    fn operation(&self, ticket: &Ticket) -> u16;

    /// Writes the driver's own counts of a worker.
    fn counts(&self, worker: usize, into: &mut DriverCounts);
}

impl<T: Wait, C: BlockingSessionFactory> BlockingSessions<T> for C {
    fn live(&self, slot: &BlockingSlot<T>, me: u32) {
        thread::live(slot, self, me);
    }

    fn operation(&self, ticket: &Ticket) -> u16 {
        BlockingSessionFactory::operation(self, ticket)
    }

    fn counts(&self, worker: usize, into: &mut DriverCounts) {
        BlockingSessionFactory::counts(self, worker, into);
    }
}
