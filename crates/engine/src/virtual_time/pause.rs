//! [`Pause`]: a time in which a virtual machine runs nothing of a generator, and why.

use brunt_exchange::Moment;
use std::time::Duration;

/// What keeps a generator from running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PauseCause {
    /// The process is stopped, or its machine is.
    Stopped,
    /// The quota of its control group is used up.
    Throttled,
    /// The host of the virtual machine has taken its core.
    Stolen,
    /// Another process has its core.
    Occupied,
}

/// A time in which nothing of the generator runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// When it begins.
    pub from: Moment,
    /// When it ends.
    pub to: Moment,
    /// Why.
    pub cause: PauseCause,
}

impl Pause {
    /// How much of it is between two moments.
    pub(super) fn within(&self, from: Moment, to: Moment) -> Duration {
        self.to.min(to) - self.from.max(from)
    }

    /// Whether it holds up what happens at this moment.
    pub(super) fn holds_up(&self, at: Moment) -> bool {
        self.from <= at && at < self.to
    }
}
