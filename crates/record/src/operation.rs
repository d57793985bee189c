//! What was measured of one operation: its counts, its codes and its two latencies.

use crate::{Codes, Counts, Histogram};
use brunt_exchange::{Class, Outcome, Stamps};
use std::time::Duration;

/// The measurements of one operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Operation {
    /// How many exchanges met which end. What was dropped belongs to no operation: an interval
    /// counts it.
    pub counts: Counts,
    /// The same, by code.
    pub codes: Codes,
    /// Ended − due, of every exchange that was not cut off.
    pub response: Histogram,
    /// Ended − sent, of every exchange that was sent and not cut off.
    pub service: Histogram,
}

impl Operation {
    /// An operation of which nothing is known yet.
    pub fn new() -> Self {
        Self {
            counts: Counts::default(),
            codes: Codes::new(),
            response: Histogram::new(),
            service: Histogram::new(),
        }
    }

    /// Records one exchange.
    ///
    /// An exchange cut off has no response time, only a lower bound of one, so it is counted and
    /// not timed, and neither is one that was skipped. One that failed before its request could
    /// leave has kept a user waiting but no target busy: it has a response time and no service
    /// time.
    #[inline]
    pub fn record(&mut self, outcome: Outcome, stamps: &Stamps, items: u64) {
        self.counts.record(outcome);
        self.counts.items += items;
        self.codes.record(outcome);
        if !timed(outcome) {
            return;
        }
        self.response.record(stamps.response());
        if left(outcome) {
            self.service.record(stamps.service());
        }
    }

    /// Records one exchange that ended before its request could leave, whatever the reason: it has
    /// no service time.
    pub fn record_unsent(&mut self, outcome: Outcome, response: Duration, items: u64) {
        self.counts.record(outcome);
        self.counts.items += items;
        self.codes.record(outcome);
        if timed(outcome) {
            self.response.record(response);
        }
    }

    /// Adds what another measured.
    pub fn merge(&mut self, other: &Self) {
        self.counts.merge(&other.counts);
        self.codes.merge(&other.codes);
        self.response.merge(&other.response);
        self.service.merge(&other.service);
    }

    /// Forgets everything but keeps its memory.
    pub fn reset(&mut self) {
        self.counts = Counts::default();
        self.codes.reset();
        self.response.reset();
        self.service.reset();
    }
}

/// Whether an exchange with this outcome kept a user waiting for a time that is known.
fn timed(outcome: Outcome) -> bool {
    !matches!(outcome, Outcome::CutOff | Outcome::Skipped)
}

/// Whether an exchange with this outcome had a request on its way.
pub(crate) fn left(outcome: Outcome) -> bool {
    !matches!(
        outcome,
        Outcome::Skipped
            | Outcome::Failed(
                Class::Connect | Class::Tls | Class::Login | Class::Ports | Class::Descriptors,
                _
            )
    )
}
