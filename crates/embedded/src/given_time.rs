//! [`GivenTime`]: time that whoever drives a server in memory gives it, such as that of a run in virtual time.

use std::fmt::Debug;
use std::pin::Pin;
use std::time::Duration;

/// A wait for a moment.
pub type Wait = Pin<Box<dyn Future<Output = ()>>>;

/// Time that is given to a server, counted from its start.
pub trait GivenTime: Debug + Send + Sync {
    /// What time it is.
    fn now(&self) -> Duration;

    /// Waits until then.
    fn until(&self, at: Duration) -> Wait;
}
