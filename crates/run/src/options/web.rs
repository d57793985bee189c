//! The address of the live page of a run: `--web`.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

use super::value_error::ValueError;

/// An address of this machine, and a port; port 0 is any free port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WebAddress(pub SocketAddr);

impl WebAddress {
    /// Whether only programs on this machine can reach it.
    pub fn is_private(self) -> bool {
        self.0.ip().is_loopback()
    }
}

impl FromStr for WebAddress {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let local = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let read = match text {
            "" => Some(SocketAddr::new(local, 0)),
            _ => text
                .parse()
                .ok()
                .or_else(|| text.parse().ok().map(|port| SocketAddr::new(local, port)))
                .or_else(|| text.parse().ok().map(|host| SocketAddr::new(host, 0))),
        };
        read.map(Self).ok_or(ValueError::Web)
    }
}

impl fmt::Display for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_address_defaults_to_localhost_and_any_port() {
        for (text, read, private) in [
            ("", "127.0.0.1:0", true),
            ("8080", "127.0.0.1:8080", true),
            ("127.0.0.9", "127.0.0.9:0", true),
            ("::1", "[::1]:0", true),
            ("[::1]:8080", "[::1]:8080", true),
            ("0.0.0.0:80", "0.0.0.0:80", false),
            ("192.0.2.7", "192.0.2.7:0", false),
        ] {
            let address: WebAddress = text.parse().unwrap();
            assert_eq!((address.to_string().as_str(), address.is_private()), (read, private));
        }
        for wrong in ["localhost", "127.0.0.1:", "70000", "http://127.0.0.1", "[::1]", "-1"] {
            assert!(
                wrong.parse::<WebAddress>().unwrap_err().to_string().contains("8080"),
                "{wrong}"
            );
        }
    }
}
