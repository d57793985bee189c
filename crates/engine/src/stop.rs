//! The [`Stop`] handle: how a signal handler or a live view ends a run early.
//!
//! One atomic number that workers look at twenty times a second. It could wake them at once, but
//! nobody notices a twentieth of a second, and a plain atomic may be touched from anywhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Ends a run early. Clones are the same handle.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicU8>);

/// How urgently a run is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Nothing asks it to.
    Run,
    /// Nothing more falls due, what waits is dropped, what is in flight comes home.
    Finish,
    /// What is in flight is cut off.
    Abort,
}

impl Stop {
    /// A handle that has not been used yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the run to end: the first time in good order, after that at once.
    pub fn request(&self) -> Urgency {
        let raised = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |level| {
            Some(level.saturating_add(1).min(Urgency::Abort as u8))
        });
        if raised == Ok(0) { Urgency::Finish } else { Urgency::Abort }
    }

    /// Asks the run to end at once.
    pub fn abort(&self) {
        self.0.store(Urgency::Abort as u8, Ordering::Relaxed);
    }

    /// What has been asked.
    pub fn urgency(&self) -> Urgency {
        match self.0.load(Ordering::Relaxed) {
            0 => Urgency::Run,
            1 => Urgency::Finish,
            _ => Urgency::Abort,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_request_is_the_urgent_one() {
        let stop = Stop::new();
        let copy = stop.clone();
        assert_eq!(stop.urgency(), Urgency::Run);
        assert_eq!(stop.request(), Urgency::Finish);
        assert_eq!(copy.urgency(), Urgency::Finish);
        assert_eq!(copy.request(), Urgency::Abort);
        assert_eq!(stop.request(), Urgency::Abort);
        assert_eq!(stop.urgency(), Urgency::Abort);
    }
}
