//! [`Gate`]: one conversation with the provider at a time, and none for a while after it did not answer.
//!
//! A provider that is slow or down must not occupy the threads and processes of the site, which all users share.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// For how many seconds no request is sent to a provider that did not answer.
const REST: i64 = 10;
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(6);
/// How many wait at a time: each occupies one of the few threads that answer requests.
const WAITING_MAX: usize = 3;

/// Why there is no conversation now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Closed {
    /// Others have one.
    Busy,
    /// The provider did not answer a moment ago, for this reason.
    Resting(String),
}

#[derive(Debug, Default)]
struct State {
    is_taken: bool,
    /// How many wait for their turn.
    waiting: usize,
    /// Until when no request is sent to the provider, and why.
    rest: Option<(i64, String)>,
}

/// Lets conversations in.
#[derive(Debug, Default)]
pub(super) struct Gate {
    state: Mutex<State>,
    left: Condvar,
}

/// A turn for one conversation.
#[derive(Debug)]
pub(super) struct Turn<'a>(&'a Gate);

impl Gate {
    /// Waits for a turn, unless too many do.
    pub(super) fn enter(&self, now: i64) -> Result<Turn<'_>, Closed> {
        let mut state = self.state();
        if state.waiting >= WAITING_MAX {
            return self.turn(state, now);
        }
        state.waiting += 1;
        let is_taken = |state: &mut State| state.is_taken;
        let waited = self.left.wait_timeout_while(state, PATIENCE, is_taken);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        self.turn(state, now)
    }

    /// A turn, if there is one at once.
    pub(super) fn try_enter(&self, now: i64) -> Result<Turn<'_>, Closed> {
        self.turn(self.state(), now)
    }

    fn turn(&self, mut state: MutexGuard<'_, State>, now: i64) -> Result<Turn<'_>, Closed> {
        if let Some((until, why)) = &state.rest
            && (until - REST..*until).contains(&now)
        {
            return Err(Closed::Resting(why.clone()));
        }
        if state.is_taken {
            return Err(Closed::Busy);
        }
        state.is_taken = true;
        Ok(Turn(self))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets that the provider did not answer.
    pub(super) fn reopen(&self) {
        self.state().rest = None;
    }
}

impl Turn<'_> {
    /// Remembers that the provider did not answer.
    pub(super) fn failed(&self, why: &str, now: i64) {
        self.0.state().rest = Some((now + REST, why.to_owned()));
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.state().is_taken = false;
        // All are woken: one that wakes and finds no turn, because the provider failed, would wake no other.
        self.0.left.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn provider_gate_admits_one_conversation_and_rests_after_failure() {
        let gate = Gate::default();
        let turn = gate.try_enter(100).unwrap();
        assert_eq!(gate.try_enter(100).err(), Some(Closed::Busy));
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| gate.enter(100).is_ok());
            drop(turn);
            assert!(waits.join().unwrap());
        });
        gate.enter(100).unwrap().failed("no answer", 100);
        let resting = Some(Closed::Resting("no answer".to_owned()));
        assert_eq!([gate.enter(109).err(), gate.try_enter(100).err()], [resting.clone(), resting]);
        assert!(gate.enter(110).is_ok());
        // A clock that was set back does not close it for long.
        assert!(gate.enter(50).is_ok());
        gate.enter(200).unwrap().failed("no answer", 200);
        gate.reopen();
        assert!(gate.enter(201).is_ok());
    }

    #[test]
    fn provider_gate_shares_the_result_with_a_few_waiting() {
        let gate = Gate::default();
        let turn = gate.enter(100).unwrap();
        std::thread::scope(|scope| {
            let waits = || scope.spawn(|| gate.enter(100).map(drop));
            let waiting: Vec<_> = (0..WAITING_MAX).map(|_| waits()).collect();
            while gate.state().waiting < WAITING_MAX {
                std::thread::yield_now();
            }
            assert_eq!(gate.enter(100).err(), Some(Closed::Busy));
            turn.failed("no answer", 100);
            drop(turn);
            let resting = Err(Closed::Resting("no answer".to_owned()));
            assert!(waiting.into_iter().all(|one| one.join().unwrap() == resting));
        });
        assert_eq!(gate.state().waiting, 0);
    }
}
