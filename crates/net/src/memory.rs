//! [`Memory`]: servers in this process, which connections and datagrams reach without a socket, for runs in virtual
//! time.
//!
//! The kernel delivers what is sent over a socket when it likes, and the runtime learns of it when it waits. A stream
//! or a queue in memory wakes the task at its other end at once, so there is no other order than that of the tasks.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::DuplexStream;
use tokio::sync::mpsc::UnboundedSender;

/// How many octets are on their way at most.
const CAPACITY: usize = 64 << 10;

/// Takes a connection to an address; whether there is a server.
type Accept = dyn Fn(SocketAddr, DuplexStream) -> bool + Send + Sync;
/// Takes a datagram; whether there is a server at the address that it was sent to.
type Deliver = dyn Fn(Sent) -> bool + Send + Sync;

/// The servers of this process, which connections and datagrams reach by their addresses.
#[derive(Clone)]
pub struct Memory {
    accept: Arc<Accept>,
    deliver: Arc<Deliver>,
}

/// A datagram that was sent.
#[derive(Debug)]
pub struct Sent {
    /// The address of the sender.
    pub from: SocketAddr,
    /// The address of the server.
    pub to: SocketAddr,
    /// Its content.
    pub bytes: Vec<u8>,
    /// The way back to the sender.
    pub answers: Answers,
}

/// The way back to a socket in memory.
#[derive(Clone, Debug)]
pub struct Answers(pub(super) UnboundedSender<(SocketAddr, Vec<u8>)>);

impl Answers {
    /// Sends a datagram from an address. It is lost if the socket is closed.
    pub fn send(&self, from: SocketAddr, bytes: Vec<u8>) {
        let _ = self.0.send((from, bytes));
    }
}

impl Memory {
    /// Servers that take connections by this function, on the thread and in the runtime of the client. It returns
    /// whether there is a server.
    pub fn new(accept: impl Fn(SocketAddr, DuplexStream) -> bool + Send + Sync + 'static) -> Self {
        Self { accept: Arc::new(accept), deliver: Arc::new(|_| false) }
    }

    /// The same, with servers that take datagrams by this function, likewise.
    #[must_use]
    pub fn with_datagrams(self, deliver: impl Fn(Sent) -> bool + Send + Sync + 'static) -> Self {
        Self { deliver: Arc::new(deliver), ..self }
    }

    /// Connects to a server, if there is one.
    pub(super) fn connect(&self, to: SocketAddr) -> Option<DuplexStream> {
        let (client, server) = tokio::io::duplex(CAPACITY);
        (self.accept)(to, server).then_some(client)
    }

    /// Hands a datagram to its server, if there is one.
    pub(super) fn deliver(&self, datagram: Sent) -> bool {
        (self.deliver)(datagram)
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}
