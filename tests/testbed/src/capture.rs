//! A [`Capture`]: every DHCP message that passed a [`Lan`], as it was on the wire.
//!
//! It reads its own packet socket instead of running tcpdump, because an existing socket misses nothing, whereas the
//! start of another program's capture is not known. It extracts a datagram from its frame and decodes nothing else: the
//! test decodes the message, by means that the program does not use.

use crate::lan::Lan;
use rustix::net::sockopt::set_socket_recv_buffer_size_force;
use socket2::{Domain, Protocol, Socket, Type};
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// All protocols, in the byte order of the network, which is how a packet socket wants them.
const ALL: i32 = 0x0003_u16.to_be() as i32;
/// The ports of DHCP servers and clients; relays have the servers'.
const PORTS: [u16; 4] = [67, 68, 546, 547];
/// Room for the datagrams of a test that come faster than they are read.
const BUFFER: usize = 64 << 20;
/// How long a look at the wire takes, and so how late the end of the capture is noticed.
const GLANCE: Duration = Duration::from_millis(20);

/// A DHCP message on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Whether it left the clients' host; the server's if not.
    pub from_client: bool,
    /// Where it came from.
    pub source: SocketAddr,
    /// Where it went.
    pub destination: SocketAddr,
    /// What the datagram carried.
    pub payload: Vec<u8>,
}

/// A capture under way.
#[derive(Debug)]
pub struct Capture {
    ended: Arc<AtomicBool>,
    reader: JoinHandle<Vec<Message>>,
}

impl Capture {
    /// Captures from now on, on the clients' host.
    pub fn start(lan: &Lan) -> Self {
        let ended = Arc::new(AtomicBool::new(false));
        let socket = lan.as_client(|| {
            Socket::new(Domain::PACKET, Type::RAW, Some(Protocol::from(ALL)))
                .expect("root may open a packet socket")
        });
        set_socket_recv_buffer_size_force(&socket, BUFFER).expect("root may set any buffer size");
        socket.set_read_timeout(Some(GLANCE)).expect("a socket can time out");
        let end = Arc::clone(&ended);
        Self { ended, reader: thread::spawn(move || read(socket, &end)) }
    }

    /// Ends it and gives what passed since it began, in that order.
    pub fn stop(self) -> Vec<Message> {
        self.ended.store(true, Ordering::Release);
        self.reader.join().expect("the capture was read")
    }
}

fn read(mut socket: Socket, ended: &AtomicBool) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut frame = [0; 4096];
    loop {
        // Asked before the look, so that what passed before the end is read even if that takes many looks.
        let last = ended.load(Ordering::Acquire);
        match socket.read(&mut frame) {
            Ok(length) => messages.extend(datagram(&frame[..length])),
            Err(_) if last => return messages,
            Err(_) => {}
        }
    }
}

/// The DHCP message in an Ethernet frame, if there is one.
fn datagram(frame: &[u8]) -> Option<Message> {
    // A client without an address may send from a hardware address that is its own.
    let from_client = frame.get(6..12)? != Lan::SERVER_MAC;
    let packet = frame.get(14..)?;
    let (source, destination, udp): (IpAddr, IpAddr, &[u8]) = match frame.get(12..14)? {
        [0x08, 0x00] if packet.get(9) == Some(&17) => {
            let header = usize::from(packet[0] & 0x0f) * 4;
            let address = |at: usize| <[u8; 4]>::try_from(packet.get(at..at + 4)?).ok();
            let address = |at| Some(Ipv4Addr::from(address(at)?));
            (address(12)?.into(), address(16)?.into(), packet.get(header..)?)
        }
        [0x86, 0xdd] if packet.get(6) == Some(&17) => {
            let address = |at: usize| <[u8; 16]>::try_from(packet.get(at..at + 16)?).ok();
            let address = |at| Some(Ipv6Addr::from(address(at)?));
            (address(8)?.into(), address(24)?.into(), packet.get(40..)?)
        }
        _ => return None,
    };
    let word = |at: usize| Some(u16::from_be_bytes(udp.get(at..at + 2)?.try_into().ok()?));
    let (from, to, length) = (word(0)?, word(2)?, word(4)?);
    // A short frame is padded, so the datagram's own length counts.
    let payload = udp.get(8..usize::from(length))?.to_vec();
    (PORTS.contains(&from) || PORTS.contains(&to)).then(|| Message {
        from_client,
        source: SocketAddr::new(source, from),
        destination: SocketAddr::new(destination, to),
        payload,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An Ethernet frame with a datagram of three octets, padded as short frames are.
    fn frame(to: u16) -> Vec<u8> {
        let mut frame = vec![0xff; 6];
        frame.extend(Lan::CLIENT_MAC);
        frame.extend([0x08, 0x00, 0x45, 0, 0, 31, 0, 0, 0, 0, 64, 17, 0, 0]);
        frame.extend([10, 77, 0, 2, 10, 77, 0, 1]);
        frame.extend([0, 99]);
        frame.extend(to.to_be_bytes());
        frame.extend([0, 11, 0, 0, 7, 8, 9]);
        frame.resize(60, 0);
        frame
    }

    #[test]
    fn datagram_is_extracted_without_padding() {
        let message = datagram(&frame(67)).unwrap();
        assert!(message.from_client);
        assert_eq!(message.source, SocketAddr::from((Lan::CLIENT_V4, 99)));
        assert_eq!(message.destination, SocketAddr::from((Lan::SERVER_V4, 67)));
        assert_eq!(message.payload, [7, 8, 9]);
    }

    #[test]
    fn datagram_of_other_protocols_is_ignored() {
        assert_eq!(datagram(&frame(53)), None);
        for length in 0..45 {
            assert_eq!(datagram(&frame(67)[..length]), None, "{length}");
        }
    }
}
