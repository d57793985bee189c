//! DHCP for IPv6 (RFC 8415): messages are scanned and written, relay messages removed and added.
//!
//! A [`Message`] is checked once, when it is parsed: from then on its options are known to fill it completely, and
//! searching for one cannot fail. The contents of an option are checked where they are read. A message is written with
//! a [`Writer`] directly into the buffer that is sent, or composed as a [`Draft`] whose options may be added in any
//! order. Relay messages, up to a maximum number of levels, are read by [`relay::unwrap`] and written around a message
//! with a [`RelayNesting`].

pub mod code;
mod draft;
mod duid;
mod error;
mod ia;
mod message;
mod message_type;
pub mod option;
pub mod relay;
pub mod status;
mod writer;

pub use draft::Draft;
pub use duid::Duid;
pub use error::DecodeError;
pub use ia::{Ia, IaKind, Lease};
pub use message::{HEADER_LENGTH, Message, set_elapsed, set_xid};
pub use message_type::MessageType;
pub use option::{Opt, Options};
pub use relay::{Relay, RelayNesting};
pub use status::Status;
pub use writer::{Open, Writer};

use std::net::Ipv6Addr;

/// The port clients listen on.
pub const CLIENT_PORT: u16 = 546;

/// The port servers and relay agents listen on.
pub const SERVER_PORT: u16 = 547;

/// `All_DHCP_Relay_Agents_and_Servers`, on the link (RFC 8415 section 7.1).
pub const ALL_AGENTS: Ipv6Addr = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 1, 2);

/// `All_DHCP_Servers`, in the site (RFC 8415 section 7.1).
pub const ALL_SERVERS: Ipv6Addr = Ipv6Addr::new(0xff05, 0, 0, 0, 0, 0, 1, 3);

/// The highest transaction id; an id has three octets.
pub const XID_MAX: u32 = 0x00ff_ffff;
