//! The [`Lease`] that a client has: what is needed to renew, release and compare it.

use super::offer::Offer;
use crate::dialogue::Times;
use std::net::Ipv6Addr;
use std::time::Duration;

/// How many bytes a lease stores without allocating: a server's DUID of 14 octets, an `IA_NA` with an address and an
/// `IA_PD` with a prefix, and as much again.
const INLINE: usize = 208;

/// What a server granted to a client.
#[derive(Clone, Debug)]
pub struct Lease {
    client: u64,
    exchange: u64,
    bytes: Bytes,
    /// Where the server's DUID ends and the association with addresses begins.
    server_end: usize,
    /// Where the association with addresses ends and the one with prefixes begins.
    addresses_end: usize,
    address: Ipv6Addr,
    t1: u32,
    t2: u32,
    valid: u32,
    given: Duration,
}

/// Bytes that are stored inline unless there are too many.
#[derive(Clone, Debug)]
enum Bytes {
    Inline { bytes: [u8; INLINE], length: u8 },
    Boxed(Box<[u8]>),
}

impl Lease {
    /// The lease that an answer grants to a client, in an exchange; `given` is the time since the run began.
    pub(super) fn new(
        (client, exchange): (u64, u64),
        server: &[u8],
        offer: &Offer<'_>,
        given: Duration,
    ) -> Self {
        let server_end = server.len();
        let addresses_end = server_end + offer.addresses.len();
        let bytes = Bytes::join([server, offer.addresses, offer.prefixes]);
        let Offer { address, t1, t2, valid, .. } = *offer;
        Self { client, exchange, bytes, server_end, addresses_end, address, t1, t2, valid, given }
    }

    /// The number of the client that holds it.
    pub const fn client(&self) -> u64 {
        self.client
    }

    /// The number of the exchange in which it was first granted. Choices derived from that number, such as the link of
    /// the client, remain valid as long as the lease does.
    pub const fn exchange(&self) -> u64 {
        self.exchange
    }

    /// Its first address, or the first address of its first prefix if it has no address.
    pub const fn address(&self) -> Ipv6Addr {
        self.address
    }

    /// The DUID of the server that granted it.
    pub fn server(&self) -> &[u8] {
        &self.bytes.all()[..self.server_end]
    }

    /// The association with addresses as the server sent it, code and length included; empty if
    /// there is none.
    pub fn addresses(&self) -> &[u8] {
        &self.bytes.all()[self.server_end..self.addresses_end]
    }

    /// The association with prefixes as the server sent it, code and length included; empty if
    /// there is none.
    pub fn prefixes(&self) -> &[u8] {
        &self.bytes.all()[self.addresses_end..]
    }

    /// T1: how long after it was granted it must be renewed.
    pub const fn t1(&self) -> Duration {
        Duration::from_secs(self.t1 as u64)
    }

    /// T2: how long after it was granted any server must be asked for an extension.
    pub const fn t2(&self) -> Duration {
        Duration::from_secs(self.t2 as u64)
    }

    /// How long after it was granted it expires.
    pub const fn valid(&self) -> Duration {
        Duration::from_secs(self.valid as u64)
    }

    /// When it was granted, counted from the beginning of the run.
    pub const fn given(&self) -> Duration {
        self.given
    }
}

impl Lease {
    /// When it must be renewed and rebound, and when it expires. The maximum time value means forever (RFC 8415 section
    /// 7.7).
    pub(super) fn times(&self) -> Times {
        let time =
            |seconds: u32| (seconds < u32::MAX).then_some(Duration::from_secs(seconds.into()));
        let (renew, rebind, ends) = (time(self.t1), time(self.t2), time(self.valid));
        Times { given: self.given, renew, rebind, ends }
    }
}

impl Bytes {
    fn join(parts: [&[u8]; 3]) -> Self {
        let length = parts.iter().map(|part| part.len()).sum::<usize>();
        if length > INLINE {
            return Self::Boxed(parts.concat().into());
        }
        let mut bytes = [0; INLINE];
        let mut at = 0;
        for part in parts {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        Self::Inline { bytes, length: length as u8 }
    }

    fn all(&self) -> &[u8] {
        match self {
            Self::Inline { bytes, length } => &bytes[..usize::from(*length)],
            Self::Boxed(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lease_keeps_all_addresses_and_prefixes() {
        for (addresses, prefixes) in [(44, 45), (0, 45), (44, 0), (150, 44), (150, 45), (9000, 1)] {
            let (addresses, prefixes) = (vec![3; addresses], vec![25; prefixes]);
            let offer = Offer {
                addresses: &addresses,
                prefixes: &prefixes,
                address: Ipv6Addr::LOCALHOST,
                t1: 1,
                t2: 2,
                valid: u32::MAX,
            };
            let lease = Lease::new((7, 8), &[2; 14], &offer, Duration::from_secs(9));
            assert_eq!((lease.server(), lease.addresses()), (&[2; 14][..], &addresses[..]));
            assert_eq!(lease.prefixes(), prefixes);
            let inline = matches!(lease.bytes, Bytes::Inline { .. });
            assert_eq!(inline, 14 + addresses.len() + prefixes.len() <= INLINE);
            assert_eq!((lease.t1().as_secs(), lease.t2().as_secs()), (1, 2));
            assert_eq!(lease.valid().as_secs(), u64::from(u32::MAX));
            let times = lease.times();
            let seconds = |time: Option<Duration>| time.map(|time| time.as_secs());
            assert_eq!(times.given, Duration::from_secs(9));
            assert_eq!(
                [times.renew, times.rebind, times.ends].map(seconds),
                [Some(1), Some(2), None]
            );
        }
    }
}
