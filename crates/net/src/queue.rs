//! A [`QueueWatch`]: the receive queue of a UDP server on this host, seen from outside.
//!
//! A request that the kernel drops because the server is too slow to take it is lost in the server's queue, not in
//! transit, and a client cannot distinguish the two. If client and server share a host, the kernel reports it: the last
//! column of `/proc/PID/net/udp`, of any process in the server's network namespace (`proc_net_udp` in Linux,
//! `Documentation/networking/proc_net_tcp.rst` for the columns). A server that also reads raw frames, as Kea does for
//! clients without an address, has another queue for them, which is not reported. It must not depend on the content of
//! the datagrams.

use super::interface::Interface;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

/// The queues of the sockets that receive what is sent to one address of this host.
#[derive(Debug)]
pub struct QueueWatch {
    server: SocketAddr,
    directory: PathBuf,
    known: Vec<Entry>,
    lost: u64,
}

/// One line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    local: SocketAddr,
    queued: u64,
    inode: u64,
    drops: u32,
}

impl QueueWatch {
    /// Begins to watch the sockets that receive what is sent to `server`; `None` if this is not an address of this host
    /// and network namespace, or if no socket is bound to it.
    pub fn find(server: SocketAddr) -> Option<Self> {
        let ip = server.ip();
        let ours = ip.is_loopback() || Interface::holding(ip).ok()?.is_some();
        if ours { Self::find_in(Path::new("/proc/self/net"), server) } else { None }
    }

    /// How many datagrams the queues have dropped since the watch began; `None` once the sockets are closed.
    pub fn drops(&mut self) -> Option<u64> {
        let now = self.read()?;
        for entry in &now {
            // For a socket that was opened later, all drops count.
            let before = self.known.iter().find(|it| it.inode == entry.inode);
            self.lost += u64::from(entry.drops.wrapping_sub(before.map_or(0, |it| it.drops)));
        }
        self.known = now;
        Some(self.lost)
    }

    /// How many bytes wait in the queues now, with the kernel's overhead.
    pub fn queued(&self) -> Option<u64> {
        Some(self.read()?.iter().map(|it| it.queued).sum())
    }

    /// The same for the network namespace of a process of this host: a server in a container, or
    /// beyond a pair of virtual interfaces.
    pub fn find_beside(pid: u32, server: SocketAddr) -> Option<Self> {
        Self::find_in(&Path::new("/proc").join(pid.to_string()).join("net"), server)
    }

    fn find_in(directory: &Path, server: SocketAddr) -> Option<Self> {
        let mut found =
            Self { server, directory: directory.to_owned(), known: Vec::new(), lost: 0 };
        found.known = found.read()?;
        Some(found)
    }

    fn read(&self) -> Option<Vec<Entry>> {
        let table = |name| fs::read_to_string(self.directory.join(name)).unwrap_or_default();
        let (v4, v6) = (table("udp"), table("udp6"));
        let entries: Vec<Entry> = v4.lines().chain(v6.lines()).filter_map(entry).collect();
        let taking = taking(&entries, self.server);
        (!taking.is_empty()).then_some(taking)
    }
}

/// The sockets that receive what is sent to `server`: one bound to the specific address takes precedence over one bound
/// to any address.
fn taking(entries: &[Entry], server: SocketAddr) -> Vec<Entry> {
    let at = |ip: &dyn Fn(IpAddr) -> bool| -> Vec<Entry> {
        let there =
            |it: &&Entry| it.local.port() == server.port() && ip(it.local.ip().to_canonical());
        entries.iter().filter(there).copied().collect()
    };
    let own = at(&|ip| ip == server.ip());
    if !own.is_empty() {
        return own;
    }
    let family = at(&|ip| ip.is_unspecified() && ip.is_ipv4() == server.is_ipv4());
    if family.is_empty() && server.is_ipv4() {
        return at(&|ip| ip == IpAddr::V6(Ipv6Addr::UNSPECIFIED));
    }
    family
}

/// Reads `sl local rem st tx:rx tr:when retrnsmt uid timeout inode ref pointer drops`; the heading is not an entry.
fn entry(line: &str) -> Option<Entry> {
    let mut columns = line.split_whitespace();
    let (ip, port) = columns.nth(1)?.split_once(':')?;
    let (_, queued) = columns.nth(2)?.split_once(':')?;
    let inode = columns.nth(4)?.parse().ok()?;
    let drops = columns.nth(2)?.parse().ok()?;
    Some(Entry {
        local: SocketAddr::new(address(ip)?, u16::from_str_radix(port, 16).ok()?),
        queued: u64::from_str_radix(queued, 16).ok()?,
        inode,
        drops,
    })
}

/// Reads an address as the kernel prints it: words of four octets, each in this machine's byte order.
fn address(text: &str) -> Option<IpAddr> {
    let word = |at: usize| {
        let digits = text.get(at * 8..at * 8 + 8)?;
        u32::from_str_radix(digits, 16).ok().map(u32::to_ne_bytes)
    };
    match text.len() {
        8 => Some(Ipv4Addr::from(word(0)?).into()),
        32 => {
            let mut octets = [0; 16];
            for (at, into) in octets.chunks_exact_mut(4).enumerate() {
                into.copy_from_slice(&word(at)?);
            }
            Some(Ipv6Addr::from(octets).into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::UdpSocket;

    const HEADING: &str = concat!(
        "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout ",
        "inode ref pointer drops             \n"
    );

    fn line(ip: &str, port: u16, inode: u64, drops: u32) -> String {
        let times = "00:00000000 00000000     0        0";
        format!(
            "  123: {ip}:{port:04X} 00000000:0000 07 00000000:00000300 {times} {inode} 2 0000000000000000 {drops}  \n"
        )
    }

    fn v4(octets: [u8; 4]) -> String {
        format!("{:08X}", u32::from_ne_bytes(octets))
    }

    fn watch(udp: &str, udp6: &str, server: &str) -> (tempfile::TempDir, Option<QueueWatch>) {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("udp"), format!("{HEADING}{udp}")).unwrap();
        std::fs::write(directory.path().join("udp6"), format!("{HEADING}{udp6}")).unwrap();
        let found = QueueWatch::find_in(directory.path(), server.parse().unwrap());
        (directory, found)
    }

    #[test]
    fn queue_watch_prefers_the_socket_with_the_exact_address() {
        let udp = [
            line(&v4([0; 4]), 67, 1, 10),
            line(&v4([192, 0, 2, 7]), 67, 2, 20),
            line(&v4([192, 0, 2, 7]), 68, 3, 30),
        ];
        let udp6 = line(&"0".repeat(32), 67, 4, 40);
        let inodes = |server| {
            let (_directory, found) = watch(&udp.concat(), &udp6, server);
            found.map(|it| it.known.iter().map(|it| it.inode).collect::<Vec<_>>())
        };
        assert_eq!(inodes("192.0.2.7:67"), Some(vec![2]));
        assert_eq!(inodes("192.0.2.8:67"), Some(vec![1]));
        assert_eq!(inodes("[2001:db8::1]:67"), Some(vec![4]));
        assert_eq!(inodes("192.0.2.7:69"), None);
        let (_directory, dual) = watch("", &udp6, "192.0.2.7:67");
        assert_eq!(dual.unwrap().known[0].inode, 4, "a socket for both families");
    }

    #[test]
    fn queue_watch_counts_losses_since_its_start() {
        let ip = v4([192, 0, 2, 7]);
        let before = line(&ip, 67, 1, 10) + &line(&ip, 67, 2, u32::MAX);
        let (directory, found) = watch(&before, "", "192.0.2.7:67");
        let mut found = found.unwrap();
        assert_eq!(found.drops(), Some(0));
        assert_eq!(found.queued(), Some(2 * 0x300));
        let file = directory.path().join("udp");
        // The first was closed; the second counter wrapped; the third is new.
        std::fs::write(&file, line(&ip, 67, 2, 4) + &line(&ip, 67, 3, 6)).unwrap();
        assert_eq!(found.drops(), Some(5 + 6));
        assert_eq!(found.drops(), Some(5 + 6));
        std::fs::write(&file, HEADING).unwrap();
        assert_eq!(found.drops(), None);
    }

    #[test]
    fn queue_watch_ignores_malformed_tables() {
        for text in ["", "x", "1: 0:0", HEADING, "1: 0100007F:0043 x 07 0:zz 0:0 0 0 0 1 2 0 9"] {
            assert_eq!(entry(text), None, "{text}");
        }
        assert_eq!(address("é00007F"), None);
        assert_eq!(address("0100007é"), None);
    }

    #[test]
    fn queue_watch_sees_drops_of_the_kernel() {
        for host in ["127.0.0.1:0", "[::1]:0"] {
            let server = UdpSocket::bind(host).unwrap();
            rustix::net::sockopt::set_socket_recv_buffer_size(&server, 4096).unwrap();
            let address = server.local_addr().unwrap();
            let mut watch = QueueWatch::find(address).unwrap();
            let client = UdpSocket::bind(host).unwrap();
            for _ in 0..100 {
                client.send_to(&[0; 100], address).unwrap();
            }
            assert!(watch.queued().unwrap() > 0);
            server.set_nonblocking(true).unwrap();
            let taken = std::iter::from_fn(|| server.recv(&mut [0; 200]).ok()).count();
            assert!(taken < 100, "the buffer was not too small: {taken}");
            assert_eq!(watch.drops(), Some(100 - taken as u64), "{host}");
        }
        assert!(QueueWatch::find("192.0.2.1:67".parse().unwrap()).is_none(), "not this host's");
    }
}
