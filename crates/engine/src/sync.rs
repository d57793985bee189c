//! Locks and atomics of threads that share: the standard library's, or loom's in tests that try every order of events.
//!
//! loom stands in for them where `--cfg brunt_loom` is set, a name of our own: tokio leaves half of itself out where
//! the usual `--cfg loom` is. `.ci/orders` runs those tests.

#[cfg(not(all(test, brunt_loom)))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, atomic};

#[cfg(all(test, brunt_loom))]
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard, atomic};
