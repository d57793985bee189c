//! What the engine needs from the supplier of sessions: a [`SessionFactory`].
//!
//! Sessions never leave the thread that drives them, so a factory is shared between the workers and makes sessions on
//! the thread that will use them. It must not know when anything is due.

use brunt_exchange::{Session, Ticket};
use std::ops::Range;

/// The sessions of a run, made worker by worker.
pub trait SessionFactory: Sync {
    /// The sessions it makes.
    type Session: Session + 'static;

    /// Whether it makes no difference which free session carries an exchange out. If so, the session freed last is
    /// used, whose memory is still in the processor's cache; otherwise sessions take turns, so that every connection is
    /// used.
    const ALIKE: bool = false;

    /// Whether an arrival of an open load begins an iteration of several exchanges, which is over when its session
    /// wants its next one by the schedule. Otherwise an arrival is over with its exchange, and what a session wants at
    /// moments of its own is work beside it.
    const ITERATES: bool = false;

    /// How many sessions share a connection; they are given to the same worker.
    fn group(&self) -> u32 {
        1
    }

    /// Makes exactly the sessions with these numbers, in order. Called once on each worker's thread, within its
    /// runtime; connecting is left to the sessions' `ready`.
    fn sessions(&self, worker: usize, numbers: Range<u32>) -> Vec<Self::Session>;

    /// Writes the driver's own counts since the beginning, for this worker's sessions. Called on the worker's thread a
    /// few times an interval, each time with the counts it wrote before.
    fn counts(&self, worker: usize, into: &mut DriverCounts) {
        let _ = (worker, into);
    }
}

/// The driver's own counts since the beginning of the run: what the outcomes of exchanges do not show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DriverCounts {
    /// Replies that belong to no exchange in flight.
    pub orphans: u64,
    /// Datagrams that the kernel dropped because we did not read them in time.
    pub socket_drops: u64,
    /// The driver's own counts that belong to no exchange, by the numbers of the catalogue. They are added to the phase
    /// in which they are noticed.
    pub tallies: Vec<u64>,
    /// The driver's own counts of what happened to exchanges, by the phase in which those became due
    /// ([`Ticket::phase`]) and then by the same numbers. They are added to that phase, whenever they are counted.
    pub tallies_by_phase: [Vec<u64>; Ticket::PHASES],
}
