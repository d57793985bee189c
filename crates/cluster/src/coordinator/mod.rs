//! A coordinator's side: who takes part, how far each is, and what is wished of all ([`Coordinator`]).
//!
//! Nothing here has a clock or a socket, nor reads what agents' runs tell: whoever drives a coordinator hands over what
//! came, and says what time it is.

mod clocks;
mod machine;
mod node;
#[cfg(test)]
mod tests;
mod told;
mod weights;

pub use clocks::Clocks;
pub use machine::{Asked, Coordinator, START_AFTER};
pub use node::Standing;
pub use told::{OnLoss, Told};
pub use weights::Weights;
