//! [`Allowed`]: addresses, as a user writes them.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

/// Addresses that may be reached: `10.1.0.0/16:389`, `[2001:db8::]/32:53`, `192.0.2.7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed {
    network: IpAddr,
    bits: u8,
    port: Option<u16>,
}

impl Allowed {
    /// One address, at every port.
    pub const fn address(network: IpAddr) -> Self {
        Self { network, bits: if network.is_ipv4() { 32 } else { 128 }, port: None }
    }

    /// The same addresses at one port.
    #[must_use]
    pub const fn at_port(self, port: u16) -> Self {
        Self { port: Some(port), ..self }
    }

    /// The addresses of this machine's loopback.
    pub const LOOPBACK: [Self; 2] = [
        Self { network: IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), bits: 8, port: None },
        Self { network: IpAddr::V6(std::net::Ipv6Addr::LOCALHOST), bits: 128, port: None },
    ];

    /// Whether it contains only loopback addresses of this machine.
    pub fn is_loopback(&self) -> bool {
        self.network.is_loopback() && self.bits >= if self.network.is_ipv4() { 8 } else { 128 }
    }

    pub(super) fn holds(&self, to: SocketAddr) -> bool {
        let same = |ours: &[u8], theirs: &[u8]| {
            ours.iter().zip(theirs).enumerate().all(|(at, (ours, theirs))| {
                let left = usize::from(self.bits).saturating_sub(at * 8).min(8) as u32;
                let mask = 0xff_u8.checked_shl(8 - left).unwrap_or(0);
                ours & mask == theirs & mask
            })
        };
        // An IPv4-mapped IPv6 address reaches the IPv4 address.
        let inside = match (self.network, to.ip().to_canonical()) {
            (IpAddr::V4(ours), IpAddr::V4(theirs)) => same(&ours.octets(), &theirs.octets()),
            (IpAddr::V6(ours), IpAddr::V6(theirs)) => same(&ours.octets(), &theirs.octets()),
            _ => false,
        };
        inside && self.port.is_none_or(|port| port == to.port())
    }
}

/// Why a text is not a set of addresses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "read '{0}': write an address or a network, with a port if you like: 10.1.0.0/16:389, [2001:db8::1]:636"
)]
pub struct AllowedError(String);

impl FromStr for Allowed {
    type Err = AllowedError;

    fn from_str(text: &str) -> Result<Self, AllowedError> {
        read(text.trim()).ok_or_else(|| AllowedError(text.to_owned()))
    }
}

fn read(text: &str) -> Option<Allowed> {
    let (address, rest) = match text.strip_prefix('[') {
        Some(inside) => inside.split_once(']')?,
        // Without brackets, the colons belong to the IPv6 address.
        None if text.matches(':').count() > 1 => {
            text.find('/').map_or((text, ""), |at| text.split_at(at))
        }
        None => text.find(['/', ':']).map_or((text, ""), |at| text.split_at(at)),
    };
    // `[2001:db8::/32]:389` means the same as `[2001:db8::]/32:389`.
    let (address, inner) = address.split_once('/').map_or((address, None), |(a, b)| (a, Some(b)));
    let network: IpAddr = address.parse().ok()?;
    let (bits, port) = match (inner, rest.strip_prefix('/')) {
        (Some(_), Some(_)) => return None,
        (Some(bits), None) => (Some(bits), rest),
        (None, Some(rest)) => {
            let (bits, port) = rest.find(':').map_or((rest, ""), |at| rest.split_at(at));
            (Some(bits), port)
        }
        (None, None) => (None, rest),
    };
    let whole = if network.is_ipv4() { 32 } else { 128 };
    let bits = bits.map_or(Some(whole), |bits| bits.parse().ok())?;
    let port = match port.strip_prefix(':') {
        Some(port) => Some(port.parse().ok()?),
        None if port.is_empty() => None,
        None => return None,
    };
    (bits <= whole).then_some(Allowed { network, bits, port })
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.network {
            IpAddr::V4(address) => write!(f, "{address}")?,
            IpAddr::V6(address) if self.port.is_some() => write!(f, "[{address}]")?,
            IpAddr::V6(address) => write!(f, "{address}")?,
        }
        let whole = if self.network.is_ipv4() { 32 } else { 128 };
        if self.bits < whole {
            write!(f, "/{}", self.bits)?;
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowed_address_errors_are_refused() {
        for wrong in
            ["", "localhost", "10.0.0.0/33", "10.0.0.1:", "10.0.0.1:x", "[::1", "::1/129", "10.1/8"]
        {
            assert!(wrong.parse::<Allowed>().is_err(), "{wrong}");
        }
        for text in ["10.1.0.0/16:389", "192.0.2.7", "[2001:db8::]/32:53", "2001:db8::1"] {
            assert_eq!(text.parse::<Allowed>().unwrap().to_string(), text);
        }
    }
}
