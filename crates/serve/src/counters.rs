//! [`Counters`]: what is counted while the site is served.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::StatusCode;

/// The classes of responses, as labels.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// What is counted while the site is served.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    responses: [AtomicU64; CLASSES.len()],
    /// The time that all of them took together.
    micros: AtomicU64,
    /// Runs that were removed because of their age or number.
    removed: AtomicU64,
}

impl Counters {
    /// Counts a response, and how long it took from its request.
    pub(crate) fn count(&self, status: StatusCode, took: Duration) {
        let class = usize::from(status.as_u16() / 100).saturating_sub(1);
        if let Some(responses) = self.responses.get(class) {
            responses.fetch_add(1, Ordering::Relaxed);
        }
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// Counts a run that was removed because of its age or number.
    pub(crate) fn count_removed(&self) {
        self.removed.fetch_add(1, Ordering::Relaxed);
    }
    /// How many responses there were of each class.
    pub(crate) fn responses(&self) -> impl Iterator<Item = (&'static str, u64)> {
        CLASSES.into_iter().zip(self.responses.iter().map(value_of))
    }

    /// The time that all responses took together, in microseconds.
    pub(crate) fn micros(&self) -> u64 {
        value_of(&self.micros)
    }

    /// How many runs were removed because of their age or number.
    pub(crate) fn removed(&self) -> u64 {
        value_of(&self.removed)
    }
}

fn value_of(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}
