//! [`Memory`]: servers in this process, which connections reach without a socket, for runs in virtual time.
//!
//! The kernel delivers what is sent over a socket when it likes, and the runtime learns of it when it waits. A stream
//! in memory wakes the task at its other end at once, so there is no other order than that of the tasks.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::DuplexStream;

/// How many octets are on their way at most.
const CAPACITY: usize = 64 << 10;

/// Takes a connection to an address; whether there is a server.
type Accept = dyn Fn(SocketAddr, DuplexStream) -> bool + Send + Sync;

/// The servers of this process, which connections reach by their addresses.
#[derive(Clone)]
pub struct Memory(Arc<Accept>);

impl Memory {
    /// Servers that take connections by this function, on the thread and in the runtime of the client. It returns
    /// whether there is a server.
    pub fn new(accept: impl Fn(SocketAddr, DuplexStream) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(accept))
    }

    /// Connects to a server, if there is one.
    pub(super) fn connect(&self, to: SocketAddr) -> Option<DuplexStream> {
        let (client, server) = tokio::io::duplex(CAPACITY);
        (self.0)(to, server).then_some(client)
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}
