//! The clock of an embedded server: shared by its threads, counted from its start.

use std::time::{Duration, Instant};

/// The clock of a server, counted from its start.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Instant,
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "a target has a clock of its own")]
    /// A clock that begins now.
    pub fn new() -> Self {
        Self { origin: Instant::now() }
    }

    /// The time since the start of the server.
    pub fn now(&self) -> Duration {
        self.origin.elapsed()
    }
}
