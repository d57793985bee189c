//! Batches of datagrams: one system call reads all that are waiting, another sends their answers.
//!
//! On the loopback interface a system call costs about as much as the answer itself, so a server that makes one for
//! each datagram is half as fast. Nothing is allocated per datagram.

use std::io::{self, IoSlice, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::ops::Range;
use std::os::fd::AsRawFd as _;

use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, MultiHeaders, SockaddrStorage, recvmmsg, sendmmsg};

/// How many datagrams are read or sent at once.
pub(super) const BATCH: usize = 64;

/// The longest datagram read. A message of a client is not longer than an Ethernet frame.
const DATAGRAM_MAX: usize = 2048;

/// Datagrams that were read.
pub(super) struct Inbox {
    headers: MultiHeaders<SockaddrStorage>,
    room: Vec<u8>,
    read: Vec<Read>,
}

struct Read {
    length: usize,
    from: Option<SocketAddr>,
    whole: bool,
}

impl Inbox {
    pub(super) fn new() -> Self {
        Self {
            headers: MultiHeaders::preallocate(BATCH, None),
            room: vec![0; BATCH * DATAGRAM_MAX],
            read: Vec::with_capacity(BATCH),
        }
    }

    /// Replaces the contents by the datagrams that are waiting. Returns how many there are.
    pub(super) fn receive(&mut self, socket: &UdpSocket) -> io::Result<usize> {
        self.read.clear();
        let mut rooms = self.room.chunks_exact_mut(DATAGRAM_MAX);
        let mut slices: [[IoSliceMut<'_>; 1]; BATCH] =
            std::array::from_fn(|_| [IoSliceMut::new(rooms.next().unwrap_or_default())]);
        let flags = MsgFlags::MSG_DONTWAIT;
        match recvmmsg(socket.as_raw_fd(), &mut self.headers, &mut slices, flags, None) {
            Ok(messages) => {
                self.read.extend(messages.map(|message| Read {
                    length: message.bytes,
                    from: message.address.as_ref().and_then(address),
                    whole: !message.flags.contains(MsgFlags::MSG_TRUNC),
                }));
                Ok(self.read.len())
            }
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// The datagrams with their senders; `None` for a sender if the datagram was too long.
    pub(super) fn datagrams(&self) -> impl Iterator<Item = (Option<SocketAddr>, &[u8])> {
        self.read.iter().zip(self.room.chunks_exact(DATAGRAM_MAX)).map(|(read, room)| {
            let whole = room.get(..read.length).filter(|_| read.whole);
            (read.from.filter(|_| whole.is_some()), whole.unwrap_or_default())
        })
    }
}

fn address(address: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = address.as_sockaddr_in().map(|it| SocketAddr::V4((*it).into()));
    v4.or_else(|| address.as_sockaddr_in6().map(|it| SocketAddr::V6((*it).into())))
}

/// Datagrams to send.
pub(super) struct Outbox {
    headers: MultiHeaders<SockaddrStorage>,
    bytes: Vec<u8>,
    letters: Vec<Range<usize>>,
    addresses: Vec<Option<SockaddrStorage>>,
}

impl Outbox {
    pub(super) fn new() -> Self {
        Self {
            headers: MultiHeaders::preallocate(BATCH, None),
            bytes: Vec::with_capacity(BATCH * DATAGRAM_MAX),
            letters: Vec::with_capacity(2 * BATCH),
            addresses: Vec::with_capacity(2 * BATCH),
        }
    }

    /// Adds a datagram.
    pub(super) fn push(&mut self, to: SocketAddr, bytes: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.letters.push(start..self.bytes.len());
        self.addresses.push(Some(to.into()));
    }

    /// Sends everything. Returns how many datagrams the system did not accept.
    pub(super) fn flush(&mut self, socket: &UdpSocket) -> usize {
        let (mut at, mut refused) = (0, 0);
        while at < self.letters.len() {
            match self.send(socket, at) {
                Ok(0) | Err(Errno::EINTR) => {}
                Ok(sent) => at += sent,
                Err(_) => {
                    // The error is about the first of them; the others can still be sent.
                    at += 1;
                    refused += 1;
                }
            }
        }
        self.bytes.clear();
        self.letters.clear();
        self.addresses.clear();
        refused
    }

    /// Sends a batch from an index on. Returns how many were sent.
    fn send(&mut self, socket: &UdpSocket, at: usize) -> nix::Result<usize> {
        let letters = &self.letters[at..];
        let count = letters.len().min(BATCH);
        let bytes = |n: usize| letters.get(n).and_then(|letter| self.bytes.get(letter.clone()));
        let slices: [[IoSlice<'_>; 1]; BATCH] =
            std::array::from_fn(|n| [IoSlice::new(bytes(n).unwrap_or_default())]);
        let addresses = &self.addresses[at..at + count];
        let fd = socket.as_raw_fd();
        let sent =
            sendmmsg(fd, &mut self.headers, &slices[..count], addresses, [], MsgFlags::empty())?;
        Ok(sent.count())
    }
}
