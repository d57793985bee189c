//! DHCPv4 clients: DORA and what follows it, spoken by a relay agent or by the clients themselves.
//!
//! A [`Setup`] says what is wanted, a [`Plan`] is what was made of it and holds every packet ready
//! but for a few fields, and a [`Client`] plays one exchange. Whatever can be wrong with packets is
//! found out when the plan is made, so a run meets no such mistake.

mod backoff;
mod client;
mod error;
mod lease;
mod plan;
mod recipe;
mod setup;
mod template;
#[cfg(test)]
mod tests;
mod varied;

pub use client::Client;
pub use error::SetupError;
pub use lease::Lease;
pub use plan::Plan;
pub use setup::{Retransmission, Role, Setup};
pub use varied::VariedOption;
