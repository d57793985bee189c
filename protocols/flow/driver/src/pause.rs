//! [`Pause`]: the time between two steps of a user.

use brunt_exchange::ThinkTime;

/// A pause between two steps.
#[derive(Clone, Debug)]
pub struct Pause {
    /// Its duration.
    pub time: ThinkTime,
    /// The name under which it is counted, if a table shows pauses.
    pub name: String,
}
