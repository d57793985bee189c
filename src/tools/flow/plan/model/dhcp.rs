//! The DHCP server that steps ask, and what they ask it.

use std::net::{Ipv4Addr, SocketAddr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tools::flow::plan::values::Time;

/// The DHCP server that `dhcp` steps ask. Each virtual user is a client of its own, behind a relay; the address of the
/// server says which protocol is spoken: DHCPv4 to an IPv4 address, DHCPv6 to an IPv6 address.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Dhcp {
    /// Where it is: `192.0.2.1:67` or `[2001:db8::1]:547`.
    #[schemars(with = "String")]
    pub(crate) server: SocketAddr,
    /// The address to send from; without it, that of the route to the server.
    #[schemars(with = "Option<String>")]
    pub(crate) local: Option<SocketAddr>,
    /// The address of the relay in messages of DHCPv4; without it, the one that is sent from.
    #[schemars(with = "Option<String>")]
    pub(crate) relay: Option<Ipv4Addr>,
    /// The MAC address of the first client; that of each other follows from its number.
    pub(crate) mac: Option<String>,
    /// How long to wait for an answer.
    pub(crate) timeout: Option<Time>,
}

/// What a step asks a DHCP server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DhcpStep {
    /// Asks for a lease: DISCOVER to ACK, SOLICIT to REPLY.
    Acquire,
    /// Renews the lease.
    Renew,
    /// Gives the lease back.
    Release,
}
