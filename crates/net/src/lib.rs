//! Connections and datagrams: how a session reaches its target, secures the connection and closes it.
//!
//! Every one of them is made through the [`Network`] of its run: which addresses it may reach, and how it is marked.
//! Everything that can be decided before the run (names resolved, stores opened, keys loaded, sockets bound) is decided
//! here before the run and fails with a message. During a run only a [`Failure`] is possible, which is counted. This
//! crate does not depend on a protocol above TLS and UDP.

pub mod address_policy;
pub mod allowed;
pub mod backoff;
mod bind;
pub mod carrier;
pub mod certificate;
pub mod chance;
pub mod checksum;
mod close;
mod counters;
mod direct;
pub mod dscp;
mod failure;
mod free_port;
pub mod hub;
pub mod interface;
pub mod kept;
pub mod keystore;
#[cfg(feature = "memory")]
pub mod memory;
pub mod mmsg;
pub mod network;
pub mod opening;
pub mod overflow;
pub mod ports;
pub mod privilege;
mod public;
pub mod queue;
pub mod resend;
pub mod resolve;
pub mod secret;
pub mod source;
pub mod stamp;
pub mod stream;
pub mod targets;
pub mod tcp;
pub mod tls;
pub mod udp;
pub mod unix;
pub mod wire;
mod within;

pub use failure::{Failure, class_of_connecting, class_of_sending, number_of_sending};
pub use free_port::free_port;
pub use mmsg::BATCH;
pub use network::Network;
pub use within::within;
