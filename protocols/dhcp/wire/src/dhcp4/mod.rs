//! DHCPv4 (RFC 2131, RFC 2132) as bytes: requests and replies are read in place, written, and patched.
//!
//! A client compiles a [`Draft`] once, copies its bytes for every exchange and fills in a few fields with [`patch`]; it
//! reads the answer with a [`Message`]. A server reads the request with a [`Message`] and writes its reply with a
//! [`Writer`]. [`FieldAt`] says what an offset in a packet points at, for packets that a user composed.

mod draft;
mod error;
mod header;
mod layout;
mod message;
mod message_type;
pub mod option;
mod options;
pub mod patch;
pub mod relay;
mod writer;

pub use draft::{Draft, Present};
pub use error::DecodeError;
pub use header::Header;
pub use layout::FieldAt;
pub use message::Message;
pub use message_type::MessageType;
pub use options::{DhcpOption, Options};
pub use writer::Writer;

/// The port of servers and relay agents.
pub const SERVER_PORT: u16 = 67;

/// The port of clients.
pub const CLIENT_PORT: u16 = 68;

/// The length of the header with the magic cookie: where the options begin, and the shortest message.
pub const OPTIONS_AT: usize = 240;

/// The bytes that distinguish DHCP from BOOTP (RFC 2131 section 3).
pub const MAGIC_COOKIE: [u8; 4] = [99, 130, 83, 99];

/// The flag with which a client requests broadcast answers (RFC 2131 section 2).
pub const BROADCAST: u16 = 0x8000;

/// The `op` of messages from clients and relay agents to servers.
pub const BOOTREQUEST: u8 = 1;

/// The `op` of messages from servers.
pub const BOOTREPLY: u8 = 2;

/// The hardware type of Ethernet.
pub const ETHERNET: u8 = 1;

/// Where the fields of the header begin (RFC 2131 section 2).
pub mod at {
    /// Message op code.
    pub const OP: usize = 0;
    /// Hardware type.
    pub const HTYPE: usize = 1;
    /// Length of the hardware address.
    pub const HLEN: usize = 2;
    /// The number of relay agents passed.
    pub const HOPS: usize = 3;
    /// Transaction id.
    pub const XID: usize = 4;
    /// Seconds since the client began.
    pub const SECS: usize = 8;
    /// Flags.
    pub const FLAGS: usize = 10;
    /// The client's address, if it has one.
    pub const CIADDR: usize = 12;
    /// The address that the server assigns.
    pub const YIADDR: usize = 16;
    /// The next server of the bootstrap.
    pub const SIADDR: usize = 20;
    /// The relay agent's address.
    pub const GIADDR: usize = 24;
    /// The client's hardware address, 16 octets.
    pub const CHADDR: usize = 28;
    /// The server's name, 64 octets, or options.
    pub const SNAME: usize = 44;
    /// The boot file's name, 128 octets, or options.
    pub const FILE: usize = 108;
    /// The magic cookie.
    pub const COOKIE: usize = 236;
}
