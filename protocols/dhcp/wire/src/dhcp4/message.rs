//! A received [`Message`], read in place.
//!
//! Parsing checks that every option is inside its field, and records the positions of the options that every exchange
//! needs; all others are looked up on demand.

use super::{
    BOOTREPLY, DecodeError, Header, MAGIC_COOKIE, MessageType, OPTIONS_AT, Options, at, option,
};
use std::net::Ipv4Addr;

/// A message whose header is complete and whose options lie within their fields.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    bytes: &'a [u8],
    kind: Option<u8>,
    server_id: Option<Ipv4Addr>,
}

impl<'a> Message<'a> {
    /// Reads a message.
    #[inline]
    pub fn scan(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        if bytes.len() < OPTIONS_AT {
            return Err(DecodeError::TooShort { length: bytes.len() });
        }
        if bytes.get(at::COOKIE..OPTIONS_AT) != Some(&MAGIC_COOKIE[..]) {
            return Err(DecodeError::NoCookie);
        }
        let mut message = Self { bytes, kind: None, server_id: None };
        if message.hlen() > 16 {
            return Err(DecodeError::HardwareLength { length: message.hlen() });
        }
        for each in message.options() {
            let each = each?;
            match (each.code, each.value) {
                (option::MESSAGE_TYPE, [kind]) if message.kind.is_none() => {
                    message.kind = Some(*kind);
                }
                (option::SERVER_ID, &[a, b, c, d]) if message.server_id.is_none() => {
                    message.server_id = Some(Ipv4Addr::new(a, b, c, d));
                }
                _ => {}
            }
        }
        Ok(message)
    }

    /// All bytes of the message.
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Whether it comes from a server.
    pub fn is_reply(&self) -> bool {
        self.op() == BOOTREPLY
    }

    /// The op code.
    pub fn op(&self) -> u8 {
        self.byte(at::OP)
    }

    /// The hardware type.
    pub fn htype(&self) -> u8 {
        self.byte(at::HTYPE)
    }

    /// The length of the hardware address.
    pub fn hlen(&self) -> u8 {
        self.byte(at::HLEN)
    }

    /// How many relay agents it passed.
    pub fn hops(&self) -> u8 {
        self.byte(at::HOPS)
    }

    /// The transaction id.
    pub fn xid(&self) -> u32 {
        u32::from_be_bytes(self.array(at::XID))
    }

    /// The seconds since the client began.
    pub fn secs(&self) -> u16 {
        u16::from_be_bytes(self.array(at::SECS))
    }

    /// The flags.
    pub fn flags(&self) -> u16 {
        u16::from_be_bytes(self.array(at::FLAGS))
    }

    /// The client's address, if it has one.
    pub fn ciaddr(&self) -> Ipv4Addr {
        self.address(at::CIADDR)
    }

    /// The address that the server assigns.
    pub fn yiaddr(&self) -> Ipv4Addr {
        self.address(at::YIADDR)
    }

    /// The next server of the bootstrap.
    pub fn siaddr(&self) -> Ipv4Addr {
        self.address(at::SIADDR)
    }

    /// The relay agent's address.
    pub fn giaddr(&self) -> Ipv4Addr {
        self.address(at::GIADDR)
    }

    /// The client's hardware address, as long as the header says.
    pub fn chaddr(&self) -> &'a [u8] {
        let end = at::CHADDR + usize::from(self.hlen().min(16));
        self.bytes.get(at::CHADDR..end).unwrap_or_default()
    }

    /// The header, in a form that can be written again.
    pub fn header(&self) -> Header {
        Header {
            op: self.op(),
            htype: self.htype(),
            hlen: self.hlen(),
            hops: self.hops(),
            xid: self.xid(),
            secs: self.secs(),
            flags: self.flags(),
            ciaddr: self.ciaddr(),
            yiaddr: self.yiaddr(),
            siaddr: self.siaddr(),
            giaddr: self.giaddr(),
            chaddr: self.array(at::CHADDR),
        }
    }

    /// The type of the message. `None` if the option is missing, or its number is not one that clients or servers use.
    pub fn message_type(&self) -> Option<MessageType> {
        self.kind.and_then(MessageType::from_byte)
    }

    /// The server identifier.
    pub const fn server_id(&self) -> Option<Ipv4Addr> {
        self.server_id
    }

    /// All options, including those in overloaded fields.
    pub fn options(&self) -> Options<'a> {
        Options::new(self.bytes)
    }

    /// The value of the first option with this code.
    pub fn option(&self, code: u8) -> Option<&'a [u8]> {
        self.options().flatten().find(|each| each.code == code).map(|each| each.value)
    }

    /// Appends to `out` the values of all options with this code, which form one value (RFC 3396 section 7). Returns
    /// whether there was one.
    pub fn joined(&self, code: u8, out: &mut Vec<u8>) -> bool {
        let mut found = false;
        for each in self.options().flatten().filter(|each| each.code == code) {
            out.extend_from_slice(each.value);
            found = true;
        }
        found
    }

    /// The requested address.
    pub fn requested_address(&self) -> Option<Ipv4Addr> {
        self.fixed(option::REQUESTED_ADDRESS).map(Ipv4Addr::from)
    }

    /// The lease time in seconds; all ones means forever.
    pub fn lease_time(&self) -> Option<u32> {
        self.fixed(option::LEASE_TIME).map(u32::from_be_bytes)
    }

    /// T1 in seconds: when to renew.
    pub fn renewal_time(&self) -> Option<u32> {
        self.fixed(option::RENEWAL_TIME).map(u32::from_be_bytes)
    }

    /// T2 in seconds: when to rebind.
    pub fn rebinding_time(&self) -> Option<u32> {
        self.fixed(option::REBINDING_TIME).map(u32::from_be_bytes)
    }

    /// The client identifier.
    pub fn client_id(&self) -> Option<&'a [u8]> {
        self.option(option::CLIENT_ID)
    }

    /// The relay agent information, for [`relay::sub_options`](super::relay::sub_options).
    pub fn relay_info(&self) -> Option<&'a [u8]> {
        self.option(option::RELAY_INFO)
    }

    /// Whether rapid commit is requested or granted.
    pub fn rapid_commit(&self) -> bool {
        self.option(option::RAPID_COMMIT).is_some_and(<[u8]>::is_empty)
    }

    /// The reason that a server gives for a refusal.
    pub fn message(&self) -> Option<&'a [u8]> {
        self.option(option::MESSAGE)
    }

    /// The value of the first option with this code, if it has this length.
    fn fixed<const N: usize>(&self, code: u8) -> Option<[u8; N]> {
        self.option(code).and_then(|value| value.try_into().ok())
    }

    fn address(&self, offset: usize) -> Ipv4Addr {
        Ipv4Addr::from(self.array::<4>(offset))
    }

    fn byte(&self, offset: usize) -> u8 {
        self.bytes.get(offset).copied().unwrap_or_default()
    }

    /// A field of the header, which is known to be complete.
    #[inline]
    fn array<const N: usize>(&self, offset: usize) -> [u8; N] {
        self.bytes.get(offset..offset + N).and_then(|field| field.try_into().ok()).unwrap_or([0; N])
    }
}
