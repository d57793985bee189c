//! A [`Carrier`]: sends and receives datagrams, and the [`Inbox`] it receives them into.
//!
//! It is a trait, so that a protocol over datagrams runs over a UDP socket, over raw frames, or over memory in a test,
//! without any difference. The inbox is allocated once and refilled; no datagram needs an allocation. It must not
//! depend on the content of a datagram.

use super::mmsg::{AncillaryData, BATCH, Incoming};
use super::stamp::Translation;
use brunt_exchange::{Clock, Moment};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

/// The longest datagram that an inbox stores completely: more than the answer of any server. Memory beyond the received
/// datagrams is never touched.
pub const DATAGRAM_MAX: usize = 16 << 10;

/// A datagram to be sent.
#[derive(Clone, Copy, Debug)]
pub struct OutgoingDatagram<'a> {
    /// Its content.
    pub bytes: &'a [u8],
    /// The destination.
    pub to: SocketAddr,
}

/// Sends and receives datagrams.
#[expect(async_fn_in_trait, reason = "carriers live on one core and are never sent")]
pub trait Carrier {
    /// Sends datagrams in order, as many as fit in one system call, and returns how many were sent; the caller offers
    /// the rest again.
    ///
    /// An error concerns the first datagram, and none was sent. [`io::ErrorKind::WouldBlock`]: there is no room now;
    /// wait until the carrier is [`writable`](Self::writable) and offer all again. Any other error concerns only that
    /// datagram; the following ones may still be sent.
    fn try_send<'a>(
        &self,
        datagrams: impl Iterator<Item = OutgoingDatagram<'a>>,
    ) -> io::Result<usize>;

    /// Waits until there may be room to send.
    async fn writable(&self) -> io::Result<()>;

    /// Waits until something has arrived and fills the inbox, which is emptied first. Stamps of the kernel are
    /// translated to `clock`. The future may be dropped and the method called again at any time without losing a
    /// datagram. The inbox may be empty afterwards, if no datagram for this carrier arrived. An error was reported by
    /// the network once; the next call continues.
    async fn receive(&self, inbox: &mut Inbox, clock: &dyn Clock) -> io::Result<()>;

    /// Takes what has arrived without waiting, even if the runtime has not reported it yet;
    /// [`io::ErrorKind::WouldBlock`] if there is nothing. It is for a caller that did not run for a time and must read
    /// everything before it judges.
    fn try_receive(&self, inbox: &mut Inbox, clock: &dyn Clock) -> io::Result<()>;

    /// How many messages came back so far because no socket has the port they were sent to (ICMP port unreachable), if
    /// the carrier requests this.
    fn unreachable(&self) -> u64 {
        0
    }

    /// How many datagrams the kernel has dropped so far because they were not read in time.
    fn overflowed(&self) -> u64;

    /// The address that replies come to.
    fn local_addr(&self) -> SocketAddr;
}

/// Datagrams that have come in.
pub struct Inbox {
    /// Room for them, as the kernel fills it.
    pub incoming: Incoming,
    /// Where each one is.
    pub arrived: Vec<Arrived>,
}

/// Where in the inbox a datagram is.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// The buffer.
    pub slot: usize,
    /// Its first byte in that buffer.
    pub start: usize,
    /// Its length there.
    pub length: usize,
    /// Whether its end is missing.
    pub truncated: bool,
    /// The sender.
    pub from: SocketAddr,
    /// The time of arrival.
    pub at: Option<Moment>,
    /// The kernel's stamp, not translated, which costs nothing to keep.
    pub stamp: Option<Duration>,
    /// The moment of that stamp, once it was requested.
    pub stamped: Option<Moment>,
}

/// A datagram that has come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// Its content.
    pub bytes: &'a [u8],
    /// The sender.
    pub from: SocketAddr,
    /// Whether the end is missing because it was longer than [`DATAGRAM_MAX`].
    pub truncated: bool,
    /// When the kernel received it, if the carrier uses this as the time of arrival.
    pub at: Option<Moment>,
    /// When the kernel received it, once that was requested ([`Inbox::stamp`]).
    pub stamp: Option<Moment>,
}

impl Inbox {
    /// An empty inbox for a whole batch.
    pub fn new() -> Self {
        Self { incoming: Incoming::new(DATAGRAM_MAX), arrived: Vec::with_capacity(BATCH) }
    }

    /// The datagrams received last, in the order of arrival.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Datagram<'_>> {
        self.arrived.iter().map(|it| Datagram {
            bytes: &self.incoming.buffer(it.slot)[it.start..][..it.length],
            from: it.from,
            truncated: it.truncated,
            at: it.at,
            stamp: it.stamped.or(it.at),
        })
    }

    /// How many datagrams there are.
    pub fn len(&self) -> usize {
        self.arrived.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.arrived.is_empty()
    }

    /// Determines when the kernel received each datagram. Must be called soon after they were taken, as the clocks are
    /// compared now.
    pub fn stamp(&mut self, clock: &dyn Clock) {
        let translation = Translation::now(clock);
        for arrived in &mut self.arrived {
            arrived.stamped = arrived.stamp.map(|stamp| translation.moment(stamp));
        }
    }

    /// Removes all datagrams.
    pub fn clear(&mut self) {
        self.arrived.clear();
    }

    /// Adds a datagram, for carriers without a kernel. Returns whether there was room.
    pub fn push(&mut self, bytes: &[u8], from: SocketAddr, at: Option<Moment>) -> bool {
        let slot = self.arrived.len();
        if slot == BATCH {
            return false;
        }
        let length = bytes.len().min(DATAGRAM_MAX);
        self.incoming.buffer_mut(slot)[..length].copy_from_slice(&bytes[..length]);
        let truncated = length < bytes.len();
        self.arrived.push(Arrived {
            slot,
            start: 0,
            length,
            truncated,
            from,
            at,
            stamp: None,
            stamped: None,
        });
        true
    }

    /// Takes all that the kernel delivered; `place` returns where in each buffer the datagram is, if it is one for this
    /// carrier.
    pub fn take(
        &mut self,
        count: usize,
        mut place: impl FnMut(&[u8], &AncillaryData) -> Option<Arrived>,
    ) {
        self.arrived.clear();
        for slot in 0..count {
            let Some(beside) = self.incoming.beside(slot) else { break };
            let bytes = &self.incoming.buffer(slot)[..beside.length];
            if let Some(arrived) = place(bytes, &beside) {
                self.arrived.push(Arrived { slot, ..arrived });
            }
        }
    }
}

impl Default for Inbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Arrived {
    /// A datagram that begins at the start of its buffer.
    pub fn whole(beside: &AncillaryData, at: Option<Moment>) -> Self {
        Self {
            slot: 0,
            start: 0,
            length: beside.length,
            truncated: beside.truncated,
            from: beside.from.unwrap_or(SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0))),
            at,
            stamp: beside.stamp,
            stamped: None,
        }
    }
}
