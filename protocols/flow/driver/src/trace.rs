//! [`Trace`]: complete exchanges of a flow, for finding faults in a plan.
//!
//! For each exchange, a user determines once whether it is traced. The description of the request is then made from the
//! plan and the variables, that of the answer from the answer, and every check is evaluated again, so that all results
//! are shown and not only the first failure. Secrets are replaced by stars here, where it is known which values are
//! secret; the code that displays the text must ensure that it cannot act on a terminal. A flow without a trace does
//! none of this work.

mod bytes;
mod exchange;
mod request;

pub use bytes::Bytes;
pub(super) use exchange::{Answered, Performed, answer_in_lines};
pub use exchange::{Kept, KeptValue, Looked, TracedAnswer, TracedExchange, TracedHop};
pub use request::TracedRequest;
pub(super) use request::{SentByPage, in_lines};

use std::sync::atomic::{AtomicUsize, Ordering};

/// The function that receives an exchange to show.
type Show = Box<dyn Fn(TracedExchange) + Send + Sync>;

/// Which exchanges of a run are shown, and where.
pub struct Trace {
    every: bool,
    left: AtomicUsize,
    show: Show,
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trace")
            .field("every", &self.every)
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}

impl Trace {
    /// Shows every exchange, including skipped steps.
    pub fn every(show: impl Fn(TracedExchange) + Send + Sync + 'static) -> Self {
        Self { every: true, left: AtomicUsize::new(usize::MAX), show: Box::new(show) }
    }

    /// Shows the first exchanges of the run that failed, up to this number.
    pub fn failed(most: usize, show: impl Fn(TracedExchange) + Send + Sync + 'static) -> Self {
        Self { every: false, left: AtomicUsize::new(most), show: Box::new(show) }
    }

    /// Whether an exchange that begins may be shown.
    pub(super) fn wants(&self) -> bool {
        self.left.load(Ordering::Relaxed) > 0
    }

    /// Whether successful exchanges are shown as well.
    pub(super) fn wants_every(&self) -> bool {
        self.every
    }

    /// Shows an exchange, if the maximum number has not been reached.
    pub(super) fn show(&self, exchange: impl FnOnce() -> TracedExchange) {
        let taken =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| match left {
                0 => None,
                usize::MAX => Some(left),
                left => Some(left - 1),
            });
        if taken.is_ok() {
            (self.show)(exchange());
        }
    }
}
