//! Free loopback ports for servers.
//!
//! Taken below the range the kernel hands to clients (32768 and up on Linux): a load generator uses
//! up thousands of those, and a server restarted on its old port must still find it free.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Mutex, PoisonError};

const FIRST: u16 = 12_000;
const COUNT: u16 = 18_000;

/// What keeps other processes from being given the ports of this one, until it ends.
static RESERVED: Mutex<Vec<UnixDatagram>> = Mutex::new(Vec::new());

/// A port of 127.0.0.1 and `::1` that nothing listens on, by TCP or UDP, and that no process that is still there was
/// given before.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Test processes run side by side, so each starts somewhere else.
    let start = (std::process::id().wrapping_mul(97) % u32::from(COUNT)) as u16;
    for _ in 0..COUNT {
        let step = NEXT.fetch_add(1, Ordering::Relaxed);
        let port = FIRST + (start + step % COUNT) % COUNT;
        let Some(reserved) = reserve(port) else { continue };
        let addresses = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
        if addresses.into_iter().all(|address| is_free(address, port)) {
            RESERVED.lock().unwrap_or_else(PoisonError::into_inner).push(reserved);
            return port;
        }
    }
    panic!("no free port between {FIRST} and {}", FIRST + COUNT)
}

/// Reserves a number among all test processes of the machine, so that none is given it between the choice of a port and
/// its use; nothing if it is reserved. A name that is not of a file belongs to one network namespace, as ports do, and
/// ends with the process, however that ends.
fn reserve(port: u16) -> Option<UnixDatagram> {
    let name = SocketAddr::from_abstract_name(format!("brunt-tests-port-{port}"));
    match UnixDatagram::bind_addr(&name.expect("the name is short")) {
        Ok(reserved) => Some(reserved),
        Err(error) if error.kind() == ErrorKind::AddrInUse => None,
        Err(error) => panic!("failed to reserve port {port}: {error}"),
    }
}

/// Whether nothing has the port. A machine without IPv6 has no `::1`, where every port is free.
fn is_free(address: IpAddr, port: u16) -> bool {
    let taken = |error: std::io::Error| error.kind() != ErrorKind::AddrNotAvailable;
    let tcp = TcpListener::bind((address, port)).map(drop);
    let udp = UdpSocket::bind((address, port)).map(drop);
    !tcp.is_err_and(taken) && !udp.is_err_and(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_ports_are_distinct_and_below_the_ephemeral_range() {
        let ports: Vec<u16> = (0..50).map(|_| free_port()).collect();
        let mut distinct = ports.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), ports.len());
        assert!(ports.iter().all(|port| *port < 32_768));
    }

    #[test]
    fn free_port_avoids_ports_in_use() {
        let taken: Vec<TcpListener> = (0..20)
            .map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, free_port())).unwrap())
            .collect();
        let taken: Vec<u16> =
            taken.iter().map(|listener| listener.local_addr().unwrap().port()).collect();
        assert!((0..200).all(|_| !taken.contains(&free_port())));
    }

    #[test]
    fn free_port_is_reserved_before_it_is_used() {
        assert!(reserve(free_port()).is_none());
        // The number that comes next in this process is another's.
        let next = free_port() + 1;
        let other = reserve(next);
        assert!((0..200).all(|_| free_port() != next) || other.is_none());
    }

    #[test]
    fn free_port_avoids_udp_and_ipv6_ports_in_use() {
        let v4 = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let port = free_port();
        assert!(is_free(v4, port));
        let _udp = UdpSocket::bind((v4, port)).unwrap();
        assert!(!is_free(v4, port));
        let v6 = IpAddr::V6(Ipv6Addr::LOCALHOST);
        let port = free_port();
        if let Ok(_udp) = UdpSocket::bind((v6, port)) {
            assert!(!is_free(v6, port) && is_free(v4, port));
        }
    }
}
