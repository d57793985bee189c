//! [`Handlers`]: the protocols of a server, with their leases.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use brunt_dhcp_wire::dhcp6::Duid;

use super::config::Config;
use super::handler::{Handler, Lease};
use super::socket;
use super::start_error::StartError;
use super::v4::V4Handler;
use super::v6::V6Handler;

/// The protocols of a server: those of the addresses that it listens on. Clones have the same leases.
#[derive(Clone, Default)]
pub(super) struct Handlers {
    pub(super) v4: Option<Arc<Mutex<V4Handler>>>,
    pub(super) v6: Option<Arc<Mutex<V6Handler>>>,
}

impl Handlers {
    /// The protocols of this configuration.
    pub(super) fn new(config: &Config) -> Result<Self, StartError> {
        let first = |v6: bool| config.listen.iter().find(|address| address.is_ipv6() == v6);
        let mut handlers = Self::default();
        if let Some(address) = first(false) {
            let id = server_id(config, *address)?;
            let handler = V4Handler::new(&config.v4, id, config.lab);
            handlers.v4 = Some(Arc::new(Mutex::new(handler)));
        }
        if first(true).is_some() {
            let handler = V6Handler::new(&config.v6, duid(config)?);
            handlers.v6 = Some(Arc::new(Mutex::new(handler)));
        }
        Ok(handlers)
    }

    /// All leases.
    pub(super) fn leases(&self) -> Vec<Lease> {
        fn of<H: Handler>(handler: Option<&Arc<Mutex<H>>>) -> Vec<Lease> {
            let lock = |handler: &Arc<Mutex<H>>| {
                handler.lock().unwrap_or_else(PoisonError::into_inner).leases()
            };
            handler.map(lock).unwrap_or_default()
        }
        [of(self.v4.as_ref()), of(self.v6.as_ref())].concat()
    }
}

/// The identifier of the DHCPv4 server.
fn server_id(config: &Config, address: SocketAddr) -> Result<Ipv4Addr, StartError> {
    let own = match address.ip() {
        IpAddr::V4(own) if !own.is_unspecified() && !own.is_broadcast() => Some(own),
        _ => None,
    };
    let interface = config.interface.as_deref().unwrap_or_default();
    let named = config.v4.server_id.or(own).or_else(|| socket::address_of(interface));
    named.ok_or_else(|| StartError::NoServerId(interface.to_owned()))
}

/// The identifier of the DHCPv6 server: a DUID-LLT, because packets made from a capture most often have room for its
/// length.
fn duid(config: &Config) -> Result<Vec<u8>, StartError> {
    if let Some(duid) = &config.v6.duid {
        return Duid::new(duid)
            .map(|duid| duid.octets().to_vec())
            .ok_or(StartError::Duid(duid.len()));
    }
    let mut random = [0; 9];
    getrandom::fill(&mut random).map_err(|error| StartError::Thread(io::Error::other(error)))?;
    let [high, mid, low, tail @ ..] = random;
    let mut mac = [0x02; 6];
    mac[..6].copy_from_slice(&tail);
    // Locally administered, and not a group address.
    mac[0] = mac[0] & 0xfc | 0x02;
    Ok(Duid::link_layer_time(u32::from_be_bytes([0x30, high, mid, low]), mac).octets().to_vec())
}
