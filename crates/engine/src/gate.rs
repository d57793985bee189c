//! The [`Gate`] at which workers wait for each other before the run begins.
//!
//! The last to arrive sets the origin of the run for all. A worker that fails before it arrives is
//! counted as arrived, so that the others do not wait for it forever. Waiting blocks the thread:
//! nothing is in flight yet that could be delayed.

use brunt_exchange::Moment;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// Between the last arrival and the origin, so that every worker is awake when it comes.
const LEAD: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub(crate) struct Gate {
    state: Mutex<State>,
    opened: Condvar,
    /// The same origin, for readers that do not wait for it.
    origin: Arc<OnceLock<Moment>>,
}

#[derive(Debug)]
struct State {
    missing: usize,
    origin: Option<Moment>,
}

impl Gate {
    /// A gate for so many workers.
    pub(crate) fn new(workers: usize) -> Self {
        let state = Mutex::new(State { missing: workers, origin: None });
        Self { state, opened: Condvar::new(), origin: Arc::default() }
    }

    /// When the run begins, once that is known.
    pub(crate) fn origin(&self) -> Arc<OnceLock<Moment>> {
        Arc::clone(&self.origin)
    }

    /// Waits for the others; says when the run begins.
    pub(crate) fn arrive(&self, now: impl Fn() -> Moment) -> Moment {
        let mut state = self.lock();
        state.missing = state.missing.saturating_sub(1);
        loop {
            if let Some(origin) = state.origin {
                return origin;
            }
            if state.missing == 0 {
                let origin = now() + LEAD;
                state.origin = Some(origin);
                self.origin.get_or_init(|| origin);
                self.opened.notify_all();
                return origin;
            }
            state = self.opened.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Counts a worker that will not come.
    pub(crate) fn give_up(&self) {
        let mut state = self.lock();
        state.missing = state.missing.saturating_sub(1);
        self.opened.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::{Clock, Monotonic};

    #[test]
    fn all_begin_at_the_same_moment_even_if_one_never_comes() {
        let gate = Gate::new(4);
        let clock = Monotonic::new();
        let origins = std::thread::scope(|scope| {
            let arrive = || scope.spawn(|| gate.arrive(|| clock.now()));
            let waiting = [arrive(), arrive(), arrive()];
            gate.give_up();
            waiting.map(|thread| thread.join().unwrap())
        });
        assert!(origins.iter().all(|origin| *origin == origins[0]));
        assert!(origins[0] > Moment::ZERO);
    }
}
