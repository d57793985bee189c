//! [`SearchObserver`]: the receiver of a search's progress: a terminal, or a file that a website reads.

use brunt_capacity::{Goals, Order, Progress, Settings, Step};
use brunt_record::Interval;
use brunt_run::Subject;

/// Receives the progress of a search. The search does not depend on what the receiver does with it.
pub(super) trait SearchObserver {
    /// The search starts, for these objectives and within these limits.
    fn opens(&mut self, subject: &Subject, goals: &Goals, settings: &Settings);

    /// A step begins.
    fn begins(&mut self, order: &Order);

    /// A second of the step is over; `seconds` of `of` were before it.
    fn second(&mut self, interval: &Interval, seconds: u32, of: u32);

    /// A step is over.
    fn judged(&mut self, step: &Step, progress: &Progress);

    /// The search is over.
    fn closes(&mut self);
}
