//! What the targets over TCP share: listening sockets, worker threads, byte streams and certificates.
//!
//! One thread accepts connections and assigns them to the workers in turn. The protocol spoken on them is the target's.

pub mod accepted;
pub mod listener;
pub mod server;
pub mod socket;
pub mod stream;
pub mod tls;
