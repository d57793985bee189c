//! [`Held`]: a store that was prepared, which is cleared away whatever happens.

use std::sync::Arc;

use brunt_drivers::lease::{Depot, Trouble};

use crate::console;

/// A store whose tables are ours.
pub(super) struct Held {
    pub(super) depot: Arc<dyn Depot>,
    keep: bool,
}

impl Held {
    /// Makes the tables.
    pub(super) fn prepare(depot: Arc<dyn Depot>, keep: bool) -> Result<Self, Trouble> {
        depot.prepare()?;
        Ok(Self { depot, keep })
    }

    /// Makes the tables anew.
    pub(super) fn again(&self) -> Result<(), Trouble> {
        self.depot.clear()?;
        self.depot.prepare()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.keep {
            return;
        }
        if let Err(trouble) = self.depot.clear() {
            console::note(&format!(
                "the files, tables and databases of the run were not removed: failed to {trouble}"
            ));
        }
    }
}
