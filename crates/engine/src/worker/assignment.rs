//! What passes between a session that asks for work, whoever hands it out, and whoever counts it.

use brunt_exchange::{Moment, Want};
use brunt_record::Phase;

/// What a session is given: one exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Assignment {
    pub(super) number: u64,
    pub(super) due: Moment,
    pub(super) phase: Phase,
}

/// Where planned and dropped exchanges are counted, and whom a session's number stands for.
pub(super) trait DispatchSink {
    /// An exchange fell due.
    fn planned(&self, assignment: &Assignment);
    /// An exchange will never be sent, as is clear now.
    fn dropped(&self, assignment: &Assignment, now: Moment);
    /// So many exchanges are waiting.
    fn backlog(&self, waiting: usize);
    /// Hands an exchange to the waiting session in this slot.
    fn assign(&self, slot: u32, assignment: Assignment);
}

/// A session that asks for its next exchange.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorkRequest {
    pub(super) slot: u32,
    pub(super) session: u32,
    pub(super) turn: u64,
    pub(super) free: Moment,
    pub(super) wants: Want,
    /// The number of its exchange before, which what goes on from there keeps.
    pub(super) last: u64,
}

/// What a session that asks is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkReply {
    /// Carry this out.
    Take(Assignment),
    /// Wait until something is handed over.
    Wait,
    /// Nothing will come any more.
    Leave,
}
