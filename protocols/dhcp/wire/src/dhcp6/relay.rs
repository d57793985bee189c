//! Relay messages (RFC 8415 sections 9 and 19): removed from a message, put around one, and answered.
//!
//! A datagram of several levels is written in one pass from the outermost to the innermost: for each level a
//! [`header`], its options and an opened relay message option, then the message, then the lengths.
//!
//! The depth is limited by [`DEPTH_MAX`], so the positions of all lengths of a datagram fit in a [`RelayNesting`] on
//! the stack.

use super::option::HEADER_LENGTH as OPTION_HEADER;
use super::writer::close;
use super::{DecodeError, Message, MessageType, Options, Writer, code};
use std::net::Ipv6Addr;

/// The maximum number of levels that are read or written. `HOP_COUNT_LIMIT` of RFC 8415 section 7.6 is 8, that of RFC
/// 3315 was 32.
pub const DEPTH_MAX: usize = 32;

/// The length of the header: type, hop count, link address and peer address.
pub const HEADER_LENGTH: usize = 34;

/// One relay message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relay<'a> {
    /// RELAY-FORW or RELAY-REPL.
    pub kind: MessageType,
    /// How many relay agents forwarded the message before.
    pub hops: u8,
    /// The link the client is on.
    pub link: Ipv6Addr,
    /// Where the message came from, or must go.
    pub peer: Ipv6Addr,
    /// The options, including the relayed message.
    pub options: Options<'a>,
    /// The message it carries.
    pub message: &'a [u8],
    /// Where that message begins.
    pub offset: usize,
}

impl<'a> Relay<'a> {
    /// Parses a relay message, but not the message that it carries.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let short = DecodeError::TooShort { length: bytes.len(), needed: HEADER_LENGTH };
        let (first, _) = bytes.split_first().ok_or(short)?;
        let kind = MessageType(*first);
        if !kind.is_relay() {
            return Err(DecodeError::MessageType { offset: 0, found: kind });
        }
        let (header, rest) = bytes.split_first_chunk::<HEADER_LENGTH>().ok_or(short)?;
        let [_, hops, addresses @ ..] = header;
        let (link, peer) = addresses.split_at(16);
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

/// A message without its relay messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unwrapped<'a> {
    /// The message of the client or server.
    pub message: Message<'a>,
    /// Where in the datagram that message begins.
    pub offset: usize,
    /// The number of relay messages around it.
    pub depth: usize,
    /// The relay message directly around it, nearest to the client, if there is one.
    pub nearest: Option<Relay<'a>>,
}

/// Removes the relay messages around a datagram's message, if there are any.
pub fn unwrap(datagram: &[u8]) -> Result<Unwrapped<'_>, DecodeError> {
    let mut nearest = None;
    let mut offset = 0;
    let mut bytes = datagram;
    for depth in 0..=DEPTH_MAX {
        if !bytes.first().is_some_and(|first| MessageType(*first).is_relay()) {
            let message = Message::parse_at(bytes, offset)?;
            return Ok(Unwrapped { message, offset, depth, nearest });
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

/// Begins a relay message at the end of `out`: writes its header. Options may follow before the relay message option is
/// opened by [`RelayNesting::open`].
pub fn header(kind: MessageType, hops: u8, link: Ipv6Addr, peer: Ipv6Addr, out: &mut Vec<u8>) {
    out.extend_from_slice(&[kind.0, hops]);
    out.extend_from_slice(&link.octets());
    out.extend_from_slice(&peer.octets());
}

/// The positions of relay message options whose lengths are not known yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RelayNesting {
    places: [usize; DEPTH_MAX],
    depth: usize,
}

impl RelayNesting {
    /// Begins the answer to a datagram: RELAY-REPLs in the order of the datagram's RELAY-FORWs, each with the same hop
    /// count, addresses and interface-id (RFC 8415 section 19.3). Writes nothing for a datagram without relay messages.
    pub fn answering(datagram: &[u8], out: &mut Vec<u8>) -> Result<Self, DecodeError> {
        let mut nest = Self::default();
        let mut offset = 0;
        let mut bytes = datagram;
        while bytes.first().is_some_and(|first| MessageType(*first).is_relay()) {
            let relay = Relay::parse(bytes).map_err(|error| error.shifted(offset))?;
            header(MessageType::RELAY_REPL, relay.hops, relay.link, relay.peer, out);
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

    /// Opens a relay message option at the end of `out`. Returns false if there are too many already.
    pub fn open(&mut self, out: &mut Vec<u8>) -> bool {
        let Some(place) = self.places.get_mut(self.depth) else { return false };
        *place = out.len();
        self.depth += 1;
        let _ = Writer::behind(out).open(code::RELAY_MESSAGE);
        true
    }

    /// Writes the lengths, innermost first, after the message has been written to `out`.
    pub fn close(&self, out: &mut Vec<u8>) {
        for at in self.places().iter().rev() {
            close(out, *at);
        }
    }

    fn places(&self) -> &[usize] {
        self.places.get(..self.depth).unwrap_or_default()
    }
}
