//! The addresses and prefixes of a server, numbered.
//!
//! The table of leases uses only places, which are indices into the pools; here a place is converted into an address
//! and back. IPv4 addresses, IPv6 addresses and delegated prefixes are all 128-bit numbers at equal distances, so one
//! type serves the three.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// The most leases in a pool, whatever its size: a /64 has more addresses than any table has room for.
const PLACES_MAX: u64 = 1 << 28;

/// A range of IPv4 addresses, written `10.0.0.0/16` or `10.0.0.10-10.0.0.99`.
///
/// Of a prefix, the first and the last address are left out: they are the network and its broadcast address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool4(PoolRange);

/// A range of IPv6 addresses, written `2001:db8::/64` or `2001:db8::10-2001:db8::99`.
///
/// Of a prefix, the first address is left out: it is the anycast address of routers (RFC 4291 section 2.6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool6(PoolRange);

/// Prefixes to delegate, written `2001:db8:8000::/36/56`: all /56 of that /36.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrefixPool(PoolRange);

/// Why a text is not a pool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// It is not in the format of a pool.
    #[error("read {text} as a pool; write it as {example}")]
    Form {
        /// What was written.
        text: String,
        /// How to write it.
        example: &'static str,
    },
    /// It has no address.
    #[error(
        "use the pool {0}: it is empty; its end comes before its begin, or all its addresses are special"
    )]
    Empty(String),
}

/// Numbers at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PoolRange {
    first: u128,
    count: u64,
    /// The distance is two to this power.
    step: u32,
    /// The mask of the bits that all addresses on the link have in common.
    link: u128,
}

/// All pools of one kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Pools {
    ranges: Vec<PoolRange>,
}

impl Pools {
    pub(super) fn of4(pools: &[Pool4]) -> Self {
        Self { ranges: pools.iter().map(|pool| pool.0).collect() }
    }

    pub(super) fn of6(pools: &[Pool6]) -> Self {
        Self { ranges: pools.iter().map(|pool| pool.0).collect() }
    }

    pub(super) fn of_prefixes(pools: &[PrefixPool]) -> Self {
        Self { ranges: pools.iter().map(|pool| pool.0).collect() }
    }

    /// The number of addresses or prefixes.
    pub(super) fn count(&self) -> u64 {
        self.ranges.iter().map(|range| range.count).sum::<u64>().min(PLACES_MAX)
    }

    /// The address at a place.
    pub(super) fn at(&self, place: u32) -> u128 {
        let mut offset = u64::from(place);
        for range in &self.ranges {
            if offset < range.count {
                return range.first + (u128::from(offset) << range.step);
            }
            offset -= range.count;
        }
        debug_assert!(false, "a place within the pools: {place}");
        0
    }

    /// The length of the prefix at a place; 128 for an address.
    pub(super) fn bits(&self, place: u32) -> u8 {
        let mut offset = u64::from(place);
        for range in &self.ranges {
            if offset < range.count {
                return (128 - range.step) as u8;
            }
            offset -= range.count;
        }
        128
    }

    /// The place of an address, if it has one.
    pub(super) fn of(&self, address: u128) -> Option<u32> {
        let mut before = 0_u64;
        for range in &self.ranges {
            let apart = address.wrapping_sub(range.first);
            let offset = apart >> range.step;
            if address >= range.first
                && offset < u128::from(range.count)
                && offset << range.step == apart
            {
                let place = before + offset as u64;
                return (place < PLACES_MAX).then_some(place as u32);
            }
            before += range.count;
        }
        None
    }

    /// Whether an address belongs to the link, in a pool or not.
    pub(super) fn on_link(&self, address: u128) -> bool {
        self.ranges.iter().any(|range| address & range.link == range.first & range.link)
    }
}

impl Pool4 {
    /// The mask of the network that contains the pool.
    pub(super) fn mask(self) -> Ipv4Addr {
        Ipv4Addr::from(self.0.link as u32)
    }
}

impl FromStr for Pool4 {
    type Err = PoolError;

    fn from_str(text: &str) -> Result<Self, PoolError> {
        let wrong = || form(text, "10.0.0.0/16 or 10.0.0.10-10.0.0.99");
        let read = |text: &str| text.parse::<Ipv4Addr>().ok().map(|it| u128::from(it.to_bits()));
        let (first, last, link) = span(text, 32, read).ok_or_else(wrong)?;
        let whole = text.contains('/') && last - first > 2;
        let (first, last) = if whole { (first + 1, last - 1) } else { (first, last) };
        Ok(Self(PoolRange { first, count: (last - first + 1) as u64, step: 0, link }))
    }
}

impl FromStr for Pool6 {
    type Err = PoolError;

    fn from_str(text: &str) -> Result<Self, PoolError> {
        let wrong = || form(text, "2001:db8::/64 or 2001:db8::10-2001:db8::99");
        let read = |text: &str| text.parse::<Ipv6Addr>().ok().map(Ipv6Addr::to_bits);
        let (first, last, link) = span(text, 128, read).ok_or_else(wrong)?;
        let first = if text.contains('/') && last > first { first + 1 } else { first };
        let count = (last - first).min(u128::from(PLACES_MAX)) as u64 + 1;
        Ok(Self(PoolRange { first, count, step: 0, link }))
    }
}

impl FromStr for PrefixPool {
    type Err = PoolError;

    fn from_str(text: &str) -> Result<Self, PoolError> {
        let wrong = || form(text, "2001:db8:8000::/36/56");
        let (prefix, delegated) = text.rsplit_once('/').ok_or_else(wrong)?;
        let (_, length) = prefix.split_once('/').ok_or_else(wrong)?;
        let (delegated, length) =
            (number(delegated).ok_or_else(wrong)?, number(length).ok_or_else(wrong)?);
        if delegated > 128 || delegated < length {
            return Err(PoolError::Empty(text.to_owned()));
        }
        let read = |text: &str| text.parse::<Ipv6Addr>().ok().map(Ipv6Addr::to_bits);
        let (first, _, link) = span(prefix, 128, read).ok_or_else(wrong)?;
        let count = 1_u64 << (delegated - length).min(28);
        Ok(Self(PoolRange { first, count, step: (128 - delegated).min(127), link }))
    }
}

/// The first and the last number of a text, and the bits they have in common.
fn span(text: &str, bits: u32, read: impl Fn(&str) -> Option<u128>) -> Option<(u128, u128, u128)> {
    let all = u128::MAX >> (128 - bits);
    if let Some((address, length)) = text.split_once('/') {
        let (address, length) = (read(address)?, number(length).filter(|length| *length <= bits)?);
        let hosts = all
            .checked_shr(length + 128 - bits)
            .map_or(0, |_| if length == 0 { all } else { all >> length });
        return Some((address & !hosts, address | hosts, all & !hosts));
    }
    let (first, last) = text.split_once('-')?;
    let (first, last) = (read(first)?, read(last)?);
    let differing = 128 - (first ^ last).leading_zeros();
    let hosts = if differing == 0 { 0 } else { u128::MAX >> (128 - differing) };
    (first <= last).then_some((first, last, all & !hosts))
}

fn number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|_| !text.starts_with('+'))
}

fn form(text: &str, example: &'static str) -> PoolError {
    PoolError::Form { text: text.to_owned(), example }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v4(text: &str) -> u128 {
        u128::from(text.parse::<Ipv4Addr>().unwrap().to_bits())
    }

    fn v6(text: &str) -> u128 {
        text.parse::<Ipv6Addr>().unwrap().to_bits()
    }

    #[test]
    fn pool_index_and_address_are_inverse() {
        let places =
            Pools::of4(&["10.0.0.0/30", "10.1.0.5-10.1.0.7"].map(|pool| pool.parse().unwrap()));
        let expected = ["10.0.0.1", "10.0.0.2", "10.1.0.5", "10.1.0.6", "10.1.0.7"].map(v4);
        assert_eq!(places.count(), 5);
        for (place, address) in (0..).zip(expected) {
            assert_eq!((places.at(place), places.of(address)), (address, Some(place)));
        }
        for stranger in ["10.0.0.0", "10.0.0.3", "10.1.0.4", "10.1.0.8", "255.255.255.255"] {
            assert_eq!(places.of(v4(stranger)), None, "{stranger}");
        }
        assert!(places.on_link(v4("10.0.0.3")) && !places.on_link(v4("10.0.0.4")));
    }

    #[test]
    fn prefixes_are_one_step_apart() {
        let pool: PrefixPool = "2001:db8:8000::/36/56".parse().unwrap();
        let places = Pools::of_prefixes(&[pool]);
        assert_eq!((places.count(), places.bits(0)), (1 << 20, 56));
        assert_eq!(places.at(0), v6("2001:db8:8000::"));
        assert_eq!(places.at(1), v6("2001:db8:8000:100::"));
        assert_eq!(places.at((1 << 20) - 1), v6("2001:db8:8fff:ff00::"));
        assert_eq!(places.of(v6("2001:db8:8000:100::")), Some(1));
        assert_eq!(places.of(v6("2001:db8:8000:100::1")), None, "not a prefix of that length");
        assert_eq!(places.of(v6("2001:db8:9000::")), None);
    }

    #[test]
    fn pool_size_is_limited_and_errors_refused() {
        let whole = Pools::of6(&["::/0".parse().unwrap()]);
        assert_eq!((whole.count(), whole.at(0)), (PLACES_MAX, 1));
        assert!(whole.on_link(u128::MAX));
        assert_eq!(whole.of(u128::MAX), None);
        assert_eq!("0.0.0.0/0".parse::<Pool4>().map(|pool| pool.0.count), Ok((1 << 32) - 2));
        assert_eq!("10.0.0.1/32".parse::<Pool4>().map(|pool| pool.0.count), Ok(1));
        assert_eq!("10.0.0.7/31".parse::<Pool4>().map(|pool| pool.mask().to_bits()), Ok(!1));
        for wrong in ["", "10.0.0.0", "10.0.0.0/33", "10.0.0.9-10.0.0.1", "::/64", "10.0.0.0/+8"] {
            assert!(wrong.parse::<Pool4>().is_err(), "{wrong}");
        }
        for wrong in ["2001:db8::/36", "2001:db8::/36/35", "2001:db8::/36/129", "10.0.0.0/8/16"] {
            assert!(wrong.parse::<PrefixPool>().is_err(), "{wrong}");
        }
    }
}
