//! A [`Template`]: a packet that the user composed, and what is claimed to stand where in it.
//!
//! What a claim has to hold against is the family's own business.

use std::path::PathBuf;

/// A packet to send in place of a default one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Where it comes from, for errors.
    pub name: PathBuf,
    /// The packet, without anything around it.
    pub packet: Vec<u8>,
    /// Where its fields are, as far as the user says.
    pub offsets: Offsets,
}

/// Offsets into a packet, counted from 0 at its first byte. Those of options point at the option's code. Fields of a
/// header have their own places if nothing is said, options are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offsets {
    /// The transaction id (`-X`).
    pub xid: Option<usize>,
    /// The last octet that differs from client to client (`-O`): of the MAC in DHCPv4, where both `chaddr` and a client
    /// identifier that repeats it are meant if nothing is said; of the client identifier in DHCPv6.
    pub identity: Option<usize>,
    /// The elapsed time (`-E`); it stays as it is in the template if it is 0.
    pub elapsed: Option<usize>,
    /// The server identifier option (`-S`).
    pub server_id: Option<usize>,
    /// What says which lease is requested (`-I`): the requested address option, or the `IA_NA`.
    pub lease: Option<usize>,
}
