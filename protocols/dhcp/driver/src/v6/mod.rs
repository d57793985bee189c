//! DHCPv6 clients (RFC 8415): two- and four-message exchanges, and the later exchanges of a lease.
//!
//! A [`Setup`] contains the settings; [`Plan::compile`] checks it once and turns every message into a sequence of
//! pieces, so that a [`Client`] only copies bytes and fills in the fields that differ between exchanges. A client takes
//! the first server that offers what it wants, as perfdhcp does, and not the server with the highest preference:
//! waiting for other offers would measure the client's waiting time instead of the server. It must not depend on a
//! socket or a clock.

mod client;
mod identity;
mod layout;
mod lease;
mod offer;
mod plan;
mod retransmission;
mod setup;
mod template;

pub use client::Client;
pub use lease::Lease;
pub use plan::Plan;
pub use setup::{BaseDuid, Relay, Setup, SetupError, VariedOption, Wanted};
pub use template::TemplateError;

#[cfg(test)]
mod tests;
