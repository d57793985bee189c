//! Locks and atomics for shared state: the standard library's, or loom's in tests that try every order of events.
//!
//! loom replaces them if `--cfg brunt_loom` is set. This is a name of our own, because tokio leaves half of itself out
//! under the usual `--cfg loom`. `.ci/orders` runs those tests.

#[cfg(not(all(test, brunt_loom)))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, atomic};

#[cfg(all(test, brunt_loom))]
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard, atomic};
