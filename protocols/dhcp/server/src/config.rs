//! The configuration of an embedded DHCP server.
//!
//! The defaults suit a first run on one machine. Every link is served from the same pools, so that many relays need no
//! pool each.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use super::pool::{Pool4, Pool6, PrefixPool};
use super::script::Script;

/// The configuration of an embedded DHCP server.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen, IPv4 for DHCPv4 and IPv6 for DHCPv6. Port 0 is a free one.
    pub listen: Vec<SocketAddr>,
    /// Whether it may listen on all addresses of an interface, and broadcast. Such a server answers every client, which
    /// on a network with users causes an outage.
    pub lab: bool,
    /// The interface that such a server is bound to.
    pub interface: Option<String>,
    /// What DHCPv4 clients receive.
    pub v4: V4,
    /// What DHCPv6 clients receive.
    pub v6: V6,
    /// The fault script, if there is one.
    pub script: Option<Script>,
}

/// What DHCPv4 clients receive.
#[derive(Clone, Debug)]
pub struct V4 {
    /// The addresses.
    pub pools: Vec<Pool4>,
    /// How long a lease lasts, in seconds. T1 and T2 are a half and seven eighths of it.
    pub lifetime: u32,
    /// How long an offer is reserved.
    pub offer_holds: Duration,
    /// How long a declined address is withheld.
    pub quarantine: Duration,
    /// The routers that clients receive.
    pub routers: Vec<Ipv4Addr>,
    /// The name servers that clients receive.
    pub name_servers: Vec<Ipv4Addr>,
    /// The identifier of the server; without it, the address it listens on.
    pub server_id: Option<Ipv4Addr>,
    /// Whether rapid commit is granted to those that ask for it (RFC 4039).
    pub rapid_commit: bool,
    /// Whether answers are sent to the source of the request. Otherwise they are sent as RFC 2131 section 4.1 requires:
    /// to port 67 of the relay, or to port 68 of the client.
    pub reply_to_source: bool,
}

/// What DHCPv6 clients receive. Answers are always sent to the source of the request.
#[derive(Clone, Debug)]
pub struct V6 {
    /// The addresses.
    pub pools: Vec<Pool6>,
    /// The prefixes that are delegated.
    pub prefixes: Vec<PrefixPool>,
    /// How long a lease is preferred, in seconds. T1 and T2 are a half and four fifths of it.
    pub preferred: u32,
    /// How long a lease lasts, in seconds.
    pub valid: u32,
    /// How long an advertised lease is reserved.
    pub offer_holds: Duration,
    /// How long a declined address is withheld.
    pub quarantine: Duration,
    /// The name servers that clients receive.
    pub name_servers: Vec<Ipv6Addr>,
    /// The DUID of the server; without it, one generated at the start.
    pub duid: Option<Vec<u8>>,
    /// Whether rapid commit is granted to those that ask for it.
    pub rapid_commit: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: vec![SocketAddr::from(([127, 0, 0, 1], 0))],
            lab: false,
            interface: None,
            v4: V4::default(),
            v6: V6::default(),
            script: None,
        }
    }
}

impl Default for V4 {
    fn default() -> Self {
        Self {
            pools: "10.0.0.0/8".parse().into_iter().collect(),
            lifetime: 3600,
            offer_holds: Duration::from_secs(60),
            quarantine: Duration::from_secs(86_400),
            routers: Vec::new(),
            name_servers: Vec::new(),
            server_id: None,
            rapid_commit: true,
            reply_to_source: false,
        }
    }
}

impl Default for V6 {
    fn default() -> Self {
        Self {
            pools: "2001:db8:1::/64".parse().into_iter().collect(),
            prefixes: "2001:db8:8000::/36/56".parse().into_iter().collect(),
            preferred: 3000,
            valid: 4000,
            offer_holds: Duration::from_secs(60),
            quarantine: Duration::from_secs(86_400),
            name_servers: Vec::new(),
            duid: None,
            rapid_commit: true,
        }
    }
}
