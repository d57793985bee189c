//! Kea's lease file, read back as [`Lease`]s.
//!
//! It is a journal: each row describes the state of a lease from then on, and the last row of a lease counts.

use std::collections::BTreeMap;
use std::net::IpAddr;

/// A lease as Kea wrote it down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The address, or the prefix delegated.
    pub address: IpAddr,
    /// How long the prefix is; as long as an address if an address is leased.
    pub length: u8,
    /// The client: its hardware address for DHCPv4, its DUID for DHCPv6.
    pub client: Vec<u8>,
    /// The identifier that a DHCPv4 client gave, or the number of its association for DHCPv6, in four octets.
    pub identifier: Vec<u8>,
    /// Seconds that it is valid. A lease given back is valid for none.
    pub lifetime: u32,
    /// When it ends, in seconds of the calendar.
    pub ends: u64,
    /// What has become of it.
    pub state: LeaseState,
}

/// What has become of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseState {
    /// It is a client's.
    Assigned,
    /// A client found the address taken.
    Declined,
    /// It ended and was taken back.
    Reclaimed,
}

/// The rows of the file, in their order.
pub(crate) fn rows(file: &str) -> Vec<Lease> {
    let mut lines = file.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    lines
        .map(|line| row(&names, line).unwrap_or_else(|| panic!("no row of a lease file: {line}")))
        .collect()
}

/// The leases there are after all rows, by address.
pub(crate) fn table(rows: Vec<Lease>) -> Vec<Lease> {
    let mut leases = BTreeMap::new();
    for lease in rows {
        let key = (lease.length, lease.address);
        if lease.lifetime == 0 {
            leases.remove(&key);
        } else {
            leases.insert(key, lease);
        }
    }
    leases.into_values().collect()
}

fn row(names: &[&str], line: &str) -> Option<Lease> {
    let cells: Vec<&str> = line.split(',').collect();
    let cell = |name: &str| Some(*cells.get(names.iter().position(|other| *other == name)?)?);
    let address: IpAddr = cell("address")?.parse().ok()?;
    let (client, identifier, length) = match address {
        IpAddr::V4(_) => (octets(cell("hwaddr")?)?, octets(cell("client_id")?)?, 32),
        IpAddr::V6(_) => {
            let association: u32 = cell("iaid")?.parse().ok()?;
            let length = cell("prefix_len")?.parse().ok()?;
            (octets(cell("duid")?)?, association.to_be_bytes().to_vec(), length)
        }
    };
    Some(Lease {
        address,
        length,
        client,
        identifier,
        lifetime: cell("valid_lifetime")?.parse().ok()?,
        ends: cell("expire")?.parse().ok()?,
        state: match cell("state")? {
            "0" => LeaseState::Assigned,
            "1" => LeaseState::Declined,
            "2" => LeaseState::Reclaimed,
            _ => return None,
        },
    })
}

/// Octets in hexadecimal digits between colons; none of them is an empty text.
fn octets(text: &str) -> Option<Vec<u8>> {
    let parts = text.split(':').filter(|part| !part.is_empty());
    parts.map(|part| u8::from_str_radix(part, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const V4: &str = "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,\
        user_context
10.77.1.0,00:0c:01:02:03:04,01:00:0c:01:02:03:04,4000,1795240000,1,0,0,,0,
10.77.1.1,00:0c:01:02:03:05,,4000,1795240000,1,0,0,,0,
10.77.1.0,00:0c:01:02:03:04,01:00:0c:01:02:03:04,4000,1795240009,1,0,0,,0,
10.77.1.1,00:0c:01:02:03:05,,0,1795240000,1,0,0,,0,
10.77.1.2,,,86400,1795240000,1,0,0,,1,
";

    #[test]
    fn lease_file_last_row_wins() {
        let all = rows(V4);
        assert_eq!(all.len(), 5);
        assert!(all[1].identifier.is_empty());
        let leases = table(all);
        assert_eq!(leases.len(), 2);
        assert_eq!((leases[0].ends, leases[0].state), (1_795_240_009, LeaseState::Assigned));
        assert_eq!(leases[0].client, [0, 0x0c, 1, 2, 3, 4]);
        assert_eq!(leases[0].identifier, [1, 0, 0x0c, 1, 2, 3, 4]);
        assert_eq!(
            (leases[1].address.to_string(), leases[1].state),
            ("10.77.1.2".into(), LeaseState::Declined)
        );
    }

    #[test]
    fn lease_file_tells_prefixes_from_addresses() {
        let file = "address,duid,valid_lifetime,expire,subnet_id,pref_lifetime,lease_type,iaid,prefix_len,fqdn_fwd,\
            fqdn_rev,hostname,hwaddr,state,user_context,hwtype,hwaddr_source
2001:db8:77::1:0:0,00:01:00:01,4000,1795240000,1,4000,0,1,128,0,0,,,0,,,
2001:db8:8000::,00:01:00:01,4000,1795240000,1,4000,2,7,56,0,0,,,0,,,
";
        let leases = table(rows(file));
        assert_eq!(leases.iter().map(|lease| lease.length).collect::<Vec<_>>(), [56, 128]);
        assert_eq!(leases[0].identifier, [0, 0, 0, 7]);
        assert_eq!(leases[1].client, [0, 1, 0, 1]);
    }
}
