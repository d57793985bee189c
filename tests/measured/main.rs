//! Tests about time itself, in real time: the pace, the cost, what a pause does to figures and verdicts. They run last,
//! and each runs alone.
//!
//! Each says why it cannot be virtual, and is inconclusive where the noise of the machine forbids a statement
//! ([`brunt_testbed::measured`]). What can be shown by counts or by the order of events is not tested here.

mod compared;
mod drawing;
mod find_max;
mod pace;
mod recomputed;
mod resolver;
mod stall;
mod stopped;
mod thread_groups;
mod truths;
mod verdict;
