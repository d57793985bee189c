//! A [`Template`]: a packet that the user composed, and the offsets of its fields.
//!
//! Each address family checks the offsets in its own way.

use std::path::PathBuf;

/// A packet to send in place of a default one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Where it comes from, for error messages.
    pub name: PathBuf,
    /// The packet, without anything around it.
    pub packet: Vec<u8>,
    /// Where its fields are, as far as the user specified them.
    pub offsets: Offsets,
}

/// Offsets into a packet, counted from 0 at its first byte. Those of options point at the option's code. If an offset
/// is not given, a header field has its standard offset, and an option is searched for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offsets {
    /// The transaction id (`-X`).
    pub xid: Option<usize>,
    /// The last octet that differs from client to client (`-O`). In DHCPv4 it is an octet of the MAC; if it is not
    /// given, both `chaddr` and a client identifier that repeats it are varied. In DHCPv6 it is an octet of the client
    /// identifier.
    pub identity: Option<usize>,
    /// The elapsed time (`-E`); if it is 0, the value in the template is not changed.
    pub elapsed: Option<usize>,
    /// The server identifier option (`-S`).
    pub server_id: Option<usize>,
    /// The option that says which lease is requested (`-I`): the requested address option, or the `IA_NA`.
    pub lease: Option<usize>,
}
