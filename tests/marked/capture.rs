//! [`Capture`]: the packets that loopback carries, from the moment when it starts.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::sockopt::set_socket_recv_buffer_size_force;
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, eth, recv, socket_with};

/// Room for what other programs send over loopback meanwhile.
const BUFFER: usize = 64 << 20;
const ETHERNET: usize = 14;

/// The packets that this machine's interfaces carry.
pub(crate) struct Capture(OwnedFd);

impl Capture {
    /// Starts it.
    pub(crate) fn start() -> Self {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let all = Some(eth::ALL);
        let socket = socket_with(AddressFamily::PACKET, SocketType::RAW, flags, all);
        let socket = socket.expect("root may capture");
        set_socket_recv_buffer_size_force(&socket, BUFFER).expect("root may have any buffer");
        Self(socket)
    }

    /// What marked the packets to this port so far, without repetition.
    pub(crate) fn marks(&mut self, port: u16) -> Vec<u8> {
        self.octets().remove(&port).unwrap_or_default()
    }

    /// For each port, what marked the packets to it so far, without repetition.
    pub(crate) fn octets(&mut self) -> BTreeMap<u16, Vec<u8>> {
        let mut seen: BTreeMap<u16, Vec<u8>> = BTreeMap::new();
        let mut frame = vec![0; 1 << 16];
        loop {
            let count = match recv(&self.0, &mut frame[..], RecvFlags::empty()) {
                Ok((count, _)) => count,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => return seen,
                Err(error) => panic!("{error}"),
            };
            let Some((port, octet)) = frame.get(ETHERNET..count).and_then(packet) else { continue };
            let marks = seen.entry(port).or_default();
            if !marks.contains(&octet) {
                marks.push(octet);
            }
        }
    }
}

/// The destination port of a packet of TCP or UDP, and the octet that marks it, without the bits for congestion. What
/// the kernel sends on its own, for connections that no program has any more, is left out.
fn packet(packet: &[u8]) -> Option<(u16, u8)> {
    let first = *packet.first()?;
    let (octet, protocol, header) = match first >> 4 {
        4 => (*packet.get(1)?, *packet.get(9)?, usize::from(first & 0xf) * 4),
        6 => (first << 4 | packet.get(1)? >> 4, *packet.get(6)?, 40),
        _ => return None,
    };
    let transport = packet.get(header..)?;
    let port = u16::from_be_bytes([*transport.get(2)?, *transport.get(3)?]);
    let reset = || transport.get(13).is_some_and(|flags| flags & 0x4 != 0);
    match protocol {
        6 if !reset() => Some((port, octet & 0xfc)),
        17 => Some((port, octet & 0xfc)),
        _ => None,
    }
}
