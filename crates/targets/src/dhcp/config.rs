//! What can be chosen about an embedded DHCP server.
//!
//! Plain fields with defaults that suit a first run on one machine; whoever starts a server changes
//! those that matter. Every link is served from the same pools: what is asked by way of many relays
//! needs no pool for each.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use super::pool::{Pool4, Pool6, PrefixPool};
use super::script::Script;

/// What an embedded DHCP server is like.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen, IPv4 for DHCPv4 and IPv6 for DHCPv6. Port 0 is a free one.
    pub listen: Vec<SocketAddr>,
    /// Whether it may listen at all addresses of an interface, and broadcast. A server that does so
    /// answers whoever asks, which on a network with users is an outage.
    pub lab: bool,
    /// The interface to which such a server keeps.
    pub interface: Option<String>,
    /// What DHCPv4 clients are given.
    pub v4: V4,
    /// What DHCPv6 clients are given.
    pub v6: V6,
    /// How to misbehave, if at all.
    pub script: Option<Script>,
}

/// What DHCPv4 clients are given.
#[derive(Clone, Debug)]
pub struct V4 {
    /// The addresses.
    pub pools: Vec<Pool4>,
    /// How long a lease lasts, in seconds. T1 and T2 are a half and seven eighths of it.
    pub lifetime: u32,
    /// How long an offer holds.
    pub offer_holds: Duration,
    /// How long an address that was declined is given to nobody.
    pub quarantine: Duration,
    /// The routers that clients are told.
    pub routers: Vec<Ipv4Addr>,
    /// The name servers that clients are told.
    pub name_servers: Vec<Ipv4Addr>,
    /// What the server calls itself; without it, the address it listens at.
    pub server_id: Option<Ipv4Addr>,
    /// Whether rapid commit is granted to those that ask for it (RFC 4039).
    pub rapid_commit: bool,
    /// Whether answers go to where the request came from, whatever it says. Without it they go where
    /// RFC 2131 section 4.1 wants them: to port 67 of the relay, or to port 68 of the client.
    pub reply_to_source: bool,
}

/// What DHCPv6 clients are given. Answers always go to where the request came from.
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
    /// How long what was advertised is kept for whoever asked.
    pub offer_holds: Duration,
    /// How long an address that was declined is given to nobody.
    pub quarantine: Duration,
    /// The name servers that clients are told.
    pub name_servers: Vec<Ipv6Addr>,
    /// The DUID of the server; without it, one made up at the start.
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
