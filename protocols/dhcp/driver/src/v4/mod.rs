//! DHCPv4 clients: DORA and the later exchanges, performed through a relay agent or by the clients
//! directly.
//!
//! A [`Setup`] contains the settings. A [`Plan`] is compiled from it and contains every packet,
//! complete except for a few fields. A [`Client`] performs one exchange. All possible faults of
//! packets are found when the plan is compiled, so none can occur during a run.

mod client;
mod error;
mod lease;
mod plan;
mod recipe;
mod setup;
mod template;
#[cfg(test)]
mod tests;

pub use client::Client;
pub use error::SetupError;
pub use lease::Lease;
pub use plan::Plan;
pub use recipe::VariedOption;
pub use setup::{Retransmission, Role, Setup};
