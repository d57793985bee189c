//! A [`Trial`]: generates the load of a search.
//!
//! The search decides what to try, an [`Order`]; the trial makes an engine run of it, passes on each second, and ends
//! the run when the search decides it. So a search works in the same way with a real target and with a simulated one in
//! virtual time. It must not know how load is generated.

use crate::measured::Measured;
use crate::order::Order;
use crate::progress::Progress;
use crate::second::Second;
use crate::step::Step;
use brunt_record::Record;
use std::ops::ControlFlow;

/// Generates the load that the search requests.
pub trait Trial {
    /// Carries out one step as an engine run of its own, never with the exchanges of an earlier one.
    ///
    /// It stays idle for [`Order::idle`], warms up for [`Order::warm_up`], and then gives each second of the steady
    /// phase to `judge` as soon as it is complete. It ends the run on `Break`, or after [`Order::seconds`] at the
    /// latest.
    fn step(&mut self, order: &Order, judge: &mut dyn FnMut(&Second) -> ControlFlow<()>)
    -> Outcome;

    /// Receives the result of each step, for the progress view.
    fn judged(&mut self, _step: &Step, _progress: &Progress) {}
}

/// The outcome of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// How long it took in total, in seconds, including idle time, warm-up and drain.
    pub took_s: f64,
    /// What was measured in the steady phase.
    pub measured: Measured,
    /// The record of the run, if there is one.
    pub record: Option<Box<Record>>,
    /// How it ended.
    pub ending: Ending,
}

/// How a step ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// As it was ordered, or on `Break`.
    #[default]
    Done,
    /// A signal ended it: the search ends here.
    Interrupted,
    /// No session could be opened.
    Unreachable(String),
    /// A protection applies, with the reason: accounts lock, or a write was refused. The search must end here.
    Protected(String),
}
