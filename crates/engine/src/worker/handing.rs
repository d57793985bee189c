//! What passes between a session that asks for work, whoever hands it out, and whoever counts it.

use brunt_exchange::{Moment, Want};
use brunt_record::Phase;

/// What a session is given: one exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) number: u64,
    pub(super) due: Moment,
    pub(super) phase: Phase,
}

/// Where planned and dropped exchanges are counted, and whom a session's number stands for.
pub(super) trait Ledger {
    /// An exchange fell due.
    fn planned(&self, given: &Given);
    /// An exchange will never be sent, as is clear now.
    fn dropped(&self, given: &Given, now: Moment);
    /// So many exchanges are waiting.
    fn backlog(&self, waiting: usize);
    /// Hands an exchange to the waiting session in this slot.
    fn hand(&self, slot: u32, given: Given);
}

/// A session that asks for its next exchange.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asking {
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
pub(super) enum Answer {
    /// Carry this out.
    Take(Given),
    /// Wait until something is handed over.
    Wait,
    /// Nothing will come any more.
    Leave,
}
