//! [`Held`]: a store that was prepared, which is cleared away whatever happens.

use std::sync::Arc;

use brunt_drivers::lease::{Backend, BackendError};

use crate::console;

/// A store whose tables are ours.
pub(super) struct Held {
    pub(super) backend: Arc<dyn Backend>,
    keep: bool,
}

impl Held {
    /// Makes the tables.
    pub(super) fn prepare(backend: Arc<dyn Backend>, keep: bool) -> Result<Self, BackendError> {
        backend.prepare()?;
        Ok(Self { backend, keep })
    }

    /// Makes the tables anew.
    pub(super) fn again(&self) -> Result<(), BackendError> {
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
