//! Ethernet's own header: addresses, types, and how long it is (RFC 894, RFC 826).
//!
//! It must not depend on what follows the header.

/// A hardware address.
pub(super) type Mac = [u8; 6];

/// The broadcast hardware address.
pub(super) const EVERYBODY: Mac = [0xff; 6];

/// The length of the header: destination, source, and the type of the content.
pub(super) const ETHERNET: usize = 14;

/// The type of IPv4.
pub(super) const TYPE_IPV4: [u8; 2] = [0x08, 0x00];
/// The type of ARP requests and replies.
pub(super) const TYPE_ARP: [u8; 2] = [0x08, 0x06];
