//! Causes of trouble in a run of brunt, arranged for real, and the verdict that brunt should give for each.
//!
//! The table of causes exists once: the bench tries each several times and counts, and brunt's own tests try each once
//! and check more. This crate sees brunt as a user does: a program, its record, its exit code. It does not depend on
//! how a verdict is reached.

#![expect(
    clippy::missing_panics_doc,
    reason = "what cannot be arranged is reported; what must not happen is a panic"
)]

mod cause;
mod causes;
mod observation;
mod place;
mod quota;
mod server;
mod trial;
mod worker;

pub use cause::{Action, Cause, Class, Condition, Expected, Objective, Server, Tool};
pub use causes::CAUSES;
pub use observation::{Finding, Machine, Observation, ObservedReason};
pub use trial::{ActionTimes, Tried, trial};
