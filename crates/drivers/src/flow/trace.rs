//! [`Trace`]: exchanges of a flow in full, for somebody who looks for what is wrong with a plan.
//!
//! A user asks once an exchange whether it is traced. What it sent is then told from the plan and the variables, what
//! came back from the answer, and every check is asked again, so that all of them are seen and not the first that
//! failed alone. Secrets are starred here, where values are known to be secrets; that nothing acts on a terminal is
//! the business of whoever shows it. A flow without a trace makes none of this.

mod bytes;
mod exchange;
mod request;

pub use bytes::Bytes;
pub(super) use exchange::{Answered, Performed};
pub use exchange::{Kept, KeptValue, Looked, TracedAnswer, TracedExchange, TracedHop};
pub use request::TracedRequest;

use std::sync::atomic::{AtomicUsize, Ordering};

/// Whom an exchange is shown.
type Show = Box<dyn Fn(TracedExchange) + Send + Sync>;

/// Where exchanges of a run are told of.
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
    /// Shows every exchange, steps that were skipped included.
    pub fn every(show: impl Fn(TracedExchange) + Send + Sync + 'static) -> Self {
        Self { every: true, left: AtomicUsize::new(usize::MAX), show: Box::new(show) }
    }

    /// Shows so many exchanges that failed, the first of the run.
    pub fn failed(most: usize, show: impl Fn(TracedExchange) + Send + Sync + 'static) -> Self {
        Self { every: false, left: AtomicUsize::new(most), show: Box::new(show) }
    }

    /// Whether an exchange that begins may be shown.
    pub(super) fn wants(&self) -> bool {
        self.left.load(Ordering::Relaxed) > 0
    }

    /// Whether exchanges that went well are shown as well.
    pub(super) fn wants_every(&self) -> bool {
        self.every
    }

    /// Shows one, if there is still room for it.
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
