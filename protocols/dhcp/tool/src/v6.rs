//! The driver's plan of a command line for DHCPv6.

use std::net::{IpAddr, Ipv6Addr};

use brunt_dhcp_driver::v6::{BaseDuid, Plan, Relay, Setup, VariedOption as Varied, Wanted};
use brunt_dhcp_driver::{Population, Rising, listfile};
use brunt_dhcp_wire::dhcp6::Duid;
use brunt_run::Files;

use super::error::PerfdhcpError;
use super::{load, templates};
use crate::options::args::{DhcpArgs, Lease, Scenario};
use crate::options::varied::VariedOption;

/// The beginning of 2000, the epoch of a DUID-LLT's time (RFC 8415 section 11.2), in Unix seconds.
const BEGINNING_OF_2000: i64 = 946_684_800;
/// The enterprise number for documentation (RFC 5612), for vendor options that name no other.
const ENTERPRISE: u32 = 32_473;

/// The plan of the exchanges through the socket at this address. `started` is in Unix seconds.
pub(crate) fn plan(
    (args, files): (&DhcpArgs, &Files),
    population: &Population,
    address: IpAddr,
    seed: u64,
    started: i64,
) -> Result<Plan, PerfdhcpError> {
    let exchange = &args.exchange;
    let mut setup = Setup::new(population.clone(), duid(args, started)?);
    setup.seed = seed;
    setup.wanted = match exchange.lease {
        Lease::Address => Wanted::Addresses,
        Lease::Prefix => Wanted::Prefixes,
        Lease::Both => Wanted::Both,
    };
    setup.first_half = exchange.first_half;
    setup.rapid_commit = exchange.rapid_commit;
    setup.first_server = exchange.same_server;
    for option in &exchange.options {
        add(option, &mut setup.options, &mut setup.varied);
    }
    setup.relays = relays(args, address);
    let links = args.route.relay_addresses.as_deref();
    let links = links.map(|path| listfile::relays_v6(path, files)).transpose();
    setup.links = links?.unwrap_or_default();
    setup.waits = args.limits.drop_time;
    setup.retransmit = load::retransmits(args);
    if let Scenario::Fleet(fleet) = &args.scenario {
        setup.lease_seconds = fleet.time_scale;
    }
    setup.rising =
        exchange.elapsed.map(|elapsed| Rising { after: elapsed.after, lasting: elapsed.lasting });
    [setup.first_template, setup.second_template] = templates::read(args, files)?;
    Ok(Plan::compile(setup)?)
}

fn duid(args: &DhcpArgs, started: i64) -> Result<BaseDuid, PerfdhcpError> {
    if let Some(octets) = &args.clients.duid {
        let duid = Duid::new(octets);
        return duid.map(BaseDuid::Given).ok_or(PerfdhcpError::Duid(octets.len()));
    }
    if args.clients.macs.is_some() {
        return Ok(BaseDuid::LinkLayer);
    }
    Ok(BaseDuid::Time(seconds(started)))
}

/// The time in a DUID-LLT: modulo 2^32, as the RFC requires.
pub(crate) fn seconds(unix: i64) -> u32 {
    (unix - BEGINNING_OF_2000) as u32
}

/// The relay agents, the one nearest to the clients first: each has the address of the socket.
fn relays(args: &DhcpArgs, address: IpAddr) -> Vec<Relay> {
    let address = match address {
        IpAddr::V6(address) => address,
        IpAddr::V4(_) => Ipv6Addr::UNSPECIFIED,
    };
    let relay = |level| {
        let mut relay =
            Relay { link: address, peer: address, options: Vec::new(), varied: Vec::new() };
        for option in args.exchange.relay_options.iter().filter(|option| option.level == level) {
            add(option, &mut relay.options, &mut relay.varied);
        }
        relay
    };
    (0..args.route.relay_levels).map(relay).collect()
}

fn add(option: &VariedOption, fixed: &mut Vec<(u16, Vec<u8>)>, varied: &mut Vec<Varied>) {
    let VariedOption { code, value, .. } = option;
    if value.varies() {
        varied.push(Varied { code: *code, enterprise: ENTERPRISE, text: value.clone() });
    } else {
        fixed.push((*code, value.value_of(0)));
    }
}
