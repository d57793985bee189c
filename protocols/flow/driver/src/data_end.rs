//! [`DataEnd`]: the end of the rows that are used once, for a run whose arrivals go on.
//!
//! In the closed model a user without a row leaves, and the run ends with the last user. In the open model arrivals
//! would continue without anything to send. So the first of them that finds no row ends the run: it did not fail, since
//! no request was sent. It must not know how a run is ended.

use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Where the users of a run report that there are no rows left.
#[derive(Default)]
pub struct DataEnd {
    /// The first variable without a row.
    variable: OnceLock<String>,
    /// What ends the run.
    end: Mutex<Option<Box<dyn Fn() + Send>>>,
}

impl DataEnd {
    /// Calls `end` when no row is left for a variable.
    pub fn end_with(&self, end: impl Fn() + Send + 'static) {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(end));
    }

    /// Records that no row is left for this variable. Only the first report has an effect.
    pub(super) fn reached(&self, variable: &str) {
        if self.variable.set(variable.to_owned()).is_ok() {
            let end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
            end.iter().for_each(|end| end());
        }
    }

    /// The first variable for which no row was left, if there was one.
    pub fn variable(&self) -> Option<&str> {
        self.variable.get().map(String::as_str)
    }
}

impl fmt::Debug for DataEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DataEnd").field("variable", &self.variable).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn data_end_is_reported_once() {
        let (end, calls) = (DataEnd::default(), Arc::new(AtomicU64::new(0)));
        let count = Arc::clone(&calls);
        end.end_with(move || {
            count.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(end.variable(), None);
        end.reached("people.uid");
        end.reached("phrases");
        assert_eq!((end.variable(), calls.load(Ordering::Relaxed)), (Some("people.uid"), 1));
    }
}
