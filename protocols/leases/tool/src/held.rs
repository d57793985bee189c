//! [`Held`]: a prepared store, which is always cleared when this is dropped.

use brunt_run::Console;
use std::sync::Arc;

use brunt_leases_driver::{Backend, BackendError};

/// A store with the tables of this process.
pub(crate) struct Held {
    console: Console,
    pub backend: Arc<dyn Backend>,
    keep: bool,
}

impl Held {
    /// Creates the tables.
    pub(crate) fn prepare(
        backend: Arc<dyn Backend>,
        keep: bool,
        console: &Console,
    ) -> Result<Self, BackendError> {
        backend.prepare()?;
        Ok(Self { console: console.clone(), backend, keep })
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
        if let Err(error) = self.backend.clear() {
            self.console.note(&format!(
                "{} may still be there: failed to {error}",
                self.backend.left_behind()
            ));
        }
    }
}
