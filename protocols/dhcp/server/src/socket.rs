//! The socket of a server, and the interface it is bound to.
//!
//! A server on a specific address receives only what is sent there. One on all addresses of an interface also receives
//! broadcasts and multicasts, as it must to serve clients without a relay; it is bound to that interface, so that it
//! does not answer on other networks.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd as _;

use nix::sys::socket::sockopt;
use socket2::{Domain, Protocol, Socket, Type};

/// The receive buffer, in bytes: what one core can answer in half a second.
const RECEIVE_BYTES: usize = 32 << 20;

/// `All_DHCP_Relay_Agents_and_Servers` (RFC 8415 section 7.1).
const ALL_AGENTS: Ipv6Addr = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 1, 2);

/// `All_DHCP_Servers`.
const ALL_SERVERS: Ipv6Addr = Ipv6Addr::new(0xff05, 0, 0, 0, 0, 0, 1, 3);

/// Opens a socket on an address; on the unspecified address, bound to one interface.
pub(super) fn open(address: SocketAddr, interface: Option<&str>) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    enlarge(&socket);
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    if let Some(name) = interface {
        socket.bind_device(Some(name.as_bytes()))?;
        match address.ip() {
            IpAddr::V4(_) => socket.set_broadcast(true)?,
            IpAddr::V6(_) => {
                let index = nix::net::if_::if_nametoindex(name)?;
                socket.join_multicast_v6(&ALL_AGENTS, index)?;
                socket.join_multicast_v6(&ALL_SERVERS, index)?;
            }
        }
    }
    socket.bind(&address.into())?;
    Ok(socket.into())
}

/// Enlarges the socket's buffers, beyond the system's limit if the process has the privilege.
fn enlarge(socket: &Socket) {
    let forced = nix::sys::socket::setsockopt(socket, sockopt::RcvBufForce, &RECEIVE_BYTES);
    if forced.is_err() {
        // The system grants as much as it allows, and counts what is lost.
        let _ = socket.set_recv_buffer_size(RECEIVE_BYTES);
    }
    let _ = socket.set_send_buffer_size(RECEIVE_BYTES);
}

/// The first IPv4 address of an interface.
pub(super) fn address_of(interface: &str) -> Option<Ipv4Addr> {
    let all = nix::ifaddrs::getifaddrs().ok()?;
    let mut own = all.filter(|it| it.interface_name == interface).filter_map(|it| it.address);
    own.find_map(|address| address.as_sockaddr_in().map(nix::sys::socket::SockaddrIn::ip))
}

/// How many datagrams the system dropped because the socket's buffer was full (proc(5)).
pub(super) fn lost(socket: &UdpSocket) -> u64 {
    let table = match socket.local_addr() {
        Ok(SocketAddr::V6(_)) => "/proc/self/net/udp6",
        _ => "/proc/self/net/udp",
    };
    let inode = std::fs::read_link(format!("/proc/self/fd/{}", socket.as_raw_fd()));
    let inode = inode.map(|link| link.to_string_lossy().into_owned()).unwrap_or_default();
    let inode = inode.trim_start_matches("socket:[").trim_end_matches(']');
    let table = std::fs::read_to_string(table).unwrap_or_default();
    drops(&table, inode).unwrap_or_default()
}

/// The last column of the line whose tenth is the inode.
fn drops(table: &str, inode: &str) -> Option<u64> {
    let mut lines = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let line = lines.find(|columns| columns.get(9) == Some(&inode))?;
    line.last()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn socket_counts_datagrams_lost_by_a_full_buffer() {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let socket = Socket::from(socket);
        socket.set_recv_buffer_size(4096).unwrap();
        let socket = UdpSocket::from(socket);
        let to = socket.local_addr().unwrap();
        let from = UdpSocket::bind("127.0.0.1:0").unwrap();
        for _ in 0..100 {
            from.send_to(&[0; 512], to).unwrap();
        }
        socket.set_nonblocking(true).unwrap();
        let mut kept = 0;
        while socket.recv(&mut [0; 512]).is_ok() {
            kept += 1;
        }
        assert!(kept < 100);
        assert_eq!(lost(&socket), 100 - kept);
    }
}
