//! Connections and datagrams: how a session reaches its target, secures the connection and closes it.
//!
//! Everything that can be decided before the run (names resolved, stores opened, keys loaded, sockets bound) is decided
//! here before the run and fails with a message. During a run only a [`Failure`] is possible, which is counted. This
//! module does not depend on a protocol above TLS and UDP, except for [`link`], which must read the sender from a
//! DHCPv4 message.

pub mod allowed;
pub mod backoff;
mod bind;
pub mod carrier;
pub mod checksum;
mod direct;
mod failure;
pub mod fence;
pub(crate) mod hub;
pub mod interface;
pub mod keystore;
pub mod link;
mod mmsg;
mod overflow;
pub mod ports;
pub mod privilege;
mod public;
pub mod queue;
pub mod resolve;
pub mod source;
mod stamp;
pub mod stream;
pub mod targets;
pub mod tcp;
pub mod tls;
pub mod udp;
pub mod unix;
#[cfg(test)]
pub(crate) mod wire;

pub use failure::Failure;
pub(crate) use failure::{class_of_connecting, class_of_sending};
pub use mmsg::BATCH;
