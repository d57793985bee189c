//! What the targets over TCP share: listening sockets, worker threads, byte streams and certificates.
//!
//! One thread accepts connections and assigns them to the workers in turn. The protocol spoken on them is the target's.

pub(crate) mod accepted;
pub(crate) mod listener;
pub(crate) mod server;
pub(crate) mod stream;
pub(crate) mod tls;
