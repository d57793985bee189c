//! A lease as the value of a key: [`Row`].

use crate::leases::Lease;

/// Lifetime, time of the last transaction, subnet and the lengths of the three columns after them.
const HEAD: usize = 4 + 8 + 4 + 3;

/// The content of the value of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row<'a> {
    pub(super) valid_lifetime: u32,
    pub(super) cltt: i64,
    pub(super) subnet: u32,
    pub(super) hardware: &'a [u8],
    pub(super) client_id: &'a [u8],
    pub(super) hostname: &'a [u8],
}

impl<'a> Row<'a> {
    /// The row of a lease; `None` if a column is longer than 255 octets.
    pub(super) fn from_lease(lease: &'a Lease) -> Option<Self> {
        let columns = [&lease.hardware[..], &lease.client_id[..], lease.hostname.as_bytes()];
        let fits = columns.iter().all(|column| column.len() <= 255);
        let [hardware, client_id, hostname] = columns;
        fits.then_some(Self {
            valid_lifetime: lease.valid_lifetime,
            cltt: lease.cltt,
            subnet: lease.subnet,
            hardware,
            client_id,
            hostname,
        })
    }

    /// The row in a value; `None` if it is not in our format.
    pub(super) fn read(value: &'a [u8]) -> Option<Self> {
        let (head, rest) = value.split_first_chunk::<HEAD>()?;
        let (lifetime, head) = head.split_first_chunk::<4>()?;
        let (cltt, head) = head.split_first_chunk::<8>()?;
        let (subnet, lengths) = head.split_first_chunk::<4>()?;
        let [hardware, client, hostname] = <[u8; 3]>::try_from(lengths).ok()?.map(usize::from);
        let (hardware, rest) = rest.split_at_checked(hardware)?;
        let (client_id, rest) = rest.split_at_checked(client)?;
        (rest.len() == hostname).then_some(Self {
            valid_lifetime: u32::from_be_bytes(*lifetime),
            cltt: i64::from_be_bytes(*cltt),
            subnet: u32::from_be_bytes(*subnet),
            hardware,
            client_id,
            hostname: rest,
        })
    }

    /// Overwrites `out` with the value.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&self.valid_lifetime.to_be_bytes());
        out.extend_from_slice(&self.cltt.to_be_bytes());
        out.extend_from_slice(&self.subnet.to_be_bytes());
        let columns = [self.hardware, self.client_id, self.hostname];
        out.extend(columns.map(|column| column.len() as u8));
        for column in columns {
            out.extend_from_slice(column);
        }
    }

    /// When it expires.
    pub(super) fn end(&self) -> i64 {
        self.cltt.saturating_add(i64::from(self.valid_lifetime))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Contents, Family, Leases};

    #[test]
    fn redb_row_round_trips() {
        for contents in [Contents::Guide, Contents::Distinct] {
            let lease = Leases { family: Family::V4, contents, epoch: 1_700_000_000 }.lease(77);
            let row = Row::from_lease(&lease).unwrap();
            let mut value = Vec::new();
            row.write(&mut value);
            assert_eq!(Row::read(&value), Some(row));
            assert_eq!(row.end(), lease.expires());
            for end in 0..value.len() {
                assert_eq!(Row::read(&value[..end]), None);
            }
        }
    }
}
