//! A [`Link`]: DHCPv4 clients without an address, on the link itself.
//!
//! A client that has no address yet cannot use a UDP socket: it sends from 0.0.0.0, receives what is sent to an address
//! it does not have, and, once it has one, answers ARP requests for it (RFC 2131 section 4.1). So a link writes whole
//! Ethernet frames, each from the client that sends the message, through an `AF_PACKET` socket, and receives everything
//! on its interface for the clients' port. The sender is in the message (`chaddr`, `ciaddr`); this module uses no other
//! part of DHCP, except for what assigns an address to a client. One link serves all clients of an interface, since
//! each link receives all replies. Every client shows its own hardware address to the network: switches must be willing
//! to learn as many, and a virtual machine's interface must be allowed to send from addresses that are not its own.

mod addresses;
mod arp;
mod ethernet;
mod filter;
mod fragments;
mod frame;
mod neighbours;
mod packet;
mod segment;
#[cfg(test)]
mod tests;

use brunt_exchange::Clock;
use brunt_net::carrier::{Carrier, Inbox, OutgoingDatagram};
use brunt_net::dscp::Dscp;
use brunt_net::interface::Interface;
use brunt_net::mmsg::{self, BATCH, Outgoing};
use brunt_net::overflow::Overflow;
use brunt_net::stamp::Translation;
use brunt_net::udp::{RECEIVE_BUFFER, size_buffers};
use brunt_net::{Network, privilege};
use ethernet::Mac;
use fragments::Fragments;
use segment::{Composed, Segment};
use std::cell::RefCell;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::AsFd;
use std::time::Duration;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// How long a link waits for the reply to an ARP request; kernels wait as long.
const ANSWER_WITHIN: Duration = Duration::from_secs(1);

/// How a link is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// The interface of the clients.
    pub interface: Interface,
    /// The port of the clients.
    pub port: u16,
    /// Room for frames that have not been read yet, in bytes.
    pub receive_buffer: usize,
    /// Whether the kernel stamps received frames, as for a [UDP socket](brunt_net::udp::Options::kernel_stamps).
    pub kernel_stamps: bool,
    /// How many frames a system call carries at most, 1 to [`BATCH`].
    pub batch: usize,
}

impl Options {
    /// The default options for clients on this interface.
    pub const fn new(interface: Interface) -> Self {
        let port = brunt_dhcp_wire::dhcp4::CLIENT_PORT;
        let receive_buffer = RECEIVE_BUFFER;
        Self { interface, port, receive_buffer, kernel_stamps: false, batch: BATCH }
    }
}

/// Why a link could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// This process is not permitted to.
    #[error(
        "send and receive raw frames on the interface '{name}': {error}; clients without an address need that: {}",
        privilege::remedy()
    )]
    Permission {
        /// The interface.
        name: String,
        /// The system's error.
        error: io::Error,
    },
    /// The interface is not Ethernet, which clients need.
    #[error(
        "use the interface '{0}' for clients without an address: it is no Ethernet; let brunt be a relay there"
    )]
    NoEthernet(String),
    /// The interface is down.
    #[error("use the interface '{0}': it is down (ip link set {0} up)")]
    Down(String),
    /// Anything else.
    #[error("send and receive raw frames on the interface '{name}': {error}")]
    Other {
        /// The interface.
        name: String,
        /// The system's error.
        error: io::Error,
    },
}

/// A link that is open and not registered with a runtime yet.
#[derive(Debug)]
pub struct Bound {
    socket: socket2::Socket,
    mac: Mac,
    options: Options,
    mtu: usize,
    receive_buffer: usize,
    network: Network,
}

/// A link of a worker.
pub struct Link {
    inner: AsyncFd<socket2::Socket>,
    port: u16,
    batch: usize,
    receive_buffer: usize,
    kernel_stamps: bool,
    outgoing: RefCell<Outgoing>,
    segment: RefCell<Segment>,
    fragments: RefCell<Fragments>,
    overflow: Overflow,
    network: Network,
}

impl Bound {
    /// Opens a link.
    pub fn open(network: &Network, options: &Options) -> Result<Self, OpenError> {
        let name = || options.interface.name.clone();
        let Some(mac) = options.interface.mac else { return Err(OpenError::NoEthernet(name())) };
        if !options.interface.running {
            return Err(OpenError::Down(name()));
        }
        let open = || {
            let socket = packet::open(options.interface.index, options.port)?;
            size_buffers(&socket, options.receive_buffer, 0)?;
            mmsg::report(socket.as_fd())?;
            // The kernel doubles the requested size, and reports the doubled size: half of it is its own overhead.
            let receive_buffer = socket.recv_buffer_size()? / 2;
            let mtu = packet::mtu(socket.as_fd(), &options.interface.name)?;
            let (options, network) = (options.clone(), network.clone());
            Ok(Self { socket, mac, options, mtu, receive_buffer, network })
        };
        open().map_err(|error: io::Error| match error.raw_os_error() {
            Some(libc::EPERM | libc::EACCES) => OpenError::Permission { name: name(), error },
            _ => OpenError::Other { name: name(), error },
        })
    }

    /// The receive buffer that was granted.
    pub const fn receive_buffer(&self) -> usize {
        self.receive_buffer
    }

    /// Registers the link with the runtime of this thread.
    pub fn register(self) -> io::Result<Link> {
        let class = self.network.dscp().map_or(0, Dscp::octet);
        Ok(Link {
            inner: mmsg::registered(self.socket)?,
            port: self.options.port,
            batch: self.options.batch.clamp(1, BATCH),
            receive_buffer: self.receive_buffer,
            kernel_stamps: self.options.kernel_stamps,
            outgoing: RefCell::new(Outgoing::new()),
            segment: RefCell::new(Segment::new(self.mac, self.options.port, class)),
            fragments: RefCell::new(Fragments::new(self.mtu)),
            overflow: Overflow::default(),
            network: self.network,
        })
    }
}

impl Link {
    /// The receive buffer that was granted.
    pub const fn receive_buffer(&self) -> usize {
        self.receive_buffer
    }

    fn send<'a>(
        &self,
        socket: &socket2::Socket,
        datagrams: impl Iterator<Item = OutgoingDatagram<'a>>,
    ) -> io::Result<usize> {
        let mut segment = self.segment.borrow_mut();
        let mut count = 0;
        for datagram in datagrams.take(self.batch) {
            match self.network.address_policy().check(datagram.to) {
                Ok(()) => {}
                Err(_) if count > 0 => break,
                Err(error) => return Err(error),
            }
            match segment.compose(count, &datagram) {
                Ok(Composed::Ready) if self.fragments.borrow().fits(segment.frame(count)) => {
                    count += 1;
                }
                // A frame that cannot be sent at once is handled separately, when its turn comes.
                _ if count > 0 => break,
                Ok(Composed::Ready) => {
                    self.transmit(socket, segment.frame(0))?;
                    return Ok(1);
                }
                Ok(Composed::Waits(to)) => {
                    if let Some(question) = segment.keep(to)? {
                        socket.send(&question)?;
                    }
                    return Ok(1);
                }
                Err(error) => return Err(error),
            }
        }
        let frames = (0..count).map(|index| (segment.frame(index), None));
        self.outgoing.borrow_mut().send(socket.as_fd(), frames)
    }

    /// Sends one frame, in fragments if necessary.
    fn transmit(&self, socket: &socket2::Socket, frame: &[u8]) -> io::Result<()> {
        let mut fragments = self.fragments.borrow_mut();
        fragments.cut(frame, |piece| socket.send(piece).map(|_| ()))
    }

    fn take(
        &self,
        socket: &socket2::Socket,
        inbox: &mut Inbox,
        clock: &dyn Clock,
    ) -> io::Result<()> {
        inbox.clear();
        let count = inbox.incoming.receive(socket.as_fd(), self.batch)?;
        let translation = self.kernel_stamps.then(|| Translation::now(clock));
        let mut segment = self.segment.borrow_mut();
        // As in any kernel, a reply to a neighbour may be lost: it will ask again.
        let send = |frame: &[u8]| drop(self.transmit(socket, frame));
        inbox.take(count, |frame, beside| {
            if let Some(lost) = beside.lost {
                self.overflow.update(lost);
            }
            let at = translation.and_then(|it| Some(it.moment(beside.stamp?)));
            segment.receive(frame, beside, at, send)
        });
        segment.release(send);
        Ok(())
    }
}

impl Carrier for Link {
    fn try_send<'a>(
        &self,
        datagrams: impl Iterator<Item = OutgoingDatagram<'a>>,
    ) -> io::Result<usize> {
        self.inner.try_io(Interest::WRITABLE, |socket| self.send(socket, datagrams))
    }

    async fn writable(&self) -> io::Result<()> {
        self.inner.writable().await.map(|mut guard| guard.retain_ready())
    }

    async fn receive(&self, inbox: &mut Inbox, clock: &dyn Clock) -> io::Result<()> {
        loop {
            let waits_for_arp = self.segment.borrow().waits_for_arp();
            let taken =
                self.inner.async_io(Interest::READABLE, |socket| self.take(socket, inbox, clock));
            if !waits_for_arp {
                return taken.await;
            }
            if let Ok(taken) = tokio::time::timeout(ANSWER_WITHIN, taken).await {
                return taken;
            }
            let send = |frame: &[u8]| drop(self.inner.get_ref().send(frame));
            self.segment.borrow_mut().repeat_requests(send);
        }
    }

    fn try_receive(&self, inbox: &mut Inbox, clock: &dyn Clock) -> io::Result<()> {
        self.take(self.inner.get_ref(), inbox, clock)
    }

    fn overflowed(&self) -> u64 {
        if let Ok(lost) = mmsg::dropped(self.inner.as_fd()) {
            self.overflow.update(lost);
        }
        self.overflow.total()
    }

    fn local_addr(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::UNSPECIFIED, self.port))
    }
}
