//! The server and the local addresses; and whether this route could disturb other networks.
//!
//! A word is classified by its form: one that parses as an address is an address, and any other is the name of an
//! interface. Whether they exist on this machine is not checked here.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use brunt_dhcp_driver::family::Family;
use brunt_net::source::Sources;
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::args::Route;
use super::syntax::{exclusive, refused};

/// `All_DHCP_Relay_Agents_and_Servers` (RFC 8415, section 7.1).
const ALL_AGENTS: Ipv6Addr = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 1, 2);
/// `All_DHCP_Servers` (RFC 8415, section 7.1).
const ALL_SERVERS: Ipv6Addr = Ipv6Addr::new(0xff05, 0, 0, 0, 0, 0, 1, 3);
/// The longest name of an interface in Linux.
const INTERFACE_MAX: usize = 15;
/// The most relays that a DHCPv4 request passes (RFC 1542, section 4.1.1).
const HOPS_MAX: u8 = 16;
/// The most ports one machine sends from.
const PORTS_MAX: usize = 65_535;

/// Reads the route of a run.
pub(super) fn read(
    values: &Values,
    family: Family,
    server: Option<&str>,
    lab: bool,
) -> Result<Route, UsageError> {
    let (mut interface, local) = from(values, family)?;
    let relay_levels = relay_levels(values, family)?;
    let client = values.has("client");
    let server = whom(server, family, &mut interface)?;
    let route = Route {
        server: server.address,
        server_port: port(values, "N", if family == Family::V4 { 67 } else { 547 }),
        interface,
        local,
        local_port: port(values, "L", local_port(family, relay_levels)),
        broadcast: values.has("B") || server.address == IpAddr::V4(Ipv4Addr::BROADCAST),
        broadcast_flag: server.all && family == Family::V4,
        relay_levels,
        client,
        relay_addresses: values.path("J"),
        source_ips: sources(values, family)?,
        source_ports: ports(values)?,
        lab,
    };
    check(values, family, &route)?;
    Ok(route)
}

/// Why nothing may be sent along this route, if that is so.
pub(super) fn danger(route: &Route) -> Option<String> {
    let shouts = route.server.is_multicast() || route.server == IpAddr::V4(Ipv4Addr::BROADCAST);
    let kind = if route.server.is_ipv4() && !route.server.is_multicast() {
        "broadcast"
    } else {
        "multicast"
    };
    (shouts && !route.lab).then(|| {
        format!(
            "{} is a {kind} address: every DHCP server that receives it may give its leases to the simulated clients \
             and have none left for real ones. Name one server, as in 'perfdhcp {} ADDRESS'. If all servers there \
             belong to a laboratory, add --lab, or set BRUNT_LAB=1 in the environment of scripts that cannot be \
             changed",
            route.server,
            route.interface.as_ref().map_or_else(|| "...".to_owned(), |name| format!("-l {name}"))
        )
    })
}

struct Server {
    address: IpAddr,
    /// Whether the server was called `all`, or not named.
    all: bool,
}

fn whom(
    word: Option<&str>,
    family: Family,
    interface: &mut Option<String>,
) -> Result<Server, UsageError> {
    let all = match family {
        Family::V4 => IpAddr::V4(Ipv4Addr::BROADCAST),
        Family::V6 => IpAddr::V6(ALL_AGENTS),
    };
    match (word, family) {
        (None, _) if interface.is_none() => Err(UsageError::new(
            "no server given: add its address, or -l with an interface to ask every server of that network",
        )),
        (Some("servers"), Family::V4) => Err(UsageError::new(
            "'servers' is for DHCPv6 only: add -6, or give the address of a server, or 'all'",
        )),
        (None | Some("all"), _) => Ok(Server { address: all, all: true }),
        (Some("servers"), Family::V6) => {
            Ok(Server { address: IpAddr::V6(ALL_SERVERS), all: false })
        }
        (Some(word), _) => Ok(Server { address: address(word, family, interface)?, all: false }),
    }
}

/// An address, which in IPv6 may name its interface after a `%`.
fn address(
    word: &str,
    family: Family,
    interface: &mut Option<String>,
) -> Result<IpAddr, UsageError> {
    let (text, zone) = word.split_once('%').map_or((word, None), |(text, zone)| (text, Some(zone)));
    let address: IpAddr = text.parse().map_err(|_| {
        UsageError::new(format!(
            "the server '{word}' is invalid: give an IP address, 'all', or in DHCPv6 'servers'; host names are not \
             resolved"
        ))
    })?;
    same_family(&format!("the server {word}"), address, family)?;
    match (zone, interface.as_deref()) {
        (Some(zone), Some(named)) if zone != named => {
            return Err(UsageError::new(format!(
                "the server {word} is behind {zone}, but -l names {named}: leave out one of them"
            )));
        }
        (Some(zone), None) if address.is_ipv6() => *interface = Some(zone.to_owned()),
        (Some(_), _) if address.is_ipv4() => {
            return Err(UsageError::new(format!(
                "the server {word} is invalid: IPv4 addresses have no %"
            )));
        }
        _ => {}
    }
    Ok(address)
}

/// The interface and the address of `-l`.
fn from(values: &Values, family: Family) -> Result<(Option<String>, Option<IpAddr>), UsageError> {
    let Some(word) = values.text("l") else { return Ok((None, None)) };
    if let Ok(address) = word.parse() {
        same_family(&format!("-l {word}"), address, family)?;
        return Ok((None, Some(address)));
    }
    if word.len() > INTERFACE_MAX
        || word.contains(|letter: char| letter == '/' || letter.is_whitespace())
    {
        return Err(refused("l", word, "an address or the name of an interface"));
    }
    Ok((Some(word.to_owned()), None))
}

fn same_family(what: &str, address: IpAddr, family: Family) -> Result<(), UsageError> {
    match (family, address) {
        (Family::V4, IpAddr::V6(_)) => Err(UsageError::new(format!(
            "{what} is an IPv6 address, but the run is DHCPv4: add -6"
        ))),
        (Family::V6, IpAddr::V4(_)) => Err(UsageError::new(format!(
            "{what} is an IPv4 address, but the run is DHCPv6: leave out -6"
        ))),
        _ => Ok(()),
    }
}

fn relay_levels(values: &Values, family: Family) -> Result<u8, UsageError> {
    exclusive(values, "A", "relay-levels", "both give the number of relays")?;
    exclusive(values, "client", "relay-levels", "a client has no relay")?;
    if values.has("A") && family == Family::V4 {
        return Err(UsageError::new(
            "-A needs -6: DHCPv4 messages are sent as from a relay anyway",
        ));
    }
    let given = values.whole("A").or_else(|| values.whole("relay-levels"));
    let most = if family == Family::V4 { HOPS_MAX } else { u8::MAX };
    match given {
        Some(0) if family == Family::V4 => Err(UsageError::new(
            "--relay-levels 0 needs -6: use --client for DHCPv4 clients without a relay",
        )),
        Some(levels) if levels > most => {
            Err(refused("relay-levels", &levels.to_string(), &format!("at most {most} for DHCPv4")))
        }
        Some(levels) => Ok(levels),
        None => Ok(u8::from(family == Family::V4 && !values.has("client"))),
    }
}

fn local_port(family: Family, relay_levels: u8) -> u16 {
    match (family, relay_levels) {
        (Family::V4, 0) => 68,
        (Family::V4, _) => 67,
        (Family::V6, 0) => 546,
        (Family::V6, _) => 547,
    }
}

fn port(values: &Values, name: &str, default: u16) -> u16 {
    values.whole(name).filter(|port| *port != 0).unwrap_or(default)
}

fn sources(values: &Values, family: Family) -> Result<Sources, UsageError> {
    let Some(text) = values.text("source-ip") else { return Ok(Sources::default()) };
    let sources: Sources =
        text.parse().map_err(|error| UsageError::new(format!("--source-ip: failed to {error}")))?;
    for address in sources.iter() {
        same_family("--source-ip", address, family)?;
    }
    Ok(sources)
}

/// Ports and ranges of them, without repetition.
fn ports(values: &Values) -> Result<Vec<u16>, UsageError> {
    let mut ports = Vec::new();
    for piece in values.text("source-port").into_iter().flat_map(|text| text.split(',')) {
        let (first, last) = piece.split_once('-').unwrap_or((piece, piece));
        let range = first.parse().ok().zip(last.parse().ok());
        let range = range.filter(|(first, last): &(u16, u16)| *first > 0 && first <= last);
        let (first, last) = range.ok_or_else(|| {
            refused("source-port", piece, "ports from 1 to 65535, such as 10067 or 10067-10070")
        })?;
        ports.extend(first..=last);
    }
    ports.sort_unstable();
    ports.dedup();
    debug_assert!(ports.len() <= PORTS_MAX);
    Ok(ports)
}

fn check(values: &Values, family: Family, route: &Route) -> Result<(), UsageError> {
    exclusive(values, "L", "source-port", "both give the local port")?;
    exclusive(values, "client", "J", "a client has no relay")?;
    exclusive(values, "client", "source-ip", "a client has no address before it has a lease")?;
    exclusive(values, "client", "source-port", "DHCPv4 clients receive answers on port 68")?;
    if route.local.is_some() {
        exclusive(
            values,
            "l",
            "source-ip",
            "both give the local address: with --source-ip, -l names an interface",
        )?;
    }
    if family == Family::V6 {
        if values.has("B") {
            return Err(UsageError::new("-B cannot be used with -6: DHCPv6 has no broadcasts"));
        }
        if route.client {
            return Err(UsageError::new(
                "--client cannot be used with -6: DHCPv6 has no relay unless -A is given",
            ));
        }
        if route.relay_addresses.is_some() && route.relay_levels == 0 {
            return Err(UsageError::new(
                "-J needs -A or --relay-levels with -6: only a relay has a relay address",
            ));
        }
    }
    if route.client && (route.interface.is_none() || !route.broadcast_flag) {
        return Err(UsageError::new(
            "--client needs an interface with -l, and no server or 'all': a client does not know the server's address",
        ));
    }
    Ok(())
}
