//! [`Held`]: a prepared store, which is always cleared when this is dropped.

use std::sync::Arc;

use brunt_leases_driver::{Backend, BackendError};
use brunt_run::console;

/// A store with the tables of this process.
pub(crate) struct Held {
    pub backend: Arc<dyn Backend>,
    keep: bool,
}

impl Held {
    /// Creates the tables.
    pub(crate) fn prepare(backend: Arc<dyn Backend>, keep: bool) -> Result<Self, BackendError> {
        backend.prepare()?;
        Ok(Self { backend, keep })
    }

    /// Creates the tables again.
    pub(crate) fn again(&self) -> Result<(), BackendError> {
        self.backend.clear()?;
        self.backend.prepare()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.keep {
            return;
        }
        if let Err(trouble) = self.backend.clear() {
            console::note(&format!(
                "{} may still be there: failed to {trouble}",
                self.backend.left_behind()
            ));
        }
    }
}
