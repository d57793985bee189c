//! How clients of DHCP for IPv6 talk (RFC 8415): two and four way exchanges, and the rest of a lease's life.
//!
//! A [`Setup`] says what is wanted; [`Plan::compile`] checks it once and turns every message into a
//! sequence of pieces, so that a [`Client`] only copies bytes and fills in what differs from one
//! exchange to the next. The first server that offers what is wanted is taken, as the old tool does,
//! and not the one with the highest preference: waiting for others would measure our own patience.
//! It must not know a socket or a clock.

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
