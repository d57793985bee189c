//! What was measured of one operation: its counts, its codes and its two latencies.

use crate::{Codes, Counts, Histogram, Responses};
use brunt_exchange::{Class, Outcome, Stamps};
use std::time::Duration;

/// The measurements of one operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Operation {
    /// How many exchanges ended in which way. A dropped exchange belongs to no operation: an interval counts it.
    pub counts: Counts,
    /// The same counts, by code.
    pub codes: Codes,
    /// Ended − due, of every exchange except those skipped.
    pub response: Responses,
    /// Ended − sent, of every exchange that was sent and ended.
    pub service: Histogram,
    /// How long exchanges that exceeded their time-out had been at the target: the least their service times can be.
    pub service_timed_out: Histogram,
    /// The same of exchanges that were in flight when the run ended.
    pub service_cut_off: Histogram,
    /// How the exchanges ended during which the generator stood still, or for which its machine had no port or
    /// descriptor: the target did not cause these outcomes.
    pub tainted: Counts,
}

/// The part of an exchange's time that the generator caused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// How long it waited for the generator: before it was sent, or with its answer unread.
    pub waited: Duration,
    /// Whether the generator stood still while it was due.
    pub tainted: bool,
}

impl Operation {
    /// An operation without measurements.
    pub fn new() -> Self {
        Self { codes: Codes::new(), ..Self::default() }
    }

    /// Records one exchange.
    ///
    /// An exchange that failed before its request could be sent made a user wait but did not load the target: it has a
    /// response time and no service time. A skipped exchange has neither.
    #[inline]
    pub fn record(&mut self, outcome: Outcome, stamps: &Stamps, items: u64, own: Own) {
        self.count(outcome, items, own);
        self.response.record(outcome, stamps.response(), own.waited);
        match outcome {
            Outcome::TimedOut => self.service_timed_out.record(stamps.service()),
            Outcome::CutOff => self.service_cut_off.record(stamps.service()),
            _ if left(outcome) => self.service.record(stamps.service()),
            _ => {}
        }
    }

    /// Records one exchange that ended before its request could be sent, for any reason: it has no service time.
    pub fn record_unsent(&mut self, outcome: Outcome, response: Duration, items: u64, own: Own) {
        self.count(outcome, items, own);
        self.response.record(outcome, response, own.waited);
    }

    #[inline]
    fn count(&mut self, outcome: Outcome, items: u64, own: Own) {
        self.counts.record(outcome);
        self.counts.items += items;
        self.codes.record(outcome);
        if own.tainted || lacked_something_of_ours(outcome) {
            self.tainted.record(outcome);
        }
    }

    /// Service times of all exchanges that ended by themselves, time-outs included. The tables of the original tools
    /// use these.
    pub fn service_ended(&self) -> Histogram {
        let mut all = self.service.clone();
        all.merge(&self.service_timed_out);
        all
    }

    /// How long exchanges without an answer had been at the target.
    pub fn service_censored(&self) -> Histogram {
        let mut all = self.service_timed_out.clone();
        all.merge(&self.service_cut_off);
        all
    }

    /// Adds the measurements of another.
    pub fn merge(&mut self, other: &Self) {
        self.counts.merge(&other.counts);
        self.codes.merge(&other.codes);
        self.response.merge(&other.response);
        self.service.merge(&other.service);
        self.service_timed_out.merge(&other.service_timed_out);
        self.service_cut_off.merge(&other.service_cut_off);
        self.tainted.merge(&other.tainted);
    }

    /// Clears everything and keeps its memory.
    pub fn reset(&mut self) {
        self.counts = Counts::default();
        self.codes.reset();
        self.response.reset();
        self.service.reset();
        self.service_timed_out.reset();
        self.service_cut_off.reset();
        self.tainted = Counts::default();
    }
}

/// Whether an exchange failed because the generator's own machine lacked something.
fn lacked_something_of_ours(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Failed(class, _) if class.ours())
}

/// Whether the request of an exchange with this outcome was sent.
pub(crate) fn left(outcome: Outcome) -> bool {
    !matches!(
        outcome,
        Outcome::Skipped
            | Outcome::Failed(
                Class::Connect
                    | Class::Tls
                    | Class::Login
                    | Class::Ports
                    | Class::Descriptors
                    | Class::Fenced
                    | Class::Unsent,
                _
            )
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exhausted_ports_and_descriptors_are_faults_of_this_machine() {
        let mut operation = Operation::new();
        for class in [Class::Ports, Class::Descriptors, Class::Fenced, Class::Connect] {
            let outcome = Outcome::Failed(class, 0);
            operation.record_unsent(outcome, Duration::from_millis(1), 0, Own::default());
        }
        assert_eq!((operation.counts.failed, operation.tainted.failed), (4, 3));
    }
}
