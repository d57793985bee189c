//! The clock of an embedded server: shared by its threads, counted from its start.

use std::time::{Duration, Instant};

/// The clock of a server, counted from its start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    origin: Instant,
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "a target has a clock of its own")]
    pub(crate) fn new() -> Self {
        Self { origin: Instant::now() }
    }

    /// The time since the start of the server.
    pub(crate) fn now(&self) -> Duration {
        self.origin.elapsed()
    }
}
