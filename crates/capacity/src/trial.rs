//! What a search needs of the world: somebody who makes load, a [`Trial`].
//!
//! The search says what to try, an [`Order`]; the trial makes an engine run of it, hands over each second, and ends
//! the run when it is told to. So a search runs against a real target and against a simulated one in virtual time
//! alike. It must not know how load is made.

use crate::measured::Measured;
use crate::order::Order;
use crate::progress::Progress;
use crate::second::Second;
use crate::step::Step;
use brunt_record::Record;
use std::ops::ControlFlow;

/// Makes load as it is ordered to.
pub trait Trial {
    /// Carries out one step as an engine run of its own, never with the exchanges of an earlier one.
    ///
    /// It stays idle for [`Order::idle`], warms up for [`Order::warm_up`], and then gives each second of the steady
    /// phase to `judge` as it is complete. On `Break` it ends the run; at the latest after [`Order::seconds`].
    fn step(&mut self, order: &Order, judge: &mut dyn FnMut(&Second) -> ControlFlow<()>)
    -> Outcome;

    /// Is told what became of each step, for whoever looks on.
    fn judged(&mut self, _step: &Step, _progress: &Progress) {}
}

/// What became of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// How long it took in whole, in seconds: idle, warm-up and drain with it.
    pub took_s: f64,
    /// What was measured in the steady phase.
    pub measured: Measured,
    /// The record of the run, where there is one.
    pub record: Option<Box<Record>>,
    /// How it ended.
    pub ending: Ending,
}

/// How a step ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// As it was ordered, or as the judge said.
    #[default]
    Done,
    /// A signal: the search ends here.
    Interrupted,
    /// No session could be opened.
    Unreachable(String),
    /// A protection: the search must end here, and why. Accounts lock, or a write was refused.
    Protected(String),
}
