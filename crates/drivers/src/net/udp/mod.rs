//! The UDP [`Socket`] of a worker: datagrams in batches, large buffers, and a count of what it lost itself.
//!
//! It is opened before the run, where a failure is put into words, and [registered](Bound::register) with the runtime
//! of the worker that will own it. A load generator that loses replies in its own receive buffer blames its own fault
//! on the server, so the buffer is as large as this process may have, its size is reported, and every datagram that the
//! kernel drops is counted. It must not know what is in a datagram.

mod errors;

use self::errors::ErrorQueue;
use super::carrier::{Arrived, Carrier, Inbox, OutgoingDatagram};
use super::fence;
use super::mmsg::{self, BATCH, Outgoing};
use super::overflow::Overflow;
use super::privilege;
use super::stamp::Translation;
use brunt_exchange::Clock;
use nix::sys::socket::{setsockopt, sockopt};
use rustix::net::sockopt::{
    Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery, set_ip_mtu_discover, set_ipv6_mtu_discover,
};
use socket2::{Domain, Protocol, Type};
use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::time::Duration;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// The receive buffer unless told otherwise: a second of replies at 30,000 a second, as the kernel accounts for them.
pub const RECEIVE_BUFFER: usize = 8 << 20;

/// How long to wait on a full buffer where the kernel does not report when there is room again.
const FULL: Duration = Duration::from_millis(1);

/// What becomes of the ICMP messages about what a socket sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Icmp {
    /// The socket does not receive them.
    #[default]
    Unheard,
    /// Those that say that nothing listens on a port are counted.
    Counted,
}

/// How a socket is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where what it sends goes. Each datagram has an address of its own; this one is what the fence is told, so that a
    /// run whose server lies outside is refused before it begins, and not one datagram after another.
    pub server: SocketAddr,
    /// The address replies come to. Port 0: the kernel chooses.
    pub local: SocketAddr,
    /// The interface that datagrams leave by and come in at, if not any.
    pub device: Option<String>,
    /// Whether datagrams may go to a broadcast address.
    pub broadcast: bool,
    /// The index of the interface that multicast leaves by, at most one hop far.
    pub multicast: Option<u32>,
    /// Room for datagrams that have not been read yet, in bytes.
    pub receive_buffer: usize,
    /// Room for datagrams that have not left yet, in bytes; 0 leaves it as the system has it.
    pub send_buffer: usize,
    /// Whether the kernel stamps what comes in. If no other socket of the host has stamps, it needs some milliseconds
    /// to begin, and what comes in meanwhile is stamped when it is taken. Otherwise its stamps are kept for whoever
    /// asks ([`Inbox::stamp`]).
    pub kernel_stamps: bool,
    /// What becomes of the ICMP messages about what it sent.
    pub icmp: Icmp,
    /// How many datagrams a system call carries at most, 1 to [`BATCH`]; with 1, `sendto(2)` sends.
    pub batch: usize,
}

impl Options {
    /// The usual ones for a socket at `local`, from which a server is asked.
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
    /// A port below 1024, or an interface, that this process may not have.
    #[error("open a UDP socket at {local}: {error}; {}", privilege::remedy())]
    Permission {
        /// The address asked for.
        local: SocketAddr,
        /// What the system said.
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
        /// The address asked for.
        local: SocketAddr,
        /// What the system said.
        error: io::Error,
    },
}

/// A socket that is open and has no runtime yet.
#[derive(Debug)]
pub struct Bound {
    socket: socket2::Socket,
    local: SocketAddr,
    receive_buffer: usize,
    batch: usize,
    kernel_stamps: bool,
    icmp: Icmp,
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
    /// What came back, where that is asked for.
    errors: Option<ErrorQueue>,
}

impl Bound {
    /// Opens a socket, and tells the fence where it leads. So a run opens its sockets before it is carried out.
    pub fn open(options: &Options) -> Result<Self, OpenError> {
        fence::expect(&[options.server]);
        let local = options.local;
        let socket = prepare(options).map_err(|error| OpenError::of_option(options, error))?;
        socket.bind(&local.into()).map_err(|error| OpenError::of_bind(local, error))?;
        let (bound, granted) =
            measure(&socket).map_err(|error| OpenError::Other { local, error })?;
        Ok(Self {
            socket,
            local: bound.unwrap_or(local),
            // The kernel doubles what is asked for, and reports the double: half of it is its own overhead.
            receive_buffer: granted / 2,
            batch: options.batch.clamp(1, BATCH),
            kernel_stamps: options.kernel_stamps,
            icmp: options.icmp,
        })
    }

    /// The address replies come to.
    pub const fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// The receive buffer that was got, which is less than was asked for where the system sets a limit
    /// (`net.core.rmem_max`) that this process may not pass.
    pub const fn receive_buffer(&self) -> usize {
        self.receive_buffer
    }

    /// Gives the socket to the runtime of this thread.
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
        })
    }
}

impl Socket {
    /// The receive buffer that was got.
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

    /// Whether an error is about what left before.
    fn is_of_the_past(&self, error: &io::Error) -> bool {
        self.errors.as_ref().is_some_and(|errors| errors.explains(self.inner.as_fd(), error))
    }

    fn send<'a>(
        &self,
        socket: &socket2::Socket,
        mut datagrams: impl Iterator<Item = OutgoingDatagram<'a>>,
    ) -> io::Result<usize> {
        if self.batch == 1 {
            let Some(datagram) = datagrams.next() else { return Ok(0) };
            fence::check(datagram.to)?;
            return socket.send_to(datagram.bytes, &datagram.to.into()).map(|_| 1);
        }
        // What may not leave is refused alone, when its turn comes; what is before it leaves.
        let mut refused = None;
        let batch =
            datagrams.take(self.batch).map_while(|datagram| match fence::check(datagram.to) {
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
            // To the runtime, a socket that an ICMP message was about is ready forever. Only trying tells.
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
                    // The queue is empty: whatever comes next is announced, and asking again before that is a system
                    // call for nothing with every datagram.
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

/// Waits a moment for a full buffer to drain.
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

/// Where a socket is bound, and its receive buffer.
fn measure(socket: &socket2::Socket) -> io::Result<(Option<SocketAddr>, usize)> {
    Ok((socket.local_addr()?.as_socket(), socket.recv_buffer_size()?))
}

/// A socket with all its options, not bound yet.
fn prepare(options: &Options) -> io::Result<socket2::Socket> {
    let domain = Domain::for_address(options.local);
    let socket = socket2::Socket::new(domain, Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_nonblocking(true)?;
    if options.local.is_ipv6() {
        socket.set_only_v6(true)?;
        if let Some(index) = options.multicast {
            socket.set_multicast_if_v6(index)?;
            socket.set_multicast_hops_v6(1)?;
        }
    }
    // What is longer than the way allows leaves in fragments, as the old tool's messages did. Where the system will
    // not say, that is its default.
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

/// Asks for buffers beyond what the system allows everybody, and takes what it allows if that is refused.
pub(in crate::net) fn size_buffers(
    socket: &socket2::Socket,
    receive: usize,
    send: usize,
) -> io::Result<()> {
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
