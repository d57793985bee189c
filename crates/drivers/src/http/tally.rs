//! What happens beside the exchanges over HTTP, counted for the whole process.
//!
//! Plain atomic counters, as all of it is rare.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts what no exchange's outcome shows.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) opened: AtomicU64,
    pub(super) lost: AtomicU64,
    pub(super) unasked: AtomicU64,
    pub(super) healed: AtomicU64,
}

/// The counts at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Connections that were opened, with TLS where asked for.
    pub opened: u64,
    /// Connections that the server ended while nothing was asked of it.
    pub lost: u64,
    /// Connections closed because of an unrequested response, such as a 408 (RFC 9110 section 15.5.9).
    pub unasked: u64,
    /// Requests sent a second time, as the server had closed the connection before it could have read the first.
    pub healed: u64,
}

impl Tally {
    pub(super) fn counts(&self) -> Counts {
        Counts {
            opened: self.opened.load(Relaxed),
            lost: self.lost.load(Relaxed),
            unasked: self.unasked.load(Relaxed),
            healed: self.healed.load(Relaxed),
        }
    }

    pub(super) fn one(counter: &AtomicU64) {
        counter.fetch_add(1, Relaxed);
    }
}
