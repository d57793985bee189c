//! Connections and datagrams: how a session reaches its target, secures the way there and leaves.
//!
//! Everything that can be decided before the run (names resolved, stores opened, keys loaded, sockets
//! bound) is decided here before the run and fails with words. Inside a run only a [`Failure`] is
//! left, which is counted. Nothing here knows a protocol above TLS and UDP but [`link`], which has to
//! see in a DHCPv4 message who speaks.

pub mod allowed;
pub mod backoff;
mod bind;
pub mod carrier;
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
pub(crate) use failure::class_of_connecting;
pub use mmsg::BATCH;
