//! A [`Carrier`]: sends and receives datagrams, and the [`Inbox`] it receives them into.
//!
//! A trait, so that a protocol over datagrams runs over a UDP socket, over raw frames or over memory in a test without
//! knowing which. The inbox is allocated once and refilled; nothing here allocates for a datagram. It must not know
//! what is in one.

use super::mmsg::{AncillaryData, BATCH, Incoming};
use super::stamp::Translation;
use brunt_exchange::{Clock, Moment};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

/// The longest datagram that an inbox takes whole: more than any server puts into an answer. Memory that no datagram
/// reaches is never touched.
pub const DATAGRAM_MAX: usize = 16 << 10;

/// A datagram to be sent.
#[derive(Clone, Copy, Debug)]
pub struct OutgoingDatagram<'a> {
    /// What is sent.
    pub bytes: &'a [u8],
    /// Where to.
    pub to: SocketAddr,
}

/// Sends and receives datagrams.
#[expect(async_fn_in_trait, reason = "carriers live on one core and are never sent")]
pub trait Carrier {
    /// Sends datagrams in order, as many as go in one system call, and says how many left; offer the rest again.
    ///
    /// An error is about the first datagram, and none left. [`io::ErrorKind::WouldBlock`]: there is no room now; wait
    /// until the carrier is [`writable`](Self::writable) and offer all again. Anything else is the fault of that
    /// datagram alone; those behind it may still go.
    fn try_send<'a>(
        &self,
        datagrams: impl Iterator<Item = OutgoingDatagram<'a>>,
    ) -> io::Result<usize>;

    /// Waits until there may be room to send.
    async fn writable(&self) -> io::Result<()>;

    /// Waits until something has come and fills the inbox, which is emptied first. `clock` is what stamps of the kernel
    /// are translated to. May be dropped and called again at any time without losing a datagram. The inbox may be empty
    /// afterwards: what came was no datagram of ours. An error is what the network reported once; the next call goes
    /// on.
    async fn receive(&self, inbox: &mut Inbox, clock: &dyn Clock) -> io::Result<()>;

    /// Takes what has come without waiting, whatever the runtime has heard of it; [`io::ErrorKind::WouldBlock`] where
    /// that is nothing. For whoever stood still and must not judge before everything is read.
    fn try_receive(&self, inbox: &mut Inbox, clock: &dyn Clock) -> io::Result<()>;

    /// How many messages came back so far because nothing listens where they were sent (ICMP port unreachable), where
    /// the carrier asks for it.
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
    pub(super) incoming: Incoming,
    pub(super) arrived: Vec<Arrived>,
}

/// Where in the inbox a datagram is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrived {
    pub(super) slot: usize,
    pub(super) start: usize,
    pub(super) length: usize,
    pub(super) truncated: bool,
    pub(super) from: SocketAddr,
    pub(super) at: Option<Moment>,
    /// The kernel's stamp as it gave it, which costs nothing to keep.
    pub(super) stamp: Option<Duration>,
    /// The moment of that stamp, once it was asked for.
    pub(super) stamped: Option<Moment>,
}

/// A datagram that has come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// What was sent.
    pub bytes: &'a [u8],
    /// Who sent it.
    pub from: SocketAddr,
    /// Whether the end is missing because it was longer than [`DATAGRAM_MAX`].
    pub truncated: bool,
    /// When the kernel got it, where the carrier is to take that for the time of arrival.
    pub at: Option<Moment>,
    /// When the kernel got it, once that was asked for ([`Inbox::stamp`]).
    pub stamp: Option<Moment>,
}

impl Inbox {
    /// An empty inbox for a whole batch.
    pub fn new() -> Self {
        Self { incoming: Incoming::new(DATAGRAM_MAX), arrived: Vec::with_capacity(BATCH) }
    }

    /// What came in last, in the order in which it came.
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

    /// Works out when the kernel got each datagram. To be called soon after they were taken: the clocks are compared
    /// now.
    pub fn stamp(&mut self, clock: &dyn Clock) {
        let translation = Translation::now(clock);
        for arrived in &mut self.arrived {
            arrived.stamped = arrived.stamp.map(|stamp| translation.moment(stamp));
        }
    }

    /// Forgets what came in.
    pub fn clear(&mut self) {
        self.arrived.clear();
    }

    /// Puts a datagram in, for carriers that have no kernel beneath. Says whether there was room.
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

    /// Takes in all that the kernel gave, `place` telling where in each buffer the datagram is, if it is one of ours.
    pub(super) fn take(
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
    /// A datagram that fills its buffer from the start.
    pub(super) fn whole(beside: &AncillaryData, at: Option<Moment>) -> Self {
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
