//! Filling in fields of a message in place, so that a packet is composed once and sent a million times.
//!
//! The message must be long enough for the field. This is known when the message is compiled, so a field that does not
//! fit is a bug in this program. In that case the message is not changed, and there is no panic.

use super::at;
use std::net::Ipv4Addr;

/// Sets the transaction id.
#[inline]
pub fn xid(message: &mut [u8], xid: u32) {
    put(message, at::XID, &xid.to_be_bytes());
}

/// Sets the number of relay agents passed.
#[inline]
pub fn hops(message: &mut [u8], hops: u8) {
    put(message, at::HOPS, &[hops]);
}

/// Sets the seconds since the client began.
#[inline]
pub fn secs(message: &mut [u8], secs: u16) {
    put(message, at::SECS, &secs.to_be_bytes());
}

/// Sets the flags.
#[inline]
pub fn flags(message: &mut [u8], flags: u16) {
    put(message, at::FLAGS, &flags.to_be_bytes());
}

/// Sets the client's address.
#[inline]
pub fn ciaddr(message: &mut [u8], address: Ipv4Addr) {
    put(message, at::CIADDR, &address.octets());
}

/// Sets the relay agent's address.
#[inline]
pub fn giaddr(message: &mut [u8], address: Ipv4Addr) {
    put(message, at::GIADDR, &address.octets());
}

/// Sets the first octets of the client's hardware address.
#[inline]
pub fn chaddr(message: &mut [u8], address: &[u8]) {
    debug_assert!(address.len() <= 16, "a hardware address has at most 16 octets");
    put(message, at::CHADDR, address);
}

/// Overwrites the bytes at `offset`, such as the value of an option of the same length.
#[inline]
pub fn put(message: &mut [u8], offset: usize, bytes: &[u8]) {
    let place = message.get_mut(offset..).and_then(|rest| rest.get_mut(..bytes.len()));
    debug_assert!(place.is_some(), "{} bytes do not fit at offset {offset}", bytes.len());
    if let Some(place) = place {
        place.copy_from_slice(bytes);
    }
}
