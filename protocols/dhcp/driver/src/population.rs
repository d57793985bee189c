//! A [`Population`]: which simulated client performs which exchange, and what its MAC is.
//!
//! Both are pure functions of numbers. A run therefore repeats, its nodes share it without
//! communication, and nothing has to be stored about four thousand million clients.

use brunt_net::chance::mix;

/// A MAC address.
pub type Mac = [u8; 6];

/// The clients of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Population(Members);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Members {
    /// Clients in turn, with MACs counted up from a base.
    Cycle { base: Mac, range: u64 },
    /// Clients from a list, one chosen for each exchange.
    List { macs: Vec<Mac>, seed: u64 },
}

impl Population {
    /// Creates `range` clients that take turns; if `range` is 0 or 1, there is one client, which
    /// has the base MAC itself.
    ///
    /// The MAC of client c is the base with the four octets of c added to its last four, each
    /// independently and without a carry. No two clients below 2^32 share a MAC: adding a constant
    /// to an octet modulo 256 can be undone, so the MAC determines the four octets of c and thereby
    /// c.
    pub fn cycle(base: Mac, range: u64) -> Self {
        Self(Members::Cycle { base, range: range.max(1) })
    }

    /// Creates the clients of a list. Each exchange is performed by any of them with equal
    /// probability. An empty list is one client without an address of its own.
    pub fn list(macs: Vec<Mac>, seed: u64) -> Self {
        let macs = if macs.is_empty() { vec![[0; 6]] } else { macs };
        Self(Members::List { macs, seed })
    }

    /// How many clients there are.
    pub fn size(&self) -> u64 {
        match &self.0 {
            Members::Cycle { range, .. } => *range,
            Members::List { macs, .. } => macs.len() as u64,
        }
    }

    /// The MAC from which the others are counted; `None` if they come from a list.
    pub fn base(&self) -> Option<Mac> {
        match &self.0 {
            Members::Cycle { base, .. } => Some(*base),
            Members::List { .. } => None,
        }
    }

    /// The client that performs an exchange.
    #[inline]
    pub fn client(&self, number: u64) -> u64 {
        match &self.0 {
            Members::Cycle { range, .. } => number % range,
            Members::List { macs, seed } => pick(macs.len(), mix(*seed), number) as u64,
        }
    }

    /// A client's MAC.
    #[inline]
    pub fn mac(&self, client: u64) -> Mac {
        match &self.0 {
            Members::Cycle { base, .. } => {
                let mut mac = *base;
                for (octet, addend) in mac[2..].iter_mut().zip((client as u32).to_be_bytes()) {
                    *octet = octet.wrapping_add(addend);
                }
                mac
            }
            Members::List { macs, .. } => macs[client as usize % macs.len()],
        }
    }
}

/// Chooses one of `count` items for an exchange, each with equal probability. Callers that choose
/// different kinds of items for one exchange pass a different `salt`.
#[inline]
pub(super) fn pick(count: usize, salt: u64, number: u64) -> usize {
    // The upper half of the product is uniform below `count`, up to one part in 2^64 / count.
    ((u128::from(mix(salt ^ mix(number))) * count as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    const BASE: Mac = [0x00, 0x0c, 0x01, 0x02, 0x03, 0x04];

    #[test]
    fn mac_octets_are_added_without_carry() {
        let clients = Population::cycle(BASE, 1 << 32);
        assert_eq!(clients.mac(0), BASE);
        assert_eq!(clients.mac(251), [0x00, 0x0c, 0x01, 0x02, 0x03, 0xff]);
        // 0x04 + 0xfc is 0x100: the octet wraps around and there is no carry into its neighbour.
        assert_eq!(clients.mac(252), [0x00, 0x0c, 0x01, 0x02, 0x03, 0x00]);
        assert_eq!(clients.mac(256), [0x00, 0x0c, 0x01, 0x02, 0x04, 0x04]);
        assert_eq!(clients.mac(u64::from(u32::MAX)), [0x00, 0x0c, 0x00, 0x01, 0x02, 0x03]);
    }

    #[test]
    fn macs_are_unique() {
        let clients = Population::cycle([0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0xfa], 1 << 32);
        let first = 0..70_000;
        let spread = (0..1u64 << 32).step_by(65_537).skip(2);
        let last = (1u64 << 32) - 1_000..1 << 32;
        let numbers: Vec<u64> = first.chain(spread).chain(last).collect();
        let different: HashSet<u64> = numbers.iter().copied().collect();
        let macs: HashSet<Mac> = different.iter().map(|client| clients.mac(*client)).collect();
        assert_eq!(macs.len(), different.len());
    }

    #[test]
    fn clients_take_turns() {
        let clients = Population::cycle(BASE, 3);
        assert_eq!((0..7).map(|n| clients.client(n)).collect::<Vec<_>>(), [0, 1, 2, 0, 1, 2, 0]);
        for range in [0, 1] {
            let one = Population::cycle(BASE, range);
            assert_eq!((one.client(77), one.mac(one.client(77)), one.size()), (0, BASE, 1));
        }
    }

    #[test]
    fn client_list_is_drawn_evenly_by_seed() {
        let macs: Vec<Mac> = (0..10).map(|n| [0, 0, 0, 0, 0, n]).collect();
        let clients = Population::list(macs.clone(), 7);
        let mut counts = [0u32; 10];
        for number in 0..100_000 {
            counts[clients.client(number) as usize] += 1;
        }
        // Five standard deviations, which are 95 each.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 475), "{counts:?}");
        assert!((0..10).all(|client| clients.mac(client) == macs[client as usize]));
        let again = Population::list(macs.clone(), 7);
        let other = Population::list(macs, 8);
        assert!((0..100).all(|number| clients.client(number) == again.client(number)));
        assert!((0..100).any(|number| clients.client(number) != other.client(number)));
    }
}
