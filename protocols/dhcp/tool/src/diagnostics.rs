//! [`Diagnostics`]: what the diagnostics of `-x` show of a family's messages and leases.

use std::net::IpAddr;

use brunt_dhcp_driver::{Dialogue, Offsets, Population, Stage, v4, v6};
use brunt_dhcp_wire::dhcp6::{Duid, Ia, Options};

use crate::report::Lease;

/// A family whose messages and leases can be shown.
pub(crate) trait Diagnostics: Dialogue {
    /// The offsets at which values are written into the first message of a stage.
    fn offsets(plan: &Self::Plan, stage: Stage, packet: &[u8]) -> Offsets;

    /// The DUID of the first client; DHCPv4 does not use it, but the original tool creates it anyway.
    fn duid(plan: &Self::Plan, population: &Population, started: i64) -> Vec<u8>;

    /// A lease as a row of a table.
    fn row(plan: &Self::Plan, population: &Population, lease: &Self::Lease) -> Lease;
}

impl Diagnostics for v4::Client {
    fn offsets(plan: &v4::Plan, stage: Stage, packet: &[u8]) -> Offsets {
        plan.offsets(stage, packet)
    }

    fn duid(_: &v4::Plan, population: &Population, started: i64) -> Vec<u8> {
        Duid::link_layer_time(super::v6::seconds(started), population.mac(0)).octets().to_vec()
    }

    fn row(_: &v4::Plan, population: &Population, lease: &v4::Lease) -> Lease {
        let mac = population.mac(lease.client);
        Lease {
            client: [&[1], &mac[..]].concat(),
            address: Some(lease.address.into()),
            prefix: None,
        }
    }
}

impl Diagnostics for v6::Client {
    fn offsets(plan: &v6::Plan, _: Stage, packet: &[u8]) -> Offsets {
        plan.offsets(packet)
    }

    fn duid(plan: &v6::Plan, _: &Population, _: i64) -> Vec<u8> {
        plan.duid(0).octets().to_vec()
    }

    fn row(plan: &v6::Plan, _: &Population, lease: &v6::Lease) -> Lease {
        let address = (!lease.addresses().is_empty()).then(|| IpAddr::V6(lease.address()));
        Lease {
            client: plan.duid(lease.client()).octets().to_vec(),
            address,
            prefix: prefix(lease.prefixes()),
        }
    }
}

/// The first prefix in an association that a server sent.
fn prefix(association: &[u8]) -> Option<IpAddr> {
    let options = Options::parse(association, 0).ok()?;
    let associated = options.iter().find_map(|option| Ia::parse(&option).ok().flatten())?;
    let first = associated.leases().find_map(Result::ok)?;
    Some(first.address.into())
}
