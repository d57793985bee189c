//! An [`Interface`] of this host: its index, its addresses, and which of them is the source of a datagram to a server.
//!
//! It is read once before the run, where an error can be explained. It must not open a socket that sends.

use nix::ifaddrs::{InterfaceAddress, getifaddrs};
use nix::net::if_::InterfaceFlags;
use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// A network interface at the time it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// The kernel's index of it.
    pub index: u32,
    /// Its hardware address, where it has one.
    pub mac: Option<[u8; 6]>,
    /// Its IPv4 addresses, in the order of the kernel.
    pub v4: Vec<Ipv4Addr>,
    /// Its IPv6 addresses, in the order of the kernel.
    pub v6: Vec<Ipv6Addr>,
    /// Whether it is up and has a carrier.
    pub running: bool,
}

/// Why an interface cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum InterfaceError {
    /// There is no interface of this name.
    #[error("find the interface '{name}': this host has {}", .others.join(", "))]
    Unknown {
        /// The requested name.
        name: String,
        /// The names that exist.
        others: Vec<String>,
    },
    /// The interfaces cannot be read.
    #[error("list the interfaces of this host: {0}")]
    Unreadable(#[from] io::Error),
    /// It has no address of the family that is needed.
    #[error(
        "find an {family} address on the interface '{name}': it has none; add one, or name an address with -l"
    )]
    NoAddress {
        /// The interface.
        name: String,
        /// IPv4 or IPv6.
        family: &'static str,
    },
}

impl Interface {
    /// The interface of that name.
    pub fn named(name: &str) -> Result<Self, InterfaceError> {
        let listed = list()?;
        Self::gather(&listed, name)?.ok_or_else(|| {
            let names: BTreeSet<_> = listed.into_iter().map(|it| it.interface_name).collect();
            InterfaceError::Unknown { name: name.to_owned(), others: names.into_iter().collect() }
        })
    }

    /// The interface that has this address, if it is this host's.
    pub fn holding(address: IpAddr) -> Result<Option<Self>, InterfaceError> {
        let listed = list()?;
        match listed.iter().find(|it| ip(it) == Some(address)) {
            Some(found) => Self::gather(&listed, &found.interface_name),
            None => Ok(None),
        }
    }

    /// The first IPv4 address, which the kernel would use as the source of a datagram.
    pub fn first_v4(&self) -> Result<Ipv4Addr, InterfaceError> {
        self.v4.first().copied().ok_or_else(|| self.without("IPv4"))
    }

    /// The address a client of this link has before it has any other: `fe80::/10`.
    pub fn link_local(&self) -> Result<Ipv6Addr, InterfaceError> {
        let found = self.v6.iter().find(|it| it.is_unicast_link_local());
        found.copied().ok_or_else(|| self.without("IPv6 link-local"))
    }

    /// The first IPv6 address that is valid beyond the link, as a relay would have.
    pub fn global(&self) -> Option<Ipv6Addr> {
        self.v6.iter().find(|it| !it.is_unicast_link_local() && !it.is_loopback()).copied()
    }

    /// The scope id of an address on this interface: its index for `fe80::/10`, otherwise 0.
    pub const fn scope(&self, address: Ipv6Addr) -> u32 {
        if address.is_unicast_link_local() { self.index } else { 0 }
    }

    fn without(&self, family: &'static str) -> InterfaceError {
        InterfaceError::NoAddress { name: self.name.clone(), family }
    }

    fn gather(listed: &[InterfaceAddress], name: &str) -> Result<Option<Self>, InterfaceError> {
        let mut found: Option<Self> = None;
        for entry in listed.iter().filter(|it| it.interface_name == name) {
            if found.is_none() {
                let index = nix::net::if_::if_nametoindex(name).map_err(io::Error::from)?;
                let running =
                    entry.flags.contains(InterfaceFlags::IFF_UP | InterfaceFlags::IFF_RUNNING);
                let name = name.to_owned();
                found =
                    Some(Self { name, index, mac: None, v4: Vec::new(), v6: Vec::new(), running });
            }
            let Some(found) = &mut found else { continue };
            match ip(entry) {
                Some(IpAddr::V4(address)) => found.v4.push(address),
                Some(IpAddr::V6(address)) => found.v6.push(address),
                None => found.mac = found.mac.or_else(|| mac(entry)),
            }
        }
        Ok(found)
    }
}

/// The address of this host that a datagram to `server` would come from, found without sending one.
pub fn local_address(server: SocketAddr) -> io::Result<IpAddr> {
    let any = match server {
        SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    };
    let socket = UdpSocket::bind((any, 0))?;
    // Without this option the kernel does not report by which interface a broadcast would leave.
    socket.set_broadcast(server.is_ipv4())?;
    socket.connect(server)?;
    Ok(socket.local_addr()?.ip())
}

fn list() -> io::Result<Vec<InterfaceAddress>> {
    Ok(getifaddrs()?.collect())
}

fn ip(entry: &InterfaceAddress) -> Option<IpAddr> {
    let address = entry.address.as_ref()?;
    let v4 = address.as_sockaddr_in().map(|it| IpAddr::V4(it.ip()));
    v4.or_else(|| address.as_sockaddr_in6().map(|it| IpAddr::V6(it.ip())))
}

fn mac(entry: &InterfaceAddress) -> Option<[u8; 6]> {
    let octets = entry.address.as_ref()?.as_link_addr()?.addr()?;
    octets.iter().any(|it| *it != 0).then_some(octets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interface_lo_is_known() {
        let lo = Interface::named("lo").unwrap();
        assert!(lo.v4.contains(&Ipv4Addr::LOCALHOST), "{lo:?}");
        assert_eq!(lo.first_v4().unwrap(), Ipv4Addr::LOCALHOST);
        assert_eq!(lo.mac, None);
        assert!(lo.running);
        let index = std::fs::read_to_string("/sys/class/net/lo/ifindex").unwrap();
        assert_eq!(index.trim(), lo.index.to_string());
        assert_eq!(Interface::holding(Ipv4Addr::LOCALHOST.into()).unwrap(), Some(lo));
    }

    #[test]
    fn interface_missing_is_named() {
        let error = Interface::named("brunt-none0").unwrap_err().to_string();
        assert!(error.contains("'brunt-none0'") && error.contains("lo"), "{error}");
        assert_eq!(Interface::holding([192, 0, 2, 1].into()).unwrap(), None);
    }

    #[test]
    fn interface_addresses_are_chosen_by_scope() {
        let [local, global] = ["fe80::1", "2001:db8::1"].map(|it| it.parse::<Ipv6Addr>().unwrap());
        let interface = Interface {
            name: "eth9".to_owned(),
            index: 9,
            mac: None,
            v4: Vec::new(),
            v6: vec![global, local],
            running: true,
        };
        assert_eq!(interface.link_local().unwrap(), local);
        assert_eq!(interface.global(), Some(global));
        assert_eq!((interface.scope(local), interface.scope(global)), (9, 0));
        let error = interface.first_v4().unwrap_err().to_string();
        assert!(error.contains("'eth9'") && error.contains("IPv4"), "{error}");
    }

    #[test]
    fn local_address_for_loopback_is_loopback() {
        let found = local_address(SocketAddr::from(([127, 0, 0, 9], 67))).unwrap();
        assert_eq!(found, IpAddr::from([127, 0, 0, 1]));
    }
}
