//! [`Route`]: the sockets of a run, and their destination.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV6};

use brunt_dhcp_driver::Opener;
use brunt_dhcp_driver::family::Family;
use brunt_dhcp_driver::link::{self, Link};
use brunt_net::Network;
use brunt_net::interface::{Interface, InterfaceError, local_address};
use brunt_net::udp::{self, Bound, Icmp, Options, Socket};

use crate::options::args::DhcpArgs;

/// Opens one way to the server for each worker.
pub(crate) type Open<C> = fn(&Route, &DhcpArgs, usize) -> Result<Vec<Opener<C>>, RouteError>;

/// Why there is no way to the server.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RouteError {
    #[error("failed to {0}")]
    Interface(#[from] InterfaceError),
    #[error("--client needs the interface of the clients: add -l")]
    NoInterface,
    #[error("the interface '{0}' has no IPv6 address: add one, or give one with -l")]
    NoAddress(String),
    #[error("{0} addresses all servers of a link: name its interface with -l")]
    AllServers(IpAddr),
    #[error(
        "failed to find a route to {server}: {source}; give a local address or an interface with -l"
    )]
    NoRoute { server: IpAddr, source: io::Error },
    #[error("failed to {0}")]
    Socket(#[from] udp::OpenError),
    #[error("failed to {0}")]
    Link(#[from] link::OpenError),
}

/// The way to the server and back.
pub(crate) struct Route {
    /// The destination of all messages.
    pub server: SocketAddr,
    /// The local addresses: one socket for each.
    pub locals: Vec<SocketAddr>,
    /// The interface that was named.
    pub interface: Option<Interface>,
    /// What holds for all datagrams.
    pub network: Network,
}

impl Route {
    /// Finds the route.
    pub(crate) fn new(args: &DhcpArgs, network: &Network) -> Result<Self, RouteError> {
        let options = &args.route;
        let interface = match (options.interface.as_deref(), options.local) {
            (Some(name), _) => Some(Interface::named(name)?),
            // For an address that is valid on every link, the address of `-l` selects the link.
            (None, Some(local)) if multicast_of_link(options.server) => Interface::holding(local)?,
            (None, _) => None,
        };
        let server = scoped(options.server, options.server_port, interface.as_ref());
        network.address_policy().expect(&[server]);
        let addresses: Vec<IpAddr> = if options.source_ips.is_empty() {
            vec![local(args, server, interface.as_ref())?]
        } else {
            options.source_ips.iter().filter(|ip| ip.is_ipv4() == server.is_ipv4()).collect()
        };
        let ports = match options.source_ports.as_slice() {
            [] => &[options.local_port],
            ports => ports,
        };
        let at = |&ip: &IpAddr| ports.iter().map(move |&port| (ip, port));
        let locals = addresses
            .iter()
            .flat_map(at)
            .map(|(ip, port)| scoped(ip, port, interface.as_ref()))
            .collect();
        Ok(Self { server, locals, interface, network: network.clone() })
    }

    /// Opens this number of sockets, so that a missing permission is reported before the run. Each is registered on the
    /// thread of its worker.
    pub(crate) fn sockets(
        &self,
        args: &DhcpArgs,
        count: usize,
    ) -> Result<Vec<Opener<Socket>>, RouteError> {
        let open = |local: &SocketAddr| {
            let bound = Bound::open(&self.network, &self.options(args, *local))?;
            Ok(Box::new(move || bound.register()) as Opener<Socket>)
        };
        self.locals.iter().take(count).map(open).collect()
    }

    /// Opens the link of clients without an address. There is always one, whatever number is requested: every link
    /// receives everything on its interface.
    pub(crate) fn link(&self, args: &DhcpArgs, _: usize) -> Result<Vec<Opener<Link>>, RouteError> {
        let interface = match &self.interface {
            Some(interface) => interface.clone(),
            None => self.towards_server()?,
        };
        let mut options = link::Options::new(interface);
        options.port = args.route.local_port;
        options.kernel_stamps = args.report.kernel_stamps;
        if let Some(batch) = args.load.batch {
            options.batch = batch;
        }
        let bound = link::Bound::open(&self.network, &options)?;
        Ok(vec![Box::new(move || bound.register())])
    }

    /// The note if the server's address is one of this machine's own, beyond loopback.
    pub(crate) fn own_server(&self) -> Option<String> {
        let ip = self.server.ip();
        let interface = Interface::holding(ip).ok()?.filter(|_| !ip.is_loopback())?;
        Some(format!(
            "{ip} is an address of this machine ({}): messages do not leave it, and only a server here answers them",
            interface.name
        ))
    }

    /// The interface by which the server is reached.
    fn towards_server(&self) -> Result<Interface, RouteError> {
        let local = self.locals.first().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), SocketAddr::ip);
        Interface::holding(local)?.ok_or(RouteError::NoInterface)
    }

    fn options(&self, args: &DhcpArgs, local: SocketAddr) -> Options {
        let ip = self.server.ip();
        let on_link = match ip {
            IpAddr::V4(ip) => ip.is_broadcast() || ip.is_multicast(),
            IpAddr::V6(ip) => ip.is_multicast() || ip.is_unicast_link_local(),
        };
        let mut options = Options::new(self.server, local);
        // A socket bound to its interface receives nothing from other interfaces: so only where there is no route.
        options.device =
            self.interface.as_ref().filter(|_| on_link).map(|found| found.name.clone());
        options.broadcast = args.route.broadcast;
        options.multicast =
            self.interface.as_ref().filter(|_| ip.is_multicast()).map(|found| found.index);
        options.kernel_stamps = args.report.kernel_stamps;
        // No ICMP error answers a broadcast or a multicast.
        options.icmp = if on_link { Icmp::Ignored } else { Icmp::Counted };
        if let Some(batch) = args.load.batch {
            options.batch = batch;
        }
        options
    }
}

/// A link-local address has no meaning without its interface.
fn scoped(ip: IpAddr, port: u16, interface: Option<&Interface>) -> SocketAddr {
    match (ip, interface) {
        (IpAddr::V6(ip), Some(found)) if ip.is_unicast_link_local() || ip.is_multicast() => {
            SocketAddrV6::new(ip, port, 0, found.index).into()
        }
        _ => SocketAddr::new(ip, port),
    }
}

/// The address that receives answers: the requested one, else the interface's first, else the one the kernel would send
/// from. In DHCPv6 the first is a global one if there is one, as in the original tool: scripts and server
/// configurations depend on it.
fn local(
    args: &DhcpArgs,
    server: SocketAddr,
    interface: Option<&Interface>,
) -> Result<IpAddr, RouteError> {
    if let Some(local) = args.route.local {
        return Ok(local);
    }
    if let Some(found) = interface
        && args.route.client
    {
        // Clients without an address need none of this machine.
        return Ok(found.first_v4().unwrap_or(Ipv4Addr::UNSPECIFIED).into());
    }
    match (interface, args.family) {
        (Some(found), Family::V4) => Ok(found.first_v4().map(IpAddr::V4)?),
        (Some(found), Family::V6) => {
            let near = match server.ip() {
                IpAddr::V6(ip) => ip.is_unicast_link_local() && args.route.relay_levels == 0,
                IpAddr::V4(_) => false,
            };
            let wanted = if near { found.link_local().ok() } else { found.global() };
            let first = wanted.or_else(|| found.v6.first().copied());
            first.map(IpAddr::V6).ok_or_else(|| RouteError::NoAddress(found.name.clone()))
        }
        (None, Family::V6) if multicast_of_link(server.ip()) => {
            Err(RouteError::AllServers(server.ip()))
        }
        (None, _) => local_address(server)
            .map_err(|source| RouteError::NoRoute { server: server.ip(), source }),
    }
}

/// Whether an address means all hosts on a link, and so has no meaning without the link's name: `ff02::/16`.
fn multicast_of_link(ip: IpAddr) -> bool {
    matches!(ip, IpAddr::V6(ip) if ip.segments()[0] & 0xff0f == 0xff02)
}
