//! The data exchanged between a session that requests work, dispatch, and the recorder.

use brunt_exchange::{Moment, Want};
use brunt_record::Phase;

/// One exchange assigned to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Assignment {
    pub(super) number: u64,
    pub(super) due: Moment,
    pub(super) phase: Phase,
    /// Whether the schedule, or a virtual user, began it; not a further exchange of what an arrival began.
    pub(super) arrival: bool,
}

/// Receives what dispatch decides: exchanges planned, dropped and assigned.
pub(super) trait DispatchSink {
    /// An exchange became due.
    fn planned(&self, assignment: &Assignment);
    /// An exchange is dropped and will never be sent.
    fn dropped(&self, assignment: &Assignment, now: Moment);
    /// This number of exchanges is waiting.
    fn backlog(&self, waiting: usize);
    /// Assigns an exchange to the waiting session in this slot.
    fn assign(&self, slot: u32, assignment: Assignment);
}

/// A session's request for its next exchange.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorkRequest {
    pub(super) slot: u32,
    pub(super) session: u32,
    pub(super) turn: u64,
    pub(super) free: Moment,
    pub(super) wants: Want,
    /// The number of its previous exchange, which a continuation retains.
    pub(super) last: u64,
}

/// The reply to a session that requests work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkReply {
    /// Carry this out.
    Take(Assignment),
    /// Wait until something is assigned.
    Wait,
    /// There will be no more work.
    Leave,
}
