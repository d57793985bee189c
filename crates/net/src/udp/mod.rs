//! The UDP [`Socket`] of a worker: datagrams in batches, large buffers, and a count of the datagrams that it lost
//! itself.
//!
//! It is opened before the run, where a failure can be explained, and [registered](Bound::register) with the runtime of
//! the worker that will own it. A load generator that loses replies in its own receive buffer blames the server for its
//! own losses, so the buffer is as large as this process is allowed, its size is reported, and every datagram that the
//! kernel drops is counted. It must not depend on the content of a datagram.

mod errors;

use self::errors::ErrorQueue;
use super::carrier::{Arrived, Carrier, Inbox, OutgoingDatagram};
use super::mmsg::{self, BATCH, Outgoing};
use super::network::Network;
use super::overflow::Overflow;
use super::privilege;
use super::stamp::Translation;
use brunt_exchange::Clock;
use nix::sys::socket::{setsockopt, sockopt};
use rustix::net::sockopt::{
    Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery, set_ip_mtu_discover, set_ipv6_mtu_discover,
};
use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::time::Duration;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// The default size of the receive buffer: one second of replies at 30,000 per second, as the kernel accounts for them.
pub const RECEIVE_BUFFER: usize = 8 << 20;

/// How long to wait on a full buffer if the kernel does not report when there is room again.
const FULL: Duration = Duration::from_millis(1);

/// How ICMP messages about sent datagrams are handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Icmp {
    /// The socket does not receive them.
    #[default]
    Unheard,
    /// Those that report an unreachable port are counted.
    Counted,
}

/// How a socket is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// The server. Each datagram has its own address; this one is passed to the fence, so that a run whose server is
    /// not allowed is refused before it begins, and not one datagram after another.
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
            icmp: Icmp::Unheard,
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
pub struct Bound {
    socket: socket2::Socket,
    local: SocketAddr,
    receive_buffer: usize,
    batch: usize,
    kernel_stamps: bool,
    icmp: Icmp,
    network: Network,
}

/// A socket of a worker.
pub struct Socket {
    inner: AsyncFd<socket2::Socket>,
    local: SocketAddr,
    receive_buffer: usize,
    batch: usize,
    kernel_stamps: bool,
    outgoing: RefCell<Outgoing>,
    overflow: Overflow,
    /// The ICMP errors, if they are requested.
    errors: Option<ErrorQueue>,
    network: Network,
}

impl Bound {
    /// Opens a socket, and reports its server to the fence. Therefore a run opens its sockets before it begins.
    pub fn open(network: &Network, options: &Options) -> Result<Self, OpenError> {
        network.fence().expect(&[options.server]);
        let local = options.local;
        let socket =
            prepare(network, options).map_err(|error| OpenError::of_option(options, error))?;
        socket.bind(&local.into()).map_err(|error| OpenError::of_bind(local, error))?;
        let (bound, granted) =
            measure(&socket).map_err(|error| OpenError::Other { local, error })?;
        Ok(Self {
            socket,
            local: bound.unwrap_or(local),
            // The kernel doubles the requested size, and reports the doubled size: half of it is its own overhead.
            receive_buffer: granted / 2,
            batch: options.batch.clamp(1, BATCH),
            kernel_stamps: options.kernel_stamps,
            icmp: options.icmp,
            network: network.clone(),
        })
    }

    /// The address that replies are sent to.
    pub const fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// The receive buffer that was granted, which is less than requested if the system sets a limit
    /// (`net.core.rmem_max`) that this process may not exceed.
    pub const fn receive_buffer(&self) -> usize {
        self.receive_buffer
    }

    /// Registers the socket with the runtime of this thread.
    pub fn register(self) -> io::Result<Socket> {
        Ok(Socket {
            inner: mmsg::registered(self.socket)?,
            local: self.local,
            receive_buffer: self.receive_buffer,
            batch: self.batch,
            kernel_stamps: self.kernel_stamps,
            outgoing: RefCell::new(Outgoing::new()),
            overflow: Overflow::default(),
            errors: (self.icmp == Icmp::Counted).then(ErrorQueue::new),
            network: self.network,
        })
    }
}

impl Socket {
    /// The receive buffer that was granted.
    pub const fn receive_buffer(&self) -> usize {
        self.receive_buffer
    }

    fn take(
        &self,
        socket: &socket2::Socket,
        inbox: &mut Inbox,
        clock: &dyn Clock,
    ) -> io::Result<()> {
        inbox.clear();
        let count = loop {
            match inbox.incoming.receive(socket.as_fd(), self.batch) {
                Err(error) if self.is_of_the_past(&error) => {}
                taken => break taken?,
            }
        };
        let translation = self.kernel_stamps.then(|| Translation::now(clock));
        inbox.take(count, |_, beside| {
            if let Some(lost) = beside.lost {
                self.overflow.heard(lost);
            }
            let at = translation.and_then(|it| Some(it.moment(beside.stamp?)));
            Some(Arrived::whole(beside, at))
        });
        Ok(())
    }

    /// Whether an error belongs to a datagram that was sent before.
    fn is_of_the_past(&self, error: &io::Error) -> bool {
        self.errors.as_ref().is_some_and(|errors| errors.explains(self.inner.as_fd(), error))
    }

    fn send<'a>(
        &self,
        socket: &socket2::Socket,
        mut datagrams: impl Iterator<Item = OutgoingDatagram<'a>>,
    ) -> io::Result<usize> {
        let fence = self.network.fence();
        if self.batch == 1 {
            let Some(datagram) = datagrams.next() else { return Ok(0) };
            fence.check(datagram.to)?;
            return socket.send_to(datagram.bytes, &datagram.to.into()).map(|_| 1);
        }
        // A datagram that must not be sent is refused separately, when its turn comes; those before it are sent.
        let mut refused = None;
        let batch =
            datagrams.take(self.batch).map_while(|datagram| match fence.check(datagram.to) {
                Ok(()) => Some((datagram.bytes, Some(datagram.to))),
                Err(error) => {
                    refused = Some(error);
                    None
                }
            });
        let sent = self.outgoing.borrow_mut().send(socket.as_fd(), batch);
        match (sent, refused) {
            (Ok(0), Some(error)) => Err(error),
            (sent, _) => sent,
        }
    }
}

impl Carrier for Socket {
    fn try_send<'a>(
        &self,
        datagrams: impl Iterator<Item = OutgoingDatagram<'a>>,
    ) -> io::Result<usize> {
        match self.inner.try_io(Interest::WRITABLE, |socket| self.send(socket, datagrams)) {
            Err(error) if self.is_of_the_past(&error) => Ok(0),
            sent => sent,
        }
    }

    async fn writable(&self) -> io::Result<()> {
        let mut guard = self.inner.writable().await?;
        if guard.ready().is_write_closed() {
            // After an ICMP message the runtime regards the socket as always ready. Only an attempt shows its state.
            back_off().await;
        }
        guard.retain_ready();
        Ok(())
    }

    fn try_receive(&self, inbox: &mut Inbox, clock: &dyn Clock) -> io::Result<()> {
        self.take(self.inner.get_ref(), inbox, clock)
    }

    fn unreachable(&self) -> u64 {
        let Some(errors) = &self.errors else { return 0 };
        errors.empty(self.inner.as_fd());
        errors.unreachable()
    }

    async fn receive(&self, inbox: &mut Inbox, clock: &dyn Clock) -> io::Result<()> {
        loop {
            let mut guard = self.inner.readable().await?;
            match guard.try_io(|inner| self.take(inner.get_ref(), inbox, clock)) {
                Ok(Ok(())) if inbox.len() < self.batch => {
                    // The queue is empty: the arrival of the next datagram is announced, and reading again before that
                    // would cost a useless system call with every datagram.
                    guard.clear_ready();
                    return Ok(());
                }
                Ok(taken) => return taken,
                Err(_) => {}
            }
        }
    }

    fn overflowed(&self) -> u64 {
        if let Ok(lost) = mmsg::dropped(self.inner.as_fd()) {
            self.overflow.heard(lost);
        }
        self.overflow.total()
    }

    fn local_addr(&self) -> SocketAddr {
        self.local
    }
}

/// Waits a short time for a full buffer to drain.
#[expect(clippy::disallowed_methods, reason = "it bounds how often a full buffer is tried")]
async fn back_off() {
    tokio::time::sleep(FULL).await;
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

/// The address that a socket is bound to, and its receive buffer.
fn measure(socket: &socket2::Socket) -> io::Result<(Option<SocketAddr>, usize)> {
    Ok((socket.local_addr()?.as_socket(), socket.recv_buffer_size()?))
}

/// A socket with all its options, not bound yet.
fn prepare(network: &Network, options: &Options) -> io::Result<socket2::Socket> {
    let socket = network.udp(options.local)?;
    if options.local.is_ipv6() {
        socket.set_only_v6(true)?;
        if let Some(index) = options.multicast {
            socket.set_multicast_if_v6(index)?;
            socket.set_multicast_hops_v6(1)?;
        }
    }
    // Datagrams longer than the path allows are sent in fragments, as the original tool's messages were. If the option
    // cannot be set, the system's default is used.
    let _ = match options.local {
        SocketAddr::V4(_) => set_ip_mtu_discover(&socket, Ipv4PathMtuDiscovery::WANT),
        SocketAddr::V6(_) => set_ipv6_mtu_discover(&socket, Ipv6PathMtuDiscovery::WANT),
    };
    socket.set_broadcast(options.broadcast)?;
    if let Some(device) = &options.device {
        socket.bind_device(Some(device.as_bytes()))?;
    }
    size_buffers(&socket, options.receive_buffer, options.send_buffer)?;
    mmsg::tell(socket.as_fd())?;
    if options.icmp == Icmp::Counted {
        ErrorQueue::ask(socket.as_fd(), options.local.is_ipv6());
    }
    Ok(socket)
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
