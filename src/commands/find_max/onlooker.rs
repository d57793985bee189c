//! [`Onlooker`]: whoever is told how a search goes: a terminal, or a file that a website reads.

use brunt_capacity::{Goals, Order, Progress, Settings, Step};
use brunt_record::Interval;

use crate::run::Subject;

/// Whoever is told how a search goes. What it does with that is no business of the search.
pub(super) trait Onlooker {
    /// What is searched for, within which limits.
    fn opens(&mut self, subject: &Subject, goals: &Goals, settings: &Settings);

    /// A step begins.
    fn begins(&mut self, order: &Order);

    /// A second of it is over; `seconds` of `of` were before it.
    fn second(&mut self, interval: &Interval, seconds: u32, of: u32);

    /// A step is over.
    fn judged(&mut self, step: &Step, progress: &Progress);

    /// The search is over.
    fn closes(&mut self);
}
