//! The [`Gate`] at which workers wait for each other before the run begins.
//!
//! The last to arrive sets the origin of the run for all, or the moment does that was agreed on with other machines. A
//! worker that fails before it arrives is counted as arrived, so that the others do not wait for it forever. Waiting
//! blocks the thread: nothing is in flight yet that could be delayed. A request to stop opens the gate at once.

use crate::stop::{Stop, Urgency};
use brunt_exchange::Moment;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// Between the last arrival and the origin, so that every worker is awake when it comes.
const LEAD: Duration = Duration::from_millis(1);

/// How often a request to stop is looked for while the moment has not come.
const LOOK: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(crate) struct Gate {
    /// The moment before which the run does not begin.
    not_before: Option<Moment>,
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
    /// A gate for so many workers, which does not open before this moment.
    pub(crate) fn new(workers: usize, not_before: Option<Moment>) -> Self {
        let state = Mutex::new(State { missing: workers, origin: None });
        Self { not_before, state, opened: Condvar::new(), origin: Arc::default() }
    }

    /// When the run begins, once that is known.
    pub(crate) fn origin(&self) -> Arc<OnceLock<Moment>> {
        Arc::clone(&self.origin)
    }

    /// Waits for the others; says when the run begins.
    pub(crate) fn arrive(&self, now: impl Fn() -> Moment, stop: &Stop) -> Moment {
        let mut state = self.lock();
        state.missing = state.missing.saturating_sub(1);
        loop {
            if let Some(origin) = state.origin {
                return origin;
            }
            if state.missing > 0 {
                state = self.opened.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let now = now();
            let running = stop.urgency() == Urgency::Run;
            let Some(at) = self.not_before.filter(|at| running && *at > now) else {
                return self.open(&mut state, now + LEAD);
            };
            let early = (at - now).saturating_sub(LEAD);
            if early.is_zero() {
                return self.open(&mut state, at);
            }
            let waited = self.opened.wait_timeout(state, early.min(LOOK));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn open(&self, state: &mut State, origin: Moment) -> Moment {
        state.origin = Some(origin);
        self.origin.get_or_init(|| origin);
        self.opened.notify_all();
        origin
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

    fn origins(gate: &Gate, stop: &Stop) -> [Moment; 3] {
        let clock = Monotonic::new();
        std::thread::scope(|scope| {
            let arrive = || scope.spawn(|| gate.arrive(|| clock.now(), stop));
            let waiting = [arrive(), arrive(), arrive()];
            gate.give_up();
            waiting.map(|thread| thread.join().unwrap())
        })
    }

    #[test]
    fn all_begin_at_the_same_moment_even_if_one_never_comes() {
        let origins = origins(&Gate::new(4, None), &Stop::new());
        assert!(origins.iter().all(|origin| *origin == origins[0]));
        assert!(origins[0] > Moment::ZERO);
    }

    #[test]
    fn a_moment_that_was_agreed_on_is_the_origin_unless_it_is_past() {
        let at = |millis| Moment::ZERO + Duration::from_millis(millis);
        let agreed = origins(&Gate::new(4, Some(at(120))), &Stop::new());
        assert_eq!(agreed, [at(120); 3]);
        let gate = Gate::new(1, Some(at(120)));
        assert_eq!(gate.arrive(|| at(500), &Stop::new()), at(500) + LEAD);
    }

    #[test]
    fn a_request_to_stop_opens_the_gate() {
        let (gate, stop) =
            (Gate::new(4, Some(Moment::ZERO + Duration::from_secs(3600))), Stop::new());
        stop.request();
        let origins = origins(&gate, &stop);
        assert!(origins[0] < Moment::ZERO + Duration::from_secs(60), "{origins:?}");
    }
}
