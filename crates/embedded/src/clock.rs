//! The clock of an embedded server: shared by its threads, counted from its start.

use std::time::{Duration, Instant};

#[cfg(feature = "memory")]
use crate::given_time::GivenTime;
#[cfg(feature = "memory")]
use std::sync::Arc;

/// The clock of a server, counted from its start. Clones are the same clock.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    /// The machine's, from this moment.
    Machine(Instant),
    /// That of whoever drives the server.
    #[cfg(feature = "memory")]
    Given(Arc<dyn GivenTime>),
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
        Self(Source::Machine(Instant::now()))
    }

    /// A clock that shows this time.
    #[cfg(feature = "memory")]
    pub fn given(time: Arc<dyn GivenTime>) -> Self {
        Self(Source::Given(time))
    }

    /// The time since the start of the server.
    pub fn now(&self) -> Duration {
        match &self.0 {
            Source::Machine(origin) => origin.elapsed(),
            #[cfg(feature = "memory")]
            Source::Given(time) => time.now(),
        }
    }

    /// The time that it shows instead of the machine's.
    #[cfg(feature = "memory")]
    pub(crate) fn given_time(&self) -> Option<&Arc<dyn GivenTime>> {
        match &self.0 {
            Source::Machine(_) => None,
            Source::Given(time) => Some(time),
        }
    }
}
