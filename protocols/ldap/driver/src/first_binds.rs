//! [`FirstBinds`]: whether the server refused all of the first binds of a run for their passwords.
//!
//! A password that is wrong on the command line is wrong in every bind, and a closed load sends a hundred thousand of
//! them in a second, each of which may lock an account. So the first binds are a trial: if all of them are refused with
//! `invalidCredentials`, no further bind is sent, and the run is told to end. They are binds of the run and not
//! additional ones, so that the server sees what the run counts.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use brunt_ldap_wire::code;

/// The count after a bind that had another result.
const PASSED: u64 = u64::MAX;

/// The trial.
pub(super) struct FirstBinds {
    tries: u64,
    /// How many were refused so far, or [`PASSED`].
    refused: AtomicU64,
    /// What ends the run.
    end: Mutex<Option<Box<dyn Fn() + Send>>>,
}

impl FirstBinds {
    /// A trial with this number of binds.
    pub(super) fn new(tries: u64) -> Self {
        Self { tries: tries.max(1), refused: AtomicU64::new(0), end: Mutex::default() }
    }

    /// Calls `end` when the last try is refused.
    pub(super) fn end_with(&self, end: impl Fn() + Send + 'static) {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(end));
    }

    /// Records the result of a bind. Results after the trial do not change its own.
    pub(super) fn answered(&self, code: u32) {
        let refused = code == code::INVALID_CREDENTIALS;
        let next = |count: u64| {
            (count < self.tries).then(|| if refused { count.saturating_add(1) } else { PASSED })
        };
        let before = self.refused.fetch_update(Relaxed, Relaxed, next);
        if refused && before == Ok(self.tries - 1) {
            let end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
            end.iter().for_each(|end| end());
        }
    }

    /// How many binds were refused, if all of them were.
    pub(super) fn all_refused(&self) -> Option<u64> {
        (self.refused.load(Relaxed) == self.tries).then_some(self.tries)
    }
}

impl fmt::Debug for FirstBinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FirstBinds").field("tries", &self.tries).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// The result of a trial of three binds with these results, and how often the run was ended.
    fn tried(codes: &[u32]) -> (Option<u64>, u64) {
        let (first, ended) = (FirstBinds::new(3), Arc::new(AtomicU64::new(0)));
        let count = Arc::clone(&ended);
        first.end_with(move || {
            count.fetch_add(1, Relaxed);
        });
        for code in codes {
            first.answered(*code);
        }
        (first.all_refused(), ended.load(Relaxed))
    }

    #[test]
    fn first_binds_end_the_run_only_if_all_are_refused() {
        for (codes, expected) in [
            (&[49, 49][..], (None, 0)),
            (&[49, 49, 49], (Some(3), 1)),
            // What was on its way when the run was told to end.
            (&[49, 49, 49, 49, 0], (Some(3), 1)),
            (&[49, 0, 49, 49, 49, 49], (None, 0)),
            // Another refusal says nothing about passwords.
            (&[49, 53, 49, 49, 49], (None, 0)),
        ] {
            assert_eq!(tried(codes), expected, "{codes:?}");
        }
    }
}
