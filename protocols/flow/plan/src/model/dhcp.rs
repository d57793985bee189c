//! The DHCP server that steps use, and the exchanges with it.

use std::net::{Ipv4Addr, SocketAddr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::values::Time;

/// The DHCP server for `dhcp` steps. Each virtual user is a separate client behind a relay. The address of the server
/// selects the protocol: DHCPv4 for an IPv4 address, DHCPv6 for an IPv6 address.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Dhcp {
    /// Address of the server: `172.16.1.1:67` or `[fd00:16::1]:547`.
    #[schemars(with = "String")]
    pub server: SocketAddr,
    /// Local address to send from; by default that of the route to the server.
    #[schemars(with = "Option<String>")]
    pub local: Option<SocketAddr>,
    /// Relay address in DHCPv4 messages; by default the local address.
    #[schemars(with = "Option<String>")]
    pub relay: Option<Ipv4Addr>,
    /// MAC address of the first client; those of the others are derived from their numbers.
    pub mac: Option<String>,
    /// How long to wait for an answer.
    pub timeout: Option<Time>,
}

/// DHCP exchange of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DhcpStep {
    /// Obtains a lease: DISCOVER to ACK, SOLICIT to REPLY.
    Acquire,
    /// Renews the lease.
    Renew,
    /// Releases the lease.
    Release,
}
