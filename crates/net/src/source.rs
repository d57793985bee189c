//! [`Sources`]: the local addresses that connections use, in turn.
//!
//! Parsed from `--source-ip LIST|CIDR`. The address of a connection depends only on its number and on the target's
//! family, so that runs repeat. It must not open a socket.

use ipnet::IpNet;
use std::net::IpAddr;
use std::str::FromStr;

/// The most addresses that one range may contain; a wider range is a typing error.
const ADDRESSES_MAX: usize = 65_536;

/// Local addresses to connect from, by family. Empty: the kernel chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    v4: Vec<IpAddr>,
    v6: Vec<IpAddr>,
}

/// Why a list of source addresses is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// A piece is neither an address nor a range.
    #[error(
        "read the source address '{0}': give addresses or ranges such as 192.0.2.10,198.51.100.0/28"
    )]
    NotAnAddress(String),
    /// A list without an address.
    #[error("read the source addresses: the list is empty")]
    Empty,
    /// Too many addresses.
    #[error(
        "read the source addresses: '{0}' brings more than {ADDRESSES_MAX} addresses; give a narrower range"
    )]
    TooMany(String),
}

impl Sources {
    /// The address for connection `number` to a target of this family; `None` if the kernel chooses.
    pub fn pick(&self, to: IpAddr, number: u64) -> Option<IpAddr> {
        let family = self.family(to);
        let count = u64::try_from(family.len()).ok().filter(|count| *count > 0)?;
        family.get((number % count) as usize).copied()
    }

    /// Whether a target of this family can be reached from these addresses.
    pub fn serves(&self, to: IpAddr) -> bool {
        self.is_empty() || !self.family(to).is_empty()
    }

    /// Whether the kernel chooses.
    pub fn is_empty(&self) -> bool {
        self.v4.is_empty() && self.v6.is_empty()
    }

    /// The number of addresses from which a target of this family is reached; at least 1, the kernel's choice.
    pub fn count(&self, to: IpAddr) -> usize {
        self.family(to).len().max(1)
    }

    /// Every address.
    pub fn iter(&self) -> impl Iterator<Item = IpAddr> + '_ {
        self.v4.iter().chain(&self.v6).copied()
    }

    fn family(&self, to: IpAddr) -> &[IpAddr] {
        if to.is_ipv4() { &self.v4 } else { &self.v6 }
    }
}

impl FromStr for Sources {
    type Err = SourceError;

    fn from_str(text: &str) -> Result<Self, SourceError> {
        let mut sources = Self::default();
        for piece in text.split(',').map(str::trim).filter(|piece| !piece.is_empty()) {
            for address in addresses(piece)? {
                let family = if address.is_ipv4() { &mut sources.v4 } else { &mut sources.v6 };
                if family.len() == ADDRESSES_MAX {
                    return Err(SourceError::TooMany(piece.to_owned()));
                }
                family.push(address);
            }
        }
        if sources.is_empty() { Err(SourceError::Empty) } else { Ok(sources) }
    }
}

/// The addresses of one item of the list. A range does not include addresses that no host may have: the network and
/// broadcast addresses of IPv4.
fn addresses(piece: &str) -> Result<Box<dyn Iterator<Item = IpAddr>>, SourceError> {
    if let Ok(address) = piece.parse::<IpAddr>() {
        return Ok(Box::new(std::iter::once(address)));
    }
    let range: IpNet = piece.parse().map_err(|_| SourceError::NotAnAddress(piece.to_owned()))?;
    Ok(Box::new(range.hosts()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(sources: &Sources, to: &str, numbers: std::ops::Range<u64>) -> Vec<String> {
        let to = to.parse().unwrap();
        numbers
            .map(|n| sources.pick(to, n).map_or_else(|| "any".to_owned(), |ip| ip.to_string()))
            .collect()
    }

    #[test]
    fn source_addresses_take_turns_within_the_family() {
        let sources: Sources = "192.0.2.1, 2001:db8::1,192.0.2.2".parse().unwrap();
        assert_eq!(picked(&sources, "198.51.100.1", 0..3), ["192.0.2.1", "192.0.2.2", "192.0.2.1"]);
        assert_eq!(picked(&sources, "2001:db8::99", 0..2), ["2001:db8::1", "2001:db8::1"]);
        assert_eq!(picked(&sources, "198.51.100.1", u64::MAX..u64::MAX), Vec::<String>::new());
    }

    #[test]
    fn source_range_gives_its_hosts() {
        let sources: Sources = "127.0.1.0/29".parse().unwrap();
        assert_eq!(sources.iter().count(), 6);
        assert_eq!(picked(&sources, "127.0.0.1", 5..7), ["127.0.1.6", "127.0.1.1"]);
        assert!(!sources.serves("::1".parse().unwrap()));
        assert_eq!(sources.count("127.0.0.1".parse().unwrap()), 6);
    }

    #[test]
    fn source_list_empty_leaves_the_choice_to_the_kernel() {
        let none = Sources::default();
        assert_eq!(picked(&none, "127.0.0.1", 0..1), ["any"]);
        assert!(none.serves("::1".parse().unwrap()));
        assert_eq!(none.count("::1".parse().unwrap()), 1);
    }

    #[test]
    fn source_list_errors_are_refused() {
        assert_eq!(" , ".parse::<Sources>(), Err(SourceError::Empty));
        assert_eq!("eth0".parse::<Sources>(), Err(SourceError::NotAnAddress("eth0".into())));
        assert_eq!(
            "10.0.0.0/33".parse::<Sources>(),
            Err(SourceError::NotAnAddress("10.0.0.0/33".into()))
        );
        assert_eq!(
            "2001:db8::/32".parse::<Sources>(),
            Err(SourceError::TooMany("2001:db8::/32".into()))
        );
    }
}
