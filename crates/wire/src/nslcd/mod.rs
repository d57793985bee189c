//! The protocol of nslcd, the daemon that asks a directory for nss-pam-ldapd: a request and a reply a connection.
//!
//! Numbers have 32 bits in network byte order, a text is its length and its bytes, and a reply is a sequence of
//! entries, each announced, up to a number that says there are no more. The layout is that of `nslcd.h` of
//! nss-pam-ldapd 0.9.12 and was compared with what its daemon sends.

mod reply;
mod request;

pub use reply::{Entry, Replies, Step};
pub use request::Request;

/// The version of the protocol.
pub const VERSION: u32 = 2;
