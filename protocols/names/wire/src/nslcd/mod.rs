//! The protocol of nslcd, the daemon that queries a directory for nss-pam-ldapd: one request and one reply for each
//! connection.
//!
//! Numbers have 32 bits in network byte order, a text is its length followed by its bytes, and a reply is a sequence of
//! entries, each preceded by a number that announces it; another number marks the end. The layout is that of `nslcd.h`
//! of nss-pam-ldapd 0.9.12 and was compared with what its daemon sends.

mod reply;
mod request;

pub use reply::{Entry, Replies, Step};
pub use request::Request;

/// The version of the protocol.
pub const VERSION: u32 = 2;
