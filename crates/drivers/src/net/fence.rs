//! The [`Fence`] of a process: the only addresses that it may connect or send to.
//!
//! It belongs to the process and not to a run, and is asked where a connection is opened or a datagram leaves, by the
//! address that was resolved: a redirect, a name that resolves to another address an hour later and an answer that
//! names another server all come past it. Without one everything is allowed. Sockets of this machine have no address,
//! and what the C library asks for its name service is the machine's own business. It must not know what is sent.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::sync::{Mutex, OnceLock, PoisonError};

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

    /// The addresses of this machine alone.
    pub const LOOPBACK: [Self; 2] = [
        Self { network: IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), bits: 8, port: None },
        Self { network: IpAddr::V6(std::net::Ipv6Addr::LOCALHOST), bits: 128, port: None },
    ];

    /// Whether it is of this machine's loopback alone.
    pub fn is_loopback(&self) -> bool {
        self.network.is_loopback() && self.bits >= if self.network.is_ipv4() { 8 } else { 128 }
    }

    fn holds(&self, to: SocketAddr) -> bool {
        let same = |ours: &[u8], theirs: &[u8]| {
            ours.iter().zip(theirs).enumerate().all(|(at, (ours, theirs))| {
                let left = usize::from(self.bits).saturating_sub(at * 8).min(8) as u32;
                let mask = 0xff_u8.checked_shl(8 - left).unwrap_or(0);
                ours & mask == theirs & mask
            })
        };
        // An IPv4 address in the clothes of IPv6 reaches the IPv4 address.
        let inside = match (self.network, to.ip().to_canonical()) {
            (IpAddr::V4(ours), IpAddr::V4(theirs)) => same(&ours.octets(), &theirs.octets()),
            (IpAddr::V6(ours), IpAddr::V6(theirs)) => same(&ours.octets(), &theirs.octets()),
            _ => false,
        };
        inside && self.port.is_none_or(|port| port == to.port())
    }
}

/// Why a text names no addresses.
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
        // Without brackets the colons of an IPv6 address are its own.
        None if text.matches(':').count() > 1 => {
            text.find('/').map_or((text, ""), |at| text.split_at(at))
        }
        None => text.find(['/', ':']).map_or((text, ""), |at| text.split_at(at)),
    };
    // `[2001:db8::/32]:389` is as plain as `[2001:db8::]/32:389`.
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

/// What a process may reach, and what it was kept from.
#[derive(Debug, Default)]
pub struct Fence {
    allowed: Vec<Allowed>,
    /// The first address that was refused.
    refused: Mutex<Option<SocketAddr>>,
}

/// The fence of this process. There is one, and it is never taken down: a way to send that somebody adds tomorrow
/// passes it without being handed anything.
static FENCE: OnceLock<Fence> = OnceLock::new();

impl Fence {
    /// A fence around these addresses.
    pub fn around(allowed: Vec<Allowed>) -> Self {
        Self { allowed, refused: Mutex::default() }
    }

    /// Whether an address lies within; remembers the first that does not.
    fn check(&self, to: SocketAddr) -> io::Result<()> {
        if self.allowed.iter().any(|allowed| allowed.holds(to)) {
            return Ok(());
        }
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(to);
        Err(io::Error::new(io::ErrorKind::PermissionDenied, Refused(to)))
    }
}

/// Why nothing was sent to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not an address that this run may reach; add it with --allow")]
pub struct Refused(pub SocketAddr);

/// Puts the fence up. Returns whether there was none yet.
pub fn put_up(allowed: Vec<Allowed>) -> bool {
    FENCE.set(Fence::around(allowed)).is_ok()
}

/// Whether this process may send to an address.
pub fn check(to: SocketAddr) -> io::Result<()> {
    FENCE.get().map_or(Ok(()), |fence| fence.check(to))
}

/// Whether there is a fence.
pub fn is_up() -> bool {
    FENCE.get().is_some()
}

/// The number of an error of the system, or the one that a fence stands for.
pub(crate) fn number(error: &io::Error) -> Option<i32> {
    let refusal = || error.get_ref()?.downcast_ref::<Refused>().map(|_| libc::EACCES);
    error.raw_os_error().or_else(refusal)
}

/// The first address that this process was kept from.
pub fn refused() -> Option<SocketAddr> {
    *FENCE.get()?.refused.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    #[test]
    fn networks_and_ports_hold_what_they_say() {
        for (allowed, inside, outside) in [
            ("10.1.0.0/16:389", &["10.1.255.7:389"][..], &["10.1.0.1:636", "10.2.0.0:389"][..]),
            ("192.0.2.7", &["192.0.2.7:1"], &["192.0.2.6:1", "[::]:1"]),
            ("192.0.2.128/25", &["192.0.2.255:80"], &["192.0.2.127:80"]),
            ("0.0.0.0/0", &["8.8.8.8:53", "[::ffff:8.8.8.8]:53"], &["[2001:db8::1]:53"]),
            ("2001:db8::/33", &["[2001:db8:7fff::1]:9"], &["[2001:db8:8000::1]:9"]),
            ("[2001:db8::1]:636", &["[2001:db8::1]:636"], &["[2001:db8::1]:389"]),
            ("[2001:db8::]/32:636", &["[2001:db8:1::]:636"], &["[2001:db9::]:636"]),
            ("[2001:db8::/32]:636", &["[2001:db8:1::]:636"], &["[2001:db8::]:1"]),
            ("127.0.0.1:1389", &["[::ffff:127.0.0.1]:1389"], &["[::1]:1389"]),
        ] {
            let fence = Fence::around(vec![allowed.parse().unwrap()]);
            for to in inside {
                assert!(fence.check(at(to)).is_ok(), "{to} in {allowed}");
            }
            for to in outside {
                let error = fence.check(at(to)).unwrap_err();
                assert!(error.to_string().contains("--allow"), "{to} in {allowed}: {error}");
            }
        }
    }

    #[test]
    fn what_names_no_address_is_refused() {
        for wrong in
            ["", "localhost", "10.0.0.0/33", "10.0.0.1:", "10.0.0.1:x", "[::1", "::1/129", "10.1/8"]
        {
            assert!(wrong.parse::<Allowed>().is_err(), "{wrong}");
        }
        for text in ["10.1.0.0/16:389", "192.0.2.7", "[2001:db8::]/32:53", "2001:db8::1"] {
            assert_eq!(text.parse::<Allowed>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_fence_without_a_gate_lets_nothing_through_and_says_what_came_first() {
        let fence = Fence::default();
        assert!(fence.check(at("192.0.2.1:1")).is_err() && fence.check(at("192.0.2.2:1")).is_err());
        assert_eq!(*fence.refused.lock().unwrap(), Some(at("192.0.2.1:1")));
        let loopback = Fence::around(Allowed::LOOPBACK.to_vec());
        assert!(loopback.check(at("127.9.9.9:1")).is_ok() && loopback.check(at("[::1]:1")).is_ok());
        assert!(loopback.check(at("0.0.0.0:1")).is_err() && loopback.check(at("[::2]:1")).is_err());
    }
}
