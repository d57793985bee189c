//! The protocol of the name service cache daemon of the GNU C library: one request and one reply for each connection.
//!
//! Numbers have 32 bits in the byte order of the machine, texts end with a zero byte that their lengths include. The
//! layout is that of `nscd-client.h` of glibc 2.36 and was compared with what its daemon sends. Requesting the file in
//! shared memory, with which the C library avoids most requests, is not supported.

mod reply;
mod request;

pub use reply::{Gids, Reply, scan};
pub use request::{KEY_MAX, Request};

/// The version of the protocol.
pub const VERSION: u32 = 2;
