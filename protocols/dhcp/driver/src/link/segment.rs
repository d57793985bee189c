//! A [`Segment`]: converts between messages and frames on one link.
//!
//! It puts a message into the frame that its client would send, extracts replies from frames, answers ARP requests for
//! the addresses of our clients, and keeps frames whose destination is not known yet. It must not use a socket: frames
//! that must be sent at once are passed to the caller.

use super::addresses::Addresses;
use super::arp::{self, Arp};
use super::ethernet::{EVERYBODY, Mac};
use super::frame::{self, End, Frame, HEADERS, Trust};
use super::neighbours::Neighbours;
use brunt_dhcp_wire::dhcp4::{Message, at};
use brunt_exchange::Moment;
use brunt_net::carrier::{Arrived, DATAGRAM_MAX, OutgoingDatagram};
use brunt_net::mmsg::{AncillaryData, BATCH};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddrV4};

/// The longest frame.
const FRAME_MAX: usize = HEADERS + DATAGRAM_MAX;

/// What our clients know about their link, and the frames they are about to send.
pub(super) struct Segment {
    /// The source address of frames that belong to no client.
    mac: Mac,
    port: u16,
    /// The octet of the IP header that says how networks treat it.
    class: u8,
    addresses: Addresses,
    neighbours: Neighbours,
    /// [`BATCH`] frames of [`FRAME_MAX`].
    frames: Box<[u8]>,
    lengths: [usize; BATCH],
}

/// The result of composing a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Composed {
    /// It is a frame.
    Ready,
    /// It is a frame whose hardware address is not known: an ARP request for this address is needed.
    Waits(Ipv4Addr),
}

impl Segment {
    pub(super) fn new(mac: Mac, port: u16, class: u8) -> Self {
        Self {
            mac,
            port,
            class,
            addresses: Addresses::new(),
            neighbours: Neighbours::default(),
            frames: vec![0; FRAME_MAX * BATCH].into_boxed_slice(),
            lengths: [0; BATCH],
        }
    }

    /// Makes frame `index` of a message.
    pub(super) fn compose(
        &mut self,
        index: usize,
        datagram: &OutgoingDatagram<'_>,
    ) -> io::Result<Composed> {
        let IpAddr::V4(to) = datagram.to.ip() else {
            return Err(io::Error::from_raw_os_error(libc::EAFNOSUPPORT));
        };
        let way = if to.is_broadcast() { Some(EVERYBODY) } else { self.neighbours.way(to) };
        let source = self.speaker(datagram.bytes);
        let destination = End {
            mac: way.unwrap_or(EVERYBODY),
            socket: SocketAddrV4::new(to, datagram.to.port()),
        };
        let room = &mut self.frames[index * FRAME_MAX..][..FRAME_MAX];
        let length = frame::write(room, &source, &destination, self.class, datagram.bytes)
            .ok_or_else(|| io::Error::from_raw_os_error(libc::EMSGSIZE))?;
        self.lengths[index] = length;
        if let Ok(message) = Message::scan(datagram.bytes) {
            self.addresses.on_sent(&message);
        }
        Ok(if way.is_some() { Composed::Ready } else { Composed::Waits(to) })
    }

    /// Frame `index`, as it was composed.
    pub(super) fn frame(&self, index: usize) -> &[u8] {
        &self.frames[index * FRAME_MAX..][..self.lengths[index]]
    }

    /// Keeps the first frame until its destination is known; returns the ARP request to send, if none is pending.
    pub(super) fn keep(&mut self, to: Ipv4Addr) -> io::Result<Option<[u8; arp::FRAME]>> {
        let frame = &self.frames[..self.lengths[0]];
        let new =
            self.neighbours.wait(to, frame).ok_or(io::Error::from_raw_os_error(libc::ENOBUFS))?;
        Ok(if new { question(frame, to) } else { None })
    }

    /// Processes a frame: returns a message for a client of this link, or `None`. Frames that must be sent in reply at
    /// once are passed to `send`.
    pub(super) fn receive(
        &mut self,
        bytes: &[u8],
        beside: &AncillaryData,
        at: Option<Moment>,
        send: impl Fn(&[u8]),
    ) -> Option<Arrived> {
        if beside.status & libc::TP_STATUS_VLAN_VALID != 0 {
            // It belongs to another network on the same wire.
            return None;
        }
        match frame::read(bytes, trust(beside))? {
            Frame::Arp(reported) => {
                self.neighbours.answered(reported.sender.1, reported.sender.0);
                if !reported.answer
                    && let Some(mac) = self.addresses.holder(reported.target.1)
                {
                    send(&reported.answered_by(mac).frame());
                }
                None
            }
            Frame::Datagram { source, destination, start, length } => {
                if destination.socket.port() != self.port {
                    return None;
                }
                self.learn(&source, &bytes[start..start + length]);
                let from = source.socket.into();
                Some(Arrived {
                    slot: 0,
                    start,
                    length,
                    truncated: beside.truncated,
                    from,
                    at,
                    stamp: beside.stamp,
                    stamped: None,
                })
            }
        }
    }

    /// Sends the frames whose hardware address is known now.
    pub(super) fn release(&mut self, send: impl Fn(&[u8])) {
        while let Some((mac, mut frame)) = self.neighbours.take_ready() {
            frame[..mac.len()].copy_from_slice(&mac);
            send(&frame);
        }
    }

    /// Whether an ARP request is pending.
    pub(super) const fn waits_for_arp(&self) -> bool {
        self.neighbours.is_waited_for()
    }

    /// Repeats the ARP requests that are still unanswered.
    pub(super) fn repeat_requests(&mut self, send: impl Fn(&[u8])) {
        self.neighbours.repeat_requests(|to, frame| {
            if let Some(question) = question(frame, to) {
                send(&question);
            }
        });
    }

    /// The sender of a message: the client with its hardware address and, once it has one, its IP address. A message
    /// that is too short to name a client is sent from the interface itself.
    fn speaker(&self, message: &[u8]) -> End {
        let field = |start: usize, length: usize| message.get(start..start + length);
        let mac = field(at::CHADDR, 6).and_then(|it| it.try_into().ok());
        let ip = field(at::CIADDR, 4).and_then(|it| <[u8; 4]>::try_from(it).ok());
        End {
            mac: mac.filter(|it| *it != [0; 6]).unwrap_or(self.mac),
            socket: SocketAddrV4::new(ip.unwrap_or_default().into(), self.port),
        }
    }

    fn learn(&mut self, source: &End, payload: &[u8]) {
        if let Ok(message) = Message::scan(payload)
            && message.is_reply()
        {
            self.addresses.on_reply(&message);
            if !source.socket.ip().is_unspecified() {
                self.neighbours.replied(*source.socket.ip(), source.mac);
            }
        }
    }
}

/// The ARP request for `wanted`, from the sender of this frame.
fn question(frame: &[u8], wanted: Ipv4Addr) -> Option<[u8; arp::FRAME]> {
    let mac = frame.get(6..12)?.try_into().ok()?;
    let ip: [u8; 4] = frame.get(26..30)?.try_into().ok()?;
    Some(Arp::question((mac, ip.into()), wanted).frame())
}

const fn trust(beside: &AncillaryData) -> Trust {
    if beside.truncated {
        Trust::Cut
    } else if beside.status & libc::TP_STATUS_CSUMNOTREADY != 0 {
        Trust::Unchecked
    } else {
        Trust::Checked
    }
}
