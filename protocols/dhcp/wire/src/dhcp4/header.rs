//! The [`Header`] of a message that is about to be written.

use super::{BOOTREPLY, BOOTREQUEST, ETHERNET, MAGIC_COOKIE, Message, OPTIONS_AT, at, patch};
use std::net::Ipv4Addr;

/// The fields before the options, without `sname` and `file`, which are written empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// [`BOOTREQUEST`] or [`BOOTREPLY`].
    pub op: u8,
    /// Hardware type.
    pub htype: u8,
    /// Length of the hardware address.
    pub hlen: u8,
    /// The number of relay agents passed.
    pub hops: u8,
    /// Transaction id.
    pub xid: u32,
    /// Seconds since the client began.
    pub secs: u16,
    /// Flags: [`BROADCAST`](super::BROADCAST) or nothing.
    pub flags: u16,
    /// The client's address, if it has one.
    pub ciaddr: Ipv4Addr,
    /// The address that the server assigns.
    pub yiaddr: Ipv4Addr,
    /// The next server of the bootstrap.
    pub siaddr: Ipv4Addr,
    /// The relay agent's address.
    pub giaddr: Ipv4Addr,
    /// The client's hardware address, padded with zeros.
    pub chaddr: [u8; 16],
}

impl Header {
    /// The header of a request of an Ethernet client, with all other fields zero.
    pub const fn request() -> Self {
        Self {
            op: BOOTREQUEST,
            htype: ETHERNET,
            hlen: 6,
            hops: 0,
            xid: 0,
            secs: 0,
            flags: 0,
            ciaddr: Ipv4Addr::UNSPECIFIED,
            yiaddr: Ipv4Addr::UNSPECIFIED,
            siaddr: Ipv4Addr::UNSPECIFIED,
            giaddr: Ipv4Addr::UNSPECIFIED,
            chaddr: [0; 16],
        }
    }

    /// The header of a reply: what a server copies from the request (RFC 2131 section 4.3.1, table 3).
    pub fn reply_to(request: &Message<'_>) -> Self {
        Self {
            op: BOOTREPLY,
            hops: 0,
            secs: 0,
            ciaddr: Ipv4Addr::UNSPECIFIED,
            yiaddr: Ipv4Addr::UNSPECIFIED,
            siaddr: Ipv4Addr::UNSPECIFIED,
            ..request.header()
        }
    }

    /// Appends the header, empty `sname` and `file`, and the magic cookie: 240 bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut bytes = [0; OPTIONS_AT];
        patch::put(&mut bytes, at::OP, &[self.op, self.htype, self.hlen, self.hops]);
        patch::put(&mut bytes, at::XID, &self.xid.to_be_bytes());
        patch::put(&mut bytes, at::SECS, &self.secs.to_be_bytes());
        patch::put(&mut bytes, at::FLAGS, &self.flags.to_be_bytes());
        patch::put(&mut bytes, at::CIADDR, &self.ciaddr.octets());
        patch::put(&mut bytes, at::YIADDR, &self.yiaddr.octets());
        patch::put(&mut bytes, at::SIADDR, &self.siaddr.octets());
        patch::put(&mut bytes, at::GIADDR, &self.giaddr.octets());
        patch::put(&mut bytes, at::CHADDR, &self.chaddr);
        patch::put(&mut bytes, at::COOKIE, &MAGIC_COOKIE);
        out.extend_from_slice(&bytes);
    }
}
