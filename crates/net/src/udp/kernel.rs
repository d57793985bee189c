//! A [`KernelSocket`]: a UDP socket of this machine.

use super::errors::ErrorQueue;
use super::{Icmp, OpenError, Options, size_buffers};
use crate::carrier::{Arrived, Carrier, Inbox, OutgoingDatagram};
use crate::mmsg::{self, BATCH, Outgoing};
use crate::network::Network;
use crate::overflow::Overflow;
use crate::stamp::Translation;
use brunt_exchange::Clock;
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

/// How long to wait on a full buffer if the kernel does not report when there is room again.
const FULL: Duration = Duration::from_millis(1);

/// One that is open and not registered with a runtime yet.
#[derive(Debug)]
pub struct BoundSocket {
    socket: socket2::Socket,
    local: SocketAddr,
    batch: usize,
    kernel_stamps: bool,
    icmp: Icmp,
    network: Network,
}

/// A UDP socket of this machine, registered with the runtime of a worker.
pub struct KernelSocket {
    inner: AsyncFd<socket2::Socket>,
    local: SocketAddr,
    batch: usize,
    kernel_stamps: bool,
    outgoing: RefCell<Outgoing>,
    overflow: Overflow,
    /// The ICMP errors, if they are requested.
    errors: Option<ErrorQueue>,
    network: Network,
}

impl BoundSocket {
    /// Opens one.
    pub(super) fn open(network: &Network, options: &Options) -> Result<Self, OpenError> {
        let local = options.local;
        let socket =
            prepare(network, options).map_err(|error| OpenError::of_option(options, error))?;
        socket.bind(&local.into()).map_err(|error| OpenError::of_bind(local, error))?;
        let bound = socket.local_addr().map_err(|error| OpenError::Other { local, error })?;
        Ok(Self {
            socket,
            local: bound.as_socket().unwrap_or(local),
            batch: options.batch.clamp(1, BATCH),
            kernel_stamps: options.kernel_stamps,
            icmp: options.icmp,
            network: network.clone(),
        })
    }

    /// The address that replies are sent to.
    pub(super) const fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// Registers the socket with the runtime of this thread.
    pub(super) fn register(self) -> io::Result<KernelSocket> {
        Ok(KernelSocket {
            inner: mmsg::registered(self.socket)?,
            local: self.local,
            batch: self.batch,
            kernel_stamps: self.kernel_stamps,
            outgoing: RefCell::new(Outgoing::new()),
            overflow: Overflow::default(),
            errors: (self.icmp == Icmp::Counted).then(ErrorQueue::new),
            network: self.network,
        })
    }
}

impl KernelSocket {
    /// The receive buffer that was granted, which is less than requested if the system sets a limit
    /// (`net.core.rmem_max`) that this process may not exceed. The kernel doubles the requested size, and reports the
    /// doubled size: half of it is its own overhead.
    #[cfg(test)]
    pub(super) fn receive_buffer(&self) -> io::Result<usize> {
        Ok(self.inner.get_ref().recv_buffer_size()? / 2)
    }

    /// How many datagrams it lost, as reported with those that it received.
    #[cfg(test)]
    pub(super) const fn overflow_total(&self) -> u64 {
        self.overflow.total()
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
                self.overflow.update(lost);
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
        let address_policy = self.network.address_policy();
        if self.batch == 1 {
            let Some(datagram) = datagrams.next() else { return Ok(0) };
            address_policy.check(datagram.to)?;
            return socket.send_to(datagram.bytes, &datagram.to.into()).map(|_| 1);
        }
        // A datagram that must not be sent is refused separately, when its turn comes; those before it are sent.
        let mut refused = None;
        let batch = datagrams.take(self.batch).map_while(|datagram| {
            match address_policy.check(datagram.to) {
                Ok(()) => Some((datagram.bytes, Some(datagram.to))),
                Err(error) => {
                    refused = Some(error);
                    None
                }
            }
        });
        let sent = self.outgoing.borrow_mut().send(socket.as_fd(), batch);
        match (sent, refused) {
            (Ok(0), Some(error)) => Err(error),
            (sent, _) => sent,
        }
    }
}

impl Carrier for KernelSocket {
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
            self.overflow.update(lost);
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
    mmsg::report(socket.as_fd())?;
    if options.icmp == Icmp::Counted {
        ErrorQueue::enable(socket.as_fd(), options.local.is_ipv6());
    }
    Ok(socket)
}
