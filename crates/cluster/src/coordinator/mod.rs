//! A coordinator's side: which agents take part, how far each has progressed, and the wish for all of them
//! ([`Coordinator`]).
//!
//! Nothing here has a clock or a socket, or reads the events of agents' runs: the driver of a coordinator passes in
//! received messages and the current time.

mod clocks;
mod event;
mod machine;
mod node;
#[cfg(test)]
mod tests;
mod weights;

pub use clocks::Clocks;
pub use event::{CoordinatorEvent, OnLoss};
pub use machine::{ClusterRun, Coordinator, START_AFTER};
pub use node::AgentSummary;
pub use weights::Weights;
