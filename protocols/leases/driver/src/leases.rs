//! The leases themselves: [`Lease`] number n of a run, computed only from n.
//!
//! The first benchmarks gave every lease the same hardware address and client identifier ([`Contents::Guide`]), so that
//! only the address could be searched. With [`Contents::Distinct`] every lease has its own, as real leases do.

use std::net::{Ipv4Addr, Ipv6Addr};

/// The table of the leases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// `lease4`: addresses of IPv4.
    #[default]
    V4,
    /// `lease6`: addresses of IPv6 (`IA_NA`).
    V6,
    /// `lease6`: delegated prefixes of 64 bits (`IA_PD`).
    Prefix,
}

/// The tables that are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schema {
    /// Those of the guide of 2012: one table, two unique columns.
    #[default]
    Guide,
    /// Those of present Kea: secondary indexes, and triggers that keep statistics.
    Kea,
}

/// Whether a change is answered before or after it is safe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Each commit is on the disk before it is answered.
    #[default]
    Sync,
    /// The store or the system decides when the disk is written.
    Async,
}

/// How statements reach a database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Statements {
    /// Parsed once, then bound to values.
    #[default]
    Prepared,
    /// As text with the values in it, parsed each time.
    Basic,
}

/// The content of leases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contents {
    /// Each lease has its own hardware address and client identifier.
    #[default]
    Distinct,
    /// The same values in all leases, as the programs of 2012 wrote them: 20 octets `A`, and 128 octets from `!`
    /// upwards.
    Guide,
}

/// The value by which a lease is searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Its address, or its prefix.
    Address(u128),
    /// The client identifier; for IPv6, the DUID.
    ClientId(Vec<u8>),
    /// The hardware address.
    Hardware(Vec<u8>),
}

/// The first address of IPv4: 1.0.0.0, as in 2012.
pub const BASE_V4: u32 = 0x0100_0000;
/// The first address of IPv6, `2001:db8:1::`.
pub const BASE_V6: u128 = 0x2001_0db8_0001_0000_0000_0000_0000_0000;
/// The first prefix, `2001:db8:8000::/64` of the range that RFC 3849 reserves.
pub const BASE_PREFIX: u128 = 0x2001_0db8_8000_0000_0000_0000_0000_0000;

/// One lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Its table.
    pub family: Family,
    /// The address as a number; for a prefix, its first address.
    pub address: u128,
    /// The hardware address.
    pub hardware: Vec<u8>,
    /// The client identifier; for IPv6, the DUID.
    pub client_id: Vec<u8>,
    /// The valid lifetime, in seconds.
    pub valid_lifetime: u32,
    /// The time of the client's last transaction, in seconds since 1970.
    pub cltt: i64,
    /// The pool, which Kea calls the subnet.
    pub subnet: u32,
    /// The name of the client.
    pub hostname: &'static str,
}

/// Makes leases by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leases {
    /// Their table.
    pub family: Family,
    /// Their content.
    pub contents: Contents,
    /// The time of the client's last transaction in lease 0, in seconds since 1970.
    pub epoch: i64,
}

impl Leases {
    /// The address of lease number `number`.
    pub fn address(&self, number: u64) -> u128 {
        match self.family {
            Family::V4 => u128::from(BASE_V4) + u128::from(number),
            Family::V6 => BASE_V6 + u128::from(number),
            Family::Prefix => BASE_PREFIX + (u128::from(number) << 64),
        }
    }

    /// Lease number `number`, written into `lease`, whose memory is reused.
    pub fn write(&self, number: u64, lease: &mut Lease) {
        lease.family = self.family;
        lease.address = self.address(number);
        lease.valid_lifetime = 1_000;
        lease.cltt = self.epoch + i64::from((number % 60) as u32);
        lease.subnet = 1;
        lease.hostname = "foo";
        lease.hardware.clear();
        lease.client_id.clear();
        match self.contents {
            Contents::Guide => {
                lease.hardware.resize(20, b'A');
                lease.client_id.extend((0..128).map(|place| b'!' + place));
            }
            Contents::Distinct => {
                // A locally administered address (the second bit of the first octet), and a type of 1 before it for the
                // client identifier (RFC 2132, section 9.14); for IPv6, a DUID-LL (RFC 8415, section 11.4).
                let octets = number.to_be_bytes();
                lease.hardware.push(0x02);
                lease.hardware.extend_from_slice(&octets[3..]);
                match self.family {
                    Family::V4 => lease.client_id.push(1),
                    Family::V6 | Family::Prefix => lease.client_id.extend([0, 3, 0, 1]),
                }
                lease.client_id.extend_from_slice(&lease.hardware);
            }
        }
    }

    /// Lease number `number`.
    pub fn lease(&self, number: u64) -> Lease {
        let mut lease = Lease::empty();
        self.write(number, &mut lease);
        lease
    }
}

impl Lease {
    /// A lease to be overwritten.
    pub fn empty() -> Self {
        Self {
            family: Family::V4,
            address: 0,
            hardware: Vec::new(),
            client_id: Vec::new(),
            valid_lifetime: 0,
            cltt: 0,
            subnet: 0,
            hostname: "",
        }
    }

    /// When it expires, in seconds since 1970.
    pub fn expires(&self) -> i64 {
        self.cltt + i64::from(self.valid_lifetime)
    }

    /// The address in the notation of its family.
    pub fn notation(&self) -> String {
        match self.family {
            Family::V4 => Ipv4Addr::from(self.address as u32).to_string(),
            Family::V6 | Family::Prefix => Ipv6Addr::from(self.address).to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn leases_have_unique_addresses_and_identities() {
        for family in [Family::V4, Family::V6, Family::Prefix] {
            let leases = Leases { family, contents: Contents::Distinct, epoch: 0 };
            let all: Vec<_> = (0..3_000).map(|number| leases.lease(number)).collect();
            let distinct =
                |of: fn(&Lease) -> Vec<u8>| all.iter().map(of).collect::<HashSet<_>>().len();
            assert_eq!(distinct(|lease| lease.hardware.clone()), all.len());
            assert_eq!(distinct(|lease| lease.client_id.clone()), all.len());
            assert_eq!(distinct(|lease| lease.address.to_be_bytes().to_vec()), all.len());
        }
    }

    #[test]
    fn leases_of_the_guide_begin_at_1_0_0_0() {
        let leases = Leases { family: Family::V4, contents: Contents::Guide, epoch: 0 };
        let lease = leases.lease(258);
        assert_eq!(lease.notation(), "1.0.1.2");
        assert_eq!((lease.hardware.len(), lease.client_id.len()), (20, 128));
        assert_eq!((lease.client_id[0], lease.client_id[127]), (b'!', 0xA0));
    }
}
