//! Steps of DHCP, and the connection settings of their server.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use brunt_dhcp_driver::{DhcpEndpoint, DhcpEndpointError, EndpointSetup, Kind};
use brunt_exchange::Clock;
use brunt_net::Network;

use crate::key_error::KeyError;
use crate::model::{Dhcp, DhcpStep};
use crate::path::KeyPath;

/// How long to wait for an answer by default.
const WAIT: Duration = Duration::from_secs(1);

/// The connection settings of a DHCP server, before its socket is open.
#[derive(Debug)]
pub struct Leases(EndpointSetup);

impl Leases {
    /// Reads the table `[dhcp]`, for this number of users.
    pub fn new(given: &Dhcp, users: u32, seed: u64) -> Result<Self, KeyError> {
        let at = KeyPath::new("dhcp");
        let many = match given.server.ip() {
            IpAddr::V4(ip) => ip.is_broadcast() || ip.is_multicast() || ip.is_unspecified(),
            IpAddr::V6(ip) => ip.is_multicast() || ip.is_unspecified(),
        };
        if many {
            let what = format!(
                "is {}, which is not the address of one server: users are clients behind a relay, which asks one \
                 server",
                given.server
            );
            return Err(KeyError::new(&at.key("server"), what));
        }
        if given.local.is_some_and(|local| local.is_ipv4() != given.server.is_ipv4()) {
            return Err(KeyError::new(
                &at.key("local"),
                "is not of the same address family as the server's address",
            ));
        }
        if given.relay.is_some() && given.server.is_ipv6() {
            return Err(KeyError::new(
                &at.key("relay"),
                "belongs to DHCPv4, but the server's address is IPv6",
            ));
        }
        let mac = given.mac.as_deref().map(|text| mac(&at.key("mac"), text)).transpose()?;
        Ok(Self(EndpointSetup {
            local: given.local,
            relay: given.relay,
            mac,
            wait: given.timeout.map_or(WAIT, |time| time.0),
            seed,
            ..EndpointSetup::new(given.server, users)
        }))
    }

    /// Opens the socket, whose answers are waited for by this clock.
    pub fn open(
        &self,
        network: &Network,
        clock: Arc<dyn Clock + Send + Sync>,
    ) -> Result<Arc<DhcpEndpoint>, DhcpEndpointError> {
        DhcpEndpoint::open(network, &self.0, clock).map(Arc::new)
    }
}

fn mac(at: &KeyPath, text: &str) -> Result<[u8; 6], KeyError> {
    let octets: Option<Vec<u8>> = text
        .split([':', '-'])
        .map(|part| (part.len() == 2).then(|| u8::from_str_radix(part, 16).ok()).flatten())
        .collect();
    octets.and_then(|octets| octets.try_into().ok()).ok_or_else(|| {
        KeyError::new(
            at,
            format!("is \"{text}\", but must be a MAC address such as \"00:0c:01:02:03:04\""),
        )
    })
}

/// The kind of exchange of a step.
pub(super) const fn kind(step: DhcpStep) -> Kind {
    match step {
        DhcpStep::Acquire => Kind::Acquire,
        DhcpStep::Renew => Kind::Renew,
        DhcpStep::Release => Kind::Release,
    }
}

/// The default name of a step.
pub(super) const fn title(step: DhcpStep) -> &'static str {
    match step {
        DhcpStep::Acquire => "acquire",
        DhcpStep::Renew => "renew",
        DhcpStep::Release => "release",
    }
}
