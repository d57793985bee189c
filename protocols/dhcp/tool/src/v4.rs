//! The driver's plan of a command line for DHCPv4.

use std::net::{IpAddr, Ipv4Addr};

use brunt_dhcp_driver::v4::{Plan, Retransmission, Role, Setup, VariedOption};
use brunt_dhcp_driver::{Population, Rising, listfile};
use brunt_run::Files;

use super::error::PerfdhcpError;
use super::{load, templates};
use crate::options::args::{self, DhcpArgs, Scenario};
use crate::options::varied;

/// The option that relay agents write into (RFC 3046).
const RELAY_INFO: u8 = 82;

/// The plan of the exchanges through the socket at this address.
pub(crate) fn plan(
    (args, files): (&DhcpArgs, &Files),
    population: &Population,
    address: IpAddr,
    seed: u64,
) -> Result<Plan, PerfdhcpError> {
    let address = match address {
        IpAddr::V4(address) => address,
        IpAddr::V6(_) => Ipv4Addr::UNSPECIFIED,
    };
    let exchange = &args.exchange;
    let mut setup = Setup::new(population.clone(), role(args, files)?, address);
    setup.seed = seed;
    // A relay receives answers at its own address, whatever the flag; the original tool's messages have no such flag
    // either.
    setup.broadcast = args.route.broadcast_flag && args.route.client;
    setup.first_half = exchange.first_half;
    setup.no_address = exchange.expected.iter().any(args::Expected::wants_no_address);
    setup.rapid_commit = exchange.rapid_commit;
    setup.first_server = exchange.same_server;
    for option in &exchange.options {
        let code = code(option)?;
        if option.value.varies() {
            setup.varied.push(VariedOption { code, sub: None, value: option.value.clone() });
        } else {
            setup.options.push((code, option.value.value_of(0)));
        }
    }
    for option in &exchange.relay_options {
        let sub = Some(code(option)?);
        setup.varied.push(VariedOption { code: RELAY_INFO, sub, value: option.value.clone() });
    }
    [setup.first_template, setup.second_template] = templates::read(args, files)?;
    setup.rising =
        exchange.elapsed.map(|elapsed| Rising { after: elapsed.after, lasting: elapsed.lasting });
    setup.waits = args.limits.drop_time;
    setup.retransmission = load::retransmits(args).then(|| Retransmission {
        // An avalanche ends with its last answer; a client with a life gives up and starts again.
        tries: (args.scenario != Scenario::Avalanche).then_some(TRIES),
    });
    Ok(Plan::compile(setup)?)
}

/// How often a message without an answer is sent: for about two minutes, as clients do before they start again.
const TRIES: u32 = 5;

fn role(args: &DhcpArgs, files: &Files) -> Result<Role, PerfdhcpError> {
    if args.route.client || args.route.relay_levels == 0 {
        return Ok(Role::Client { server_port: args.route.server_port });
    }
    let file = args.route.relay_addresses.as_deref();
    let addresses = file.map(|path| listfile::relays_v4(path, files)).transpose()?;
    Ok(Role::Relay { addresses: addresses.unwrap_or_default(), hops: args.route.relay_levels })
}

fn code(option: &varied::VariedOption) -> Result<u8, PerfdhcpError> {
    u8::try_from(option.code).map_err(|_| PerfdhcpError::OptionCode(option.code))
}
