//! [`Family`]: DHCP for IPv4 or for IPv6.

/// The protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// DHCPv4.
    V4,
    /// DHCPv6.
    V6,
}
