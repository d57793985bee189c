//! [`Drain`]: how long a run continues once nothing more is due.
//!
//! A run that ends by itself may wait as long as its exchanges need. One that is stopped may have less time from that
//! moment, even if it was waiting already. It must not know what is waited for.

use brunt_exchange::Moment;
use std::time::Duration;

/// The limits of the time after the last exchange was due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drain {
    pub(crate) whole: Duration,
    /// The limit from the moment at which the run was stopped, if there is one for that.
    pub(crate) stopped: Option<Duration>,
}

impl Drain {
    /// When the wait is over, of a run in which nothing was due after `over` and that was stopped at `stopped`.
    pub(crate) fn ends(self, over: Moment, stopped: Option<Moment>) -> Moment {
        let whole = over + self.whole;
        match (stopped, self.stopped) {
            (Some(at), Some(most)) => whole.min(at + most),
            _ => whole,
        }
    }
}
