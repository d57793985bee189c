//! [`guarded`]: a panic in a third-party library becomes a failure of its store, and does not end the run.
//!
//! A server may send data that a library does not handle. The session loses its connection and opens another; the
//! panic's message becomes that of the failure, and nothing is printed.

use super::backend::{Backend, Connection};
use super::error::BackendError;
use super::leases::Lease;
use brunt_exchange::{Class, Meaning};
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Once};

/// How much of a panic's message is kept.
const WORDS_MAX: usize = 200;

thread_local! {
    /// Whether a panic of this thread is counted, so that it is not printed as well.
    static COUNTED: Cell<bool> = const { Cell::new(false) };
}

/// A panic of a store's library: its message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the store's library did not understand the answer ({0})")]
pub(super) struct Panicked(String);

impl Panicked {
    /// As a failure of the store to do `what`.
    pub(super) fn failure(&self, what: &str) -> BackendError {
        BackendError::new(Class::Protocol, 0, format!("{what}: {self}"))
    }
}

/// The result of `act`, unless it panics.
#[inline]
pub(super) fn caught<T>(act: impl FnOnce() -> T) -> Result<T, Panicked> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !COUNTED.get() {
                before(info);
            }
        }));
    });
    let before = COUNTED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(act));
    COUNTED.set(before);
    done.map_err(|panic| Panicked(words(panic.as_ref())))
}

/// The result of `act`; if it panics, a failure of the store to do `what`.
#[inline]
pub(super) fn guarded<T>(
    what: &str,
    act: impl FnOnce() -> Result<T, BackendError>,
) -> Result<T, BackendError> {
    caught(act).unwrap_or_else(|panicked| Err(panicked.failure(what)))
}

fn words(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().copied();
    let words = words.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    words
        .unwrap_or("a panic")
        .chars()
        .take(WORDS_MAX)
        .collect::<String>()
        .escape_debug()
        .to_string()
}

/// A backend whose panics become failures. The sessions guard the calls of its connections.
pub struct Guarded(Arc<dyn Backend>);

impl Guarded {
    /// This backend, guarded.
    pub fn new(backend: Arc<dyn Backend>) -> Self {
        Self(backend)
    }
}

impl Backend for Guarded {
    fn prepare(&self) -> Result<(), BackendError> {
        guarded("prepare the store", || self.0.prepare())
    }

    fn open(&self) -> Result<Box<dyn Connection>, BackendError> {
        guarded("open the store", || self.0.open())
    }

    fn count(&self) -> Result<u64, BackendError> {
        guarded("count the leases", || self.0.count())
    }

    fn preload(&self, leases: &mut dyn Iterator<Item = Lease>) -> Result<(), BackendError> {
        guarded("write leases before the run", || self.0.preload(leases))
    }

    fn clear(&self) -> Result<(), BackendError> {
        guarded("clear the store", || self.0.clear())
    }

    fn left_behind(&self) -> String {
        self.0.left_behind()
    }

    fn in_process(&self) -> bool {
        self.0.in_process()
    }

    fn version(&self) -> Result<String, BackendError> {
        guarded("ask for the version", || self.0.version())
    }

    fn durability(&self) -> String {
        caught(|| self.0.durability()).unwrap_or_else(|panicked| format!("unknown: {panicked}"))
    }

    fn name_of(&self, code: u32) -> String {
        self.0.name_of(code)
    }

    fn meaning_of(&self, code: u32) -> Option<Meaning> {
        self.0.meaning_of(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panic_becomes_a_failure_with_its_message() {
        let error = guarded("look for a lease", || -> Result<(), BackendError> {
            let packet: &[u8] = &[];
            let first = packet[0];
            unreachable!("{first}")
        })
        .unwrap_err();
        assert_eq!(error.class, Class::Protocol);
        assert!(error.text.starts_with("look for a lease: "), "{error}");
        assert!(error.text.contains("index out of bounds"), "{error}");
        assert_eq!(guarded("count", || Ok(3)), Ok(3));
    }
}
