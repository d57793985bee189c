//! The [`Stop`] handle: how a signal handler or a live view ends a run early.
//!
//! One atomic number that workers read twenty times a second, and four times while nothing is in flight. It could wake
//! them at once, but users do not notice a quarter of a second, and a plain atomic may be written from anywhere. A
//! request is never undone, so a caller that carries out several runs gives each a child: a request to a child ends
//! only its run, and a request to the parent ends all of them.

use crate::sync::atomic::{AtomicU8, Ordering};
use std::sync::Arc;

/// Ends a run early. Clones are the same handle.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    own: Arc<AtomicU8>,
    /// A request to the parent also ends this run.
    parent: Option<Arc<Self>>,
}

/// How urgently a run must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// There is no request.
    Run,
    /// Nothing more becomes due, waiting exchanges are dropped, and exchanges in flight are completed.
    Finish,
    /// Exchanges in flight are cut off.
    Abort,
}

impl Stop {
    /// A handle that has not been used yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A handle for one run: a request to it affects no other run, but a request to `self` also applies to it.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { own: Arc::default(), parent: Some(Arc::new(self.clone())) }
    }

    /// Requests the end of the run: the first time in good order, after that at once.
    pub fn request(&self) -> Urgency {
        let raised = self.own.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |level| {
            Some(level.saturating_add(1).min(Urgency::Abort as u8))
        });
        if raised == Ok(0) { Urgency::Finish } else { Urgency::Abort }
    }

    /// Requests that the run ends at once.
    pub fn abort(&self) {
        self.own.store(Urgency::Abort as u8, Ordering::Relaxed);
    }

    /// The current request.
    pub fn urgency(&self) -> Urgency {
        let own = match self.own.load(Ordering::Relaxed) {
            0 => Urgency::Run,
            1 => Urgency::Finish,
            _ => Urgency::Abort,
        };
        self.parent.as_ref().map_or(own, |parent| parent.urgency().max(own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_stop_request_aborts() {
        let stop = Stop::new();
        let copy = stop.clone();
        assert_eq!(stop.urgency(), Urgency::Run);
        assert_eq!(stop.request(), Urgency::Finish);
        assert_eq!(copy.urgency(), Urgency::Finish);
        assert_eq!(copy.request(), Urgency::Abort);
        assert_eq!(stop.request(), Urgency::Abort);
        assert_eq!(stop.urgency(), Urgency::Abort);
    }

    #[test]
    fn child_stop_ends_one_run_and_the_parent_all() {
        let process = Stop::new();
        let (one, other) = (process.child(), process.child());
        assert_eq!(one.request(), Urgency::Finish);
        assert_eq!((process.urgency(), other.urgency()), (Urgency::Run, Urgency::Run));
        process.request();
        assert_eq!((one.urgency(), other.urgency()), (Urgency::Finish, Urgency::Finish));
        assert_eq!(process.child().urgency(), Urgency::Finish, "it began after the request");
        other.abort();
        assert_eq!((process.urgency(), other.urgency()), (Urgency::Finish, Urgency::Abort));
    }
}
