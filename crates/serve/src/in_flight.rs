//! [`InFlight`]: the idempotency keys whose requests are being carried out.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The keys whose requests are being carried out.
#[derive(Debug, Default)]
pub(crate) struct InFlight(Mutex<HashSet<(i64, String)>>);

/// A key that no other request uses while this exists.
pub(crate) struct Held<'a> {
    all: &'a InFlight,
    key: (i64, String),
}

impl InFlight {
    fn all(&self) -> MutexGuard<'_, HashSet<(i64, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn hold(&self, key: (i64, String)) -> Option<Held<'_>> {
        let is_free = self.all().insert(key.clone());
        is_free.then(|| Held { all: self, key })
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.all.all().remove(&self.key);
    }
}
