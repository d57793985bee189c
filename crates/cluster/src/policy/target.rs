//! The addresses that an agent's owner lets orders reach, in the syntax of `--allow`.
//!
//! Whether an address is permitted is decided by the program's address policy, at each connect and for each datagram.
//! This module only decides whether one network contains another.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// A network at one port, or at all: `10.1.0.0/16:389`, `[2001:db8::]/32:53`, `192.0.2.7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    network: IpNet,
    port: Option<u16>,
}

impl Target {
    /// The addresses of this machine only.
    pub fn loopback() -> [Self; 2] {
        [
            IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8)),
            IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128)),
        ]
        .map(|network| Self { network, port: None })
    }

    /// Whether this target contains everything that the other may reach.
    pub fn holds(&self, other: &Self) -> bool {
        self.network.contains(&other.network) && (self.port.is_none() || self.port == other.port)
    }

    /// The targets of one entry of `agent.toml`, which may list several ports: `10.1.0.0/16:389,636`.
    pub fn several(text: &str) -> Option<Vec<Self>> {
        let mut parts = text.split(',');
        let first: Self = parts.next()?.parse().ok()?;
        let others = parts.map(|port| {
            let port = port.trim().parse().ok().filter(|_| first.port.is_some());
            port.map(|port| Self { network: first.network, port: Some(port) })
        });
        std::iter::once(Some(first)).chain(others).collect()
    }
}

/// The text names no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoTarget;

impl FromStr for Target {
    type Err = NoTarget;

    fn from_str(text: &str) -> Result<Self, NoTarget> {
        read(text.trim()).ok_or(NoTarget)
    }
}

fn read(text: &str) -> Option<Target> {
    // `[2001:db8::]/32:389` and `[2001:db8::/32]:389` mean the same; without brackets the colons belong to the address.
    let (network, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (inside, rest) = rest.split_once(']')?;
            let (bits, port) = rest.find(':').map_or((rest, ""), |at| rest.split_at(at));
            (format!("{inside}{bits}"), port)
        }
        None if text.matches(':').count() > 1 => (text.to_owned(), ""),
        None => {
            let (network, port) = text.find(':').map_or((text, ""), |at| text.split_at(at));
            (network.to_owned(), port)
        }
    };
    let network: IpNet = match network.parse() {
        Ok(network) => network,
        Err(_) => network.parse::<std::net::IpAddr>().ok()?.into(),
    };
    let port = match port.strip_prefix(':') {
        Some(port) => Some(port.parse().ok()?),
        None => None,
    };
    Some(Target { network: network.trunc(), port })
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = self.network.addr();
        match self.port {
            Some(_) if address.is_ipv6() => write!(f, "[{address}]")?,
            _ => write!(f, "{address}")?,
        }
        if self.network.prefix_len() < self.network.max_prefix_len() {
            write!(f, "/{}", self.network.prefix_len())?;
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(text: &str) -> Target {
        text.parse().unwrap_or_else(|_| panic!("{text}"))
    }

    #[test]
    fn allowed_networks_contain_each_other_or_not() {
        for (outer, inside, outside) in [
            (
                "10.1.0.0/16:389",
                &["10.1.2.3:389", "10.1.128.0/17:389"][..],
                &["10.1.2.3", "10.0.0.0/8:389"][..],
            ),
            ("10.1.0.0/16", &["10.1.2.3:389", "10.1.0.0/16"], &["10.2.0.1", "::1"]),
            ("[2001:db8::]/32:53", &["[2001:db8:1::]/48:53"], &["2001:db8::1", "[2001:db8::1]:54"]),
            ("0.0.0.0/0", &["255.255.255.255:67"], &["::/0"]),
        ] {
            let outer = target(outer);
            assert!(inside.iter().all(|inner| outer.holds(&target(inner))), "{outer}");
            assert!(!outside.iter().any(|inner| outer.holds(&target(inner))), "{outer}");
        }
    }

    #[test]
    fn allowed_target_round_trips() {
        for (text, shown) in [
            ("10.1.2.3/16:389", "10.1.0.0/16:389"),
            ("192.0.2.7", "192.0.2.7"),
            ("[2001:db8::/32]:53", "[2001:db8::]/32:53"),
            ("2001:db8::1", "2001:db8::1"),
        ] {
            assert_eq!(target(text).to_string(), shown);
        }
        let several = Target::several("10.1.0.0/16:389, 636").unwrap();
        let shown: Vec<_> = several.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["10.1.0.0/16:389", "10.1.0.0/16:636"]);
        for wrong in [
            "",
            "localhost",
            "10.0.0.0/33",
            "10.0.0.1:",
            "[::1",
            "10.0.0.1,389",
            "10.0.0.1:1,x",
            "10.1/8",
        ] {
            assert_eq!(Target::several(wrong), None, "{wrong}");
        }
    }
}
