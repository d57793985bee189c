//! [`DhcpEndpoint`]: a connection to a DHCP server for clients that perform single exchanges, step by step.
//!
//! In a run of leases, rates and lifecycles decide what comes next. Here a flow decides, and a lease is one of its
//! steps, so only the server and the clients must be specified. There is one socket, read by one worker, because relay
//! agents have one port. It must not depend on what the steps are.

use super::population::{Mac, Population};
use super::setup::{Opener, Setup};
use super::{CaptureOptions, Dhcp, Limits, Mix, Task, v4, v6};
use brunt_exchange::{Clock, Slots};
use brunt_net::Network;
use brunt_net::interface::local_address;
use brunt_net::udp::{Bound, OpenError, Options, Socket};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// The default MAC of the first client, as in perfdhcp.
const FIRST_MAC: Mac = [0x00, 0x0c, 0x01, 0x02, 0x03, 0x04];

/// The settings of an endpoint.
#[derive(Clone, Debug)]
pub struct EndpointSetup {
    /// The server. Its address family selects the protocol.
    pub server: SocketAddr,
    /// The address to send from. If absent, the address of the route to the server, with the port at which relay agents
    /// receive answers.
    pub local: Option<SocketAddr>,
    /// The relay agent's address in DHCPv4 messages; if absent, the address that messages are sent from.
    pub relay: Option<Ipv4Addr>,
    /// The MAC of the first client, from which the MACs of the others are counted up.
    pub mac: Option<Mac>,
    /// How long to wait for an answer.
    pub wait: Duration,
    /// How many clients there are in the whole run.
    pub users: u32,
    /// The seed of the run.
    pub seed: u64,
}

impl EndpointSetup {
    /// The default settings for a server.
    pub fn new(server: SocketAddr, users: u32) -> Self {
        let wait = Duration::from_secs(1);
        Self { server, local: None, relay: None, mac: None, wait, users, seed: 0 }
    }
}

/// Why a DHCP server cannot be reached.
#[derive(Debug, thiserror::Error)]
pub enum DhcpEndpointError {
    /// There is no route.
    #[error("find a way to the DHCP server {server}: {source}; name the address to send from")]
    Route {
        /// The server.
        server: SocketAddr,
        /// The error that the system returned.
        source: std::io::Error,
    },
    /// The address to send from is of a different family than the server's.
    #[error("send from {local} to the DHCP server {server}: one is IPv4 and the other IPv6")]
    Families {
        /// The address to send from.
        local: SocketAddr,
        /// The server.
        server: SocketAddr,
    },
    /// The socket cannot be opened.
    #[error(transparent)]
    Socket(#[from] OpenError),
    /// The DHCPv4 packets cannot be built.
    #[error(transparent)]
    V4(#[from] v4::SetupError),
    /// The DHCPv6 packets cannot be built.
    #[error(transparent)]
    V6(#[from] v6::SetupError),
}

/// An endpoint with an open socket.
pub struct DhcpEndpoint(pub(super) Family);

pub(super) enum Family {
    V4(Dhcp<v4::Client, Socket>),
    V6(Dhcp<v6::Client, Socket>),
}

impl DhcpEndpoint {
    /// Opens the endpoint, whose answers are waited for by this clock.
    pub fn open(
        network: &Network,
        requested: &EndpointSetup,
        clock: Arc<dyn Clock + Send + Sync>,
    ) -> Result<Self, DhcpEndpointError> {
        let local = local(requested)?;
        let bound = Bound::open(network, &Options::new(requested.server, local))?;
        let socket: Opener<Socket> = Box::new(move || bound.register());
        let mac = requested.mac.unwrap_or(FIRST_MAC);
        let population = Population::cycle(mac, requested.users.into());
        Ok(Self(match local.ip() {
            IpAddr::V4(address) => {
                let relay = requested.relay.unwrap_or(address);
                let role = v4::Role::Relay { addresses: vec![relay], hops: 1 };
                let mut setup = v4::Setup::new(population.clone(), role, relay);
                (setup.seed, setup.waits) = (requested.seed, [requested.wait; 2]);
                let plan = v4::Plan::compile(setup)?;
                Family::V4(Dhcp::new(whole(requested, population, plan, (clock, socket)), 1))
            }
            IpAddr::V6(address) => {
                let mut setup = v6::Setup::new(population.clone(), v6::BaseDuid::LinkLayer);
                (setup.seed, setup.waits) = (requested.seed, [requested.wait; 2]);
                if !requested.server.ip().is_multicast() {
                    setup.relays = vec![relay(address)];
                }
                let plan = v6::Plan::compile(setup)?;
                Family::V6(Dhcp::new(whole(requested, population, plan, (clock, socket)), 1))
            }
        }))
    }
}

impl DhcpEndpoint {
    /// Whether it uses DHCPv6.
    pub const fn is_v6(&self) -> bool {
        matches!(self.0, Family::V6(_))
    }
}

impl std::fmt::Debug for DhcpEndpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let family = match self.0 {
            Family::V4(_) => "V4",
            Family::V6(_) => "V6",
        };
        f.debug_tuple("DhcpEndpoint").field(&family).finish()
    }
}

/// The address at which answers arrive: that of a relay agent, at the port of servers and relay agents.
fn local(requested: &EndpointSetup) -> Result<SocketAddr, DhcpEndpointError> {
    let server = requested.server;
    if let Some(local) = requested.local {
        return if local.is_ipv4() == server.is_ipv4() {
            Ok(local)
        } else {
            Err(DhcpEndpointError::Families { local, server })
        };
    }
    let ip = local_address(server).map_err(|source| DhcpEndpointError::Route { server, source })?;
    let port = match ip {
        IpAddr::V4(_) => 67,
        IpAddr::V6(_) if server.ip().is_multicast() => 546,
        IpAddr::V6(_) => 547,
    };
    Ok(SocketAddr::new(ip, port))
}

/// A relay agent that has one address.
fn relay(address: Ipv6Addr) -> v6::Relay {
    v6::Relay { link: address, peer: address, options: Vec::new(), varied: Vec::new() }
}

/// The setup of exchanges that are requested one by one and not kept.
fn whole<D: super::Dialogue>(
    requested: &EndpointSetup,
    population: Population,
    plan: D::Plan,
    (clock, socket): (Arc<dyn Clock + Send + Sync>, Opener<Socket>),
) -> Setup<D, Socket> {
    Setup {
        plans: vec![Arc::new(plan)],
        population,
        clock,
        sockets: vec![socket],
        destination: requested.server,
        task: Task::Mix(Mix::ACQUIRE),
        seed: requested.seed,
        slots: Slots::default(),
        preload: 0,
        leases_max: 0,
        limits: Arc::new(Limits::none()),
        unique: false,
        expectations: Vec::new(),
        capture: CaptureOptions::default(),
    }
}
