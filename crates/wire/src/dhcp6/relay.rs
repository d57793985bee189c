//! Relay messages (RFC 8415 sections 9 and 19): taken off a message, put around one, answered.
//!
//! How deep they nest is bounded by [`DEPTH_MAX`], so the places of all lengths of a datagram fit
//! a [`Nest`] on the stack.

use super::option::HEADER_LENGTH as OPTION_HEADER;
use super::writer::close;
use super::{DecodeError, Message, MessageType, Options, Writer, code};
use std::net::Ipv6Addr;

/// The most levels that are read or written. `HOP_COUNT_LIMIT` of RFC 8415 section 7.6 is 8, that of
/// RFC 3315 was 32.
pub const DEPTH_MAX: usize = 32;

/// The length of the header: type, hop count, link address and peer address.
pub const HEADER_LENGTH: usize = 34;

/// Where the link address stands in a relay message.
pub const LINK_AT: usize = 2;

/// Where the peer address stands in a relay message.
pub const PEER_AT: usize = 18;

/// One relay message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relay<'a> {
    /// RELAY-FORW or RELAY-REPL.
    pub kind: MessageType,
    /// How many relay agents carried the message before.
    pub hops: u8,
    /// The link the client is on.
    pub link: Ipv6Addr,
    /// Where the message came from, or is to go.
    pub peer: Ipv6Addr,
    /// The options, the relayed message among them.
    pub options: Options<'a>,
    /// The message it carries.
    pub message: &'a [u8],
    /// Where that message begins.
    pub offset: usize,
}

impl<'a> Relay<'a> {
    /// Reads a relay message, and nothing of the message that it carries.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let short = DecodeError::TooShort { length: bytes.len(), needed: HEADER_LENGTH };
        let (first, _) = bytes.split_first().ok_or(short)?;
        let kind = MessageType(*first);
        if !kind.is_relay() {
            return Err(DecodeError::MessageType { offset: 0, found: kind });
        }
        let (header, rest) = bytes.split_first_chunk::<HEADER_LENGTH>().ok_or(short)?;
        let [_, hops, addresses @ ..] = header;
        let (link, peer) = addresses.split_at(PEER_AT - LINK_AT);
        let address = |octets: &[u8]| <[u8; 16]>::try_from(octets).unwrap_or_default().into();
        let options = Options::parse(rest, HEADER_LENGTH)?;
        let missing = DecodeError::Missing { offset: 0, code: code::RELAY_MESSAGE };
        let relayed = options.find(code::RELAY_MESSAGE).ok_or(missing)?;
        Ok(Self {
            kind,
            hops: *hops,
            link: address(link),
            peer: address(peer),
            options,
            message: relayed.data,
            offset: relayed.offset + OPTION_HEADER,
        })
    }
}

/// What is left when all relay messages are taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unwrapped<'a> {
    /// The message of the client or server.
    pub message: Message<'a>,
    /// How many relay messages it came in.
    pub depth: usize,
    /// The relay message around it, if there is one: nearest to the client.
    pub nearest: Option<Relay<'a>>,
}

/// Takes a datagram out of its relay messages, if it came in any.
pub fn unwrap(datagram: &[u8]) -> Result<Unwrapped<'_>, DecodeError> {
    let mut nearest = None;
    let mut offset = 0;
    let mut bytes = datagram;
    for depth in 0..=DEPTH_MAX {
        if !bytes.first().is_some_and(|first| MessageType(*first).is_relay()) {
            let message = Message::parse_at(bytes, offset)?;
            return Ok(Unwrapped { message, depth, nearest });
        }
        if depth < DEPTH_MAX {
            let relay = Relay::parse(bytes).map_err(|error| error.shifted(offset))?;
            nearest = Some(relay);
            offset += relay.offset;
            bytes = relay.message;
        }
    }
    Err(DecodeError::TooDeep { offset })
}

/// One relay agent on the way from the client to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The link address.
    pub link: Ipv6Addr,
    /// The peer address.
    pub peer: Ipv6Addr,
    /// Options to stand before the relayed message, encoded.
    pub options: Vec<u8>,
}

/// The relay messages that are put around every message, ready to be copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// Everything before the message, the lengths of the relay message options zero.
    bytes: Vec<u8>,
    nest: Nest,
}

impl Envelope {
    /// Relay messages for these agents, the one nearest to the client first. Nothing if there are
    /// more than [`DEPTH_MAX`].
    pub fn new(levels: &[Level]) -> Option<Self> {
        let mut envelope = Self::default();
        for (hops, level) in levels.iter().enumerate().rev() {
            let header = [MessageType::RELAY_FORW.0, u8::try_from(hops).ok()?];
            envelope.bytes.extend_from_slice(&header);
            envelope.bytes.extend_from_slice(&level.link.octets());
            envelope.bytes.extend_from_slice(&level.peer.octets());
            envelope.bytes.extend_from_slice(&level.options);
            if !envelope.nest.open(&mut envelope.bytes) {
                return None;
            }
        }
        Some(envelope)
    }

    /// How many bytes stand before the message.
    pub const fn length(&self) -> usize {
        self.bytes.len()
    }

    /// Where the header of the relay message nearest to the client begins, if there is one.
    pub fn nearest_at(&self) -> Option<usize> {
        let outer = self.nest.places().len().checked_sub(2);
        let before = outer.and_then(|outer| self.nest.places().get(outer));
        (!self.nest.places().is_empty()).then(|| before.map_or(0, |at| at + OPTION_HEADER))
    }

    /// Writes the relay messages at the end of `out`, which must be empty; the message follows.
    pub fn open(&self, out: &mut Vec<u8>) {
        debug_assert!(out.is_empty(), "the places of the lengths count from the first byte");
        out.extend_from_slice(&self.bytes);
    }

    /// Writes the lengths, once the message stands in `out`.
    pub fn close(&self, out: &mut Vec<u8>) {
        self.nest.close(out);
    }
}

/// The places of relay message options whose lengths are not known yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nest {
    places: [usize; DEPTH_MAX],
    depth: usize,
}

impl Nest {
    /// Begins the answer to a datagram: RELAY-REPLs in the order of the RELAY-FORWs it came in, each
    /// with the hop count, the addresses and the interface-id of the other (RFC 8415 section 19.3).
    /// Writes nothing for a datagram that came in none.
    pub fn answering(datagram: &[u8], out: &mut Vec<u8>) -> Result<Self, DecodeError> {
        let mut nest = Self::default();
        let mut offset = 0;
        let mut bytes = datagram;
        while bytes.first().is_some_and(|first| MessageType(*first).is_relay()) {
            let relay = Relay::parse(bytes).map_err(|error| error.shifted(offset))?;
            out.extend_from_slice(&[MessageType::RELAY_REPL.0, relay.hops]);
            out.extend_from_slice(&relay.link.octets());
            out.extend_from_slice(&relay.peer.octets());
            if let Some(interface) = relay.options.find(code::INTERFACE_ID) {
                out.extend_from_slice(interface.whole);
            }
            if !nest.open(out) {
                return Err(DecodeError::TooDeep { offset });
            }
            offset += relay.offset;
            bytes = relay.message;
        }
        Ok(nest)
    }

    /// Opens a relay message option at the end of `out`, unless there are too many already.
    pub fn open(&mut self, out: &mut Vec<u8>) -> bool {
        let Some(place) = self.places.get_mut(self.depth) else { return false };
        *place = out.len();
        self.depth += 1;
        let _ = Writer::behind(out).open(code::RELAY_MESSAGE);
        true
    }

    /// Writes the lengths, innermost first, once the message stands in `out`.
    pub fn close(&self, out: &mut Vec<u8>) {
        for at in self.places().iter().rev() {
            close(out, *at);
        }
    }

    fn places(&self) -> &[usize] {
        self.places.get(..self.depth).unwrap_or_default()
    }
}
