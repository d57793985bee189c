//! [`free_port`]: a UDP port that nothing is bound to, for a server and a client of this process.
//!
//! The system chooses it and gives it back at once, so another process may take it before it is used; whoever binds it
//! then reports that.

use std::io;
use std::net::{IpAddr, UdpSocket};

/// A free port at this address. It is also an error if this machine has no such address.
pub fn free_port(ip: IpAddr) -> io::Result<u16> {
    UdpSocket::bind((ip, 0))?.local_addr().map(|address| address.port())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn free_port_requires_an_address_of_this_machine() {
        assert_ne!(free_port(Ipv4Addr::LOCALHOST.into()).unwrap(), 0);
        assert!(free_port(Ipv4Addr::new(192, 0, 2, 1).into()).is_err());
    }
}
