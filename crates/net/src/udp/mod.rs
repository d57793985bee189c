//! The UDP [`Socket`] of a worker: datagrams in batches, large buffers, and a count of the datagrams that it lost
//! itself.
//!
//! It is opened before the run, where a failure can be explained, and [registered](Bound::register) with the runtime of
//! the worker that will own it. A load generator that loses replies in its own receive buffer blames the server for its
//! own losses, so the buffer is as large as this process is allowed, and every datagram that the kernel drops is
//! counted. It must not depend on the content of a datagram.

mod errors;
mod kernel;
#[cfg(feature = "memory")]
mod memory;

use self::kernel::{BoundSocket, KernelSocket};
#[cfg(feature = "memory")]
use self::memory::MemorySocket;
use super::carrier::{Carrier, Inbox, OutgoingDatagram};
use super::mmsg::BATCH;
use super::network::Network;
use super::privilege;
use brunt_exchange::Clock;
use nix::sys::socket::{setsockopt, sockopt};
use std::io;
use std::net::SocketAddr;

/// The default size of the receive buffer: one second of replies at 30,000 per second, as the kernel accounts for them.
pub const RECEIVE_BUFFER: usize = 8 << 20;

/// How ICMP messages about sent datagrams are handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Icmp {
    /// The socket does not receive them.
    #[default]
    Ignored,
    /// Those that report an unreachable port are counted.
    Counted,
}

/// How a socket is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// The server. Each datagram has its own address; this one is passed to the address policy, so that a run whose
    /// server is not allowed is refused before it begins, and not one datagram after another.
    pub server: SocketAddr,
    /// The address that replies are sent to. With port 0, the kernel chooses the port.
    pub local: SocketAddr,
    /// The interface for sent and received datagrams, if it is fixed.
    pub device: Option<String>,
    /// Whether datagrams may go to a broadcast address.
    pub broadcast: bool,
    /// The index of the interface that multicast leaves by, with a hop limit of one.
    pub multicast: Option<u32>,
    /// Room for datagrams that have not been read yet, in bytes.
    pub receive_buffer: usize,
    /// Room for datagrams that have not been sent yet, in bytes; 0 keeps the system's default.
    pub send_buffer: usize,
    /// Whether the kernel's stamps are the times of arrival. If no other socket of the host has stamps, the kernel
    /// needs some milliseconds to begin, and datagrams that arrive meanwhile are stamped when they are taken. If this
    /// is false, stamps are kept for callers that request them ([`Inbox::stamp`]).
    pub kernel_stamps: bool,
    /// How ICMP messages about sent datagrams are handled.
    pub icmp: Icmp,
    /// How many datagrams a system call carries at most, 1 to [`BATCH`]; with 1, `sendto(2)` sends.
    pub batch: usize,
}

impl Options {
    /// The default options for a socket at `local` that sends to `server`.
    pub const fn new(server: SocketAddr, local: SocketAddr) -> Self {
        Self {
            server,
            local,
            device: None,
            broadcast: false,
            multicast: None,
            receive_buffer: RECEIVE_BUFFER,
            send_buffer: 0,
            kernel_stamps: false,
            icmp: Icmp::Ignored,
            batch: BATCH,
        }
    }
}

/// Why a socket could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A port below 1024, or an interface, that this process may not use.
    #[error("open a UDP socket at {local}: {error}; {}", privilege::remedy())]
    Permission {
        /// The requested address.
        local: SocketAddr,
        /// The system's error.
        error: io::Error,
    },
    /// Another socket has the address.
    #[error(
        "open a UDP socket at {0}: the address is in use; a DHCP server or relay on this host, or another run, may \
         have it (ss -lunp shows who)"
    )]
    InUse(SocketAddr),
    /// This host does not have the address.
    #[error(
        "open a UDP socket at {0}: this host has no such address (a link-local one needs its interface)"
    )]
    NotOurs(SocketAddr),
    /// There is no such interface.
    #[error("open a UDP socket at {0}: there is no interface '{1}'")]
    NoDevice(SocketAddr, String),
    /// Anything else.
    #[error("open a UDP socket at {local}: {error}")]
    Other {
        /// The requested address.
        local: SocketAddr,
        /// The system's error.
        error: io::Error,
    },
}

/// A socket that is open and not registered with a runtime yet.
#[derive(Debug)]
pub enum Bound {
    /// One of this machine.
    Kernel(BoundSocket),
    /// One that leads to servers in this process.
    #[cfg(feature = "memory")]
    Memory(MemorySocket),
}

/// A socket of a worker.
pub enum Socket {
    /// One of this machine.
    Kernel(KernelSocket),
    /// One that leads to servers in this process.
    #[cfg(feature = "memory")]
    Memory(MemorySocket),
}

impl Bound {
    /// Opens a socket, and reports its server to the address policy. Therefore a run opens its sockets before it
    /// begins.
    pub fn open(network: &Network, options: &Options) -> Result<Self, OpenError> {
        network.address_policy().expect(&[options.server]);
        #[cfg(feature = "memory")]
        if let Some(memory) = network.memory() {
            return Ok(Self::Memory(MemorySocket::new(memory, network, options)));
        }
        BoundSocket::open(network, options).map(Self::Kernel)
    }

    /// The address that replies are sent to.
    pub const fn local_addr(&self) -> SocketAddr {
        match self {
            Self::Kernel(bound) => bound.local_addr(),
            #[cfg(feature = "memory")]
            Self::Memory(socket) => socket.local(),
        }
    }

    /// Registers the socket with the runtime of this thread.
    pub fn register(self) -> io::Result<Socket> {
        match self {
            Self::Kernel(bound) => bound.register().map(Socket::Kernel),
            #[cfg(feature = "memory")]
            Self::Memory(socket) => Ok(Socket::Memory(socket)),
        }
    }
}

#[cfg(test)]
impl Socket {
    fn kernel(&self) -> &KernelSocket {
        match self {
            Self::Kernel(socket) => socket,
            #[cfg(feature = "memory")]
            Self::Memory(_) => panic!("a network of these tests leads to other machines"),
        }
    }
}

impl Carrier for Socket {
    fn try_send<'a>(
        &self,
        datagrams: impl Iterator<Item = OutgoingDatagram<'a>>,
    ) -> io::Result<usize> {
        match self {
            Self::Kernel(socket) => socket.try_send(datagrams),
            #[cfg(feature = "memory")]
            Self::Memory(socket) => socket.try_send(datagrams),
        }
    }

    async fn writable(&self) -> io::Result<()> {
        match self {
            Self::Kernel(socket) => socket.writable().await,
            #[cfg(feature = "memory")]
            Self::Memory(socket) => socket.writable().await,
        }
    }

    async fn receive(&self, inbox: &mut Inbox, clock: &dyn Clock) -> io::Result<()> {
        match self {
            Self::Kernel(socket) => socket.receive(inbox, clock).await,
            #[cfg(feature = "memory")]
            Self::Memory(socket) => socket.receive(inbox, clock).await,
        }
    }

    fn try_receive(&self, inbox: &mut Inbox, clock: &dyn Clock) -> io::Result<()> {
        match self {
            Self::Kernel(socket) => socket.try_receive(inbox, clock),
            #[cfg(feature = "memory")]
            Self::Memory(socket) => socket.try_receive(inbox, clock),
        }
    }

    fn unreachable(&self) -> u64 {
        match self {
            Self::Kernel(socket) => socket.unreachable(),
            #[cfg(feature = "memory")]
            Self::Memory(socket) => socket.unreachable(),
        }
    }

    fn overflowed(&self) -> u64 {
        match self {
            Self::Kernel(socket) => socket.overflowed(),
            #[cfg(feature = "memory")]
            Self::Memory(socket) => socket.overflowed(),
        }
    }

    fn local_addr(&self) -> SocketAddr {
        match self {
            Self::Kernel(socket) => socket.local_addr(),
            #[cfg(feature = "memory")]
            Self::Memory(socket) => socket.local(),
        }
    }
}

impl OpenError {
    fn of_option(options: &Options, error: io::Error) -> Self {
        let local = options.local;
        match (error.raw_os_error(), &options.device) {
            (Some(libc::EPERM | libc::EACCES), _) => Self::Permission { local, error },
            (Some(libc::ENODEV), Some(device)) => Self::NoDevice(local, device.clone()),
            _ => Self::Other { local, error },
        }
    }

    fn of_bind(local: SocketAddr, error: io::Error) -> Self {
        match error.raw_os_error() {
            Some(libc::EPERM | libc::EACCES) => Self::Permission { local, error },
            Some(libc::EADDRINUSE) => Self::InUse(local),
            Some(libc::EADDRNOTAVAIL) => Self::NotOurs(local),
            _ => Self::Other { local, error },
        }
    }
}

/// Requests buffers beyond the system's limit for all processes, and uses the limit if that is refused.
pub fn size_buffers(socket: &socket2::Socket, receive: usize, send: usize) -> io::Result<()> {
    if receive > 0 && setsockopt(socket, sockopt::RcvBufForce, &receive).is_err() {
        socket.set_recv_buffer_size(receive)?;
    }
    if send > 0 && setsockopt(socket, sockopt::SndBufForce, &send).is_err() {
        socket.set_send_buffer_size(send)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
