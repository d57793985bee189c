//! [`Awaited`]: before a load begins, it waits a moment for a target on this machine that does not listen yet.
//!
//! A user who copies a whole page into a shell starts a target in the background and loads it at once. Only a port of
//! loopback is waited for, once, and before anything is sent: so no figure includes the wait, and no target of others
//! is tried again. Whether a port is open is read from the kernel's tables of sockets, so the target does not notice.
//! Only a port that they do not name is connected to, as it may lead somewhere else.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use brunt_net::Network;

use crate::console::{self, Console};

/// How long all targets of a process are waited for; documented in `docs/targets.md`.
pub const LONGEST: Duration = Duration::from_secs(3);
/// How soon it is checked again at first. Each later pause is twice as long as the one before, up to [`PAUSE_MAX`]: the
/// kernel walks through all its connections for each look at a table.
const TICK: Duration = Duration::from_millis(20);
const PAUSE_MAX: Duration = Duration::from_millis(160);

/// The tables of sockets, and the state that a socket has there that waits for others: listening, or not connected.
const TABLES: [(&str, &str); 4] = [
    ("/proc/net/tcp", "0A"),
    ("/proc/net/tcp6", "0A"),
    ("/proc/net/udp", "07"),
    ("/proc/net/udp6", "07"),
];

/// The addresses that were waited for, so that each is waited for once.
#[derive(Debug, Default)]
pub struct Awaited(Mutex<BTreeSet<SocketAddr>>);

impl Awaited {
    /// Waits for those of these targets, each with its possible addresses, that are on loopback and may be reached.
    pub fn wait(&self, targets: &[Vec<SocketAddr>], network: &Network, console: &Console) {
        let mut waited = Duration::ZERO;
        for target in targets.iter().filter(|target| self.is_new(target, network)) {
            let (before, mut pause) = (waited, TICK);
            while waited < LONGEST && !is_open(target, network) {
                let next = pause.min(LONGEST.saturating_sub(waited));
                console::pause(next);
                waited += next;
                pause = PAUSE_MAX.min(2 * pause);
            }
            if waited > before {
                console.note(&message(target, waited));
            }
        }
    }

    /// Whether a target is only on loopback, may be reached, and was not waited for before.
    fn is_new(&self, target: &[SocketAddr], network: &Network) -> bool {
        let address_policy = network.address_policy();
        let awaited =
            |to: &SocketAddr| to.ip().to_canonical().is_loopback() && address_policy.permits(*to);
        if target.is_empty() || !target.iter().all(awaited) {
            return false;
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let added = target.iter().filter(|to| known.insert(**to)).count();
        added > 0
    }
}

/// Whether one of the addresses is open. A system without the tables is taken to have it.
fn is_open(target: &[SocketAddr], network: &Network) -> bool {
    let mut tables = 0;
    for (path, state) in TABLES {
        let Ok(table) = std::fs::read_to_string(path) else { continue };
        tables += 1;
        if sockets(&table, state).any(|bound| target.iter().any(|to| serves(bound, *to))) {
            return true;
        }
    }
    tables == 0 || target.iter().any(|to| network.connect_blocking([*to], Some(TICK)).is_ok())
}

/// The addresses of the sockets of a table that are in this state.
fn sockets<'a>(table: &'a str, state: &'a str) -> impl Iterator<Item = SocketAddr> + 'a {
    table.lines().filter_map(move |line| {
        let mut fields = line.split_whitespace().skip(1);
        let (local, _, is) = (fields.next()?, fields.next()?, fields.next()?);
        (is == state).then(|| address(local)).flatten()
    })
}

/// An address as the kernel writes it: words of 32 bits in the machine's order, which hold bytes in the network's.
fn address(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.split_once(':')?;
    let word = |at: usize| {
        let word = u32::from_str_radix(ip.get(8 * at..8 * at + 8)?, 16).ok()?;
        Some(word.to_ne_bytes())
    };
    let ip = match ip.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?)),
        32 => {
            let mut bytes = [0; 16];
            for (at, part) in bytes.chunks_exact_mut(4).enumerate() {
                part.copy_from_slice(&word(at)?);
            }
            IpAddr::V6(Ipv6Addr::from(bytes))
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, u16::from_str_radix(port, 16).ok()?))
}

/// Whether a socket that is bound to an address takes what is sent to another.
fn serves(bound: SocketAddr, to: SocketAddr) -> bool {
    let (bound_ip, to_ip) = (bound.ip().to_canonical(), to.ip().to_canonical());
    let any = bound.ip().is_unspecified() && (bound.is_ipv6() || to_ip.is_ipv4());
    bound.port() == to.port() && (any || bound_ip == to_ip)
}

fn message(target: &[SocketAddr], waited: Duration) -> String {
    let at = target.first().map(ToString::to_string).unwrap_or_default();
    let seconds = waited.as_secs_f64();
    if waited < LONGEST {
        format!("nothing listened at {at} yet, so the load waited {seconds:.2} s for it")
    } else {
        format!("nothing listens at {at}; the load waited {seconds:.0} s for it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, UdpSocket};

    fn at(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    #[test]
    fn socket_serves_its_address_or_any_address() {
        for (bound, to, takes) in [
            ("127.0.0.1:80", "127.0.0.1:80", true),
            ("127.0.0.1:80", "127.0.0.1:81", false),
            ("127.0.0.1:80", "127.0.0.2:80", false),
            ("0.0.0.0:80", "127.0.0.2:80", true),
            ("0.0.0.0:80", "[::1]:80", false),
            ("[::]:80", "[::1]:80", true),
            ("[::]:80", "127.0.0.1:80", true),
            ("[::ffff:127.0.0.1]:80", "127.0.0.1:80", true),
        ] {
            assert_eq!(serves(at(bound), at(to)), takes, "{bound} {to}");
        }
    }

    #[test]
    fn listening_port_is_found_and_a_closed_one_is_not() {
        let found = |to: SocketAddr| {
            let tables = TABLES
                .iter()
                .filter_map(|(path, state)| Some((std::fs::read_to_string(path).ok()?, state)));
            tables.into_iter().any(|(table, state)| sockets(&table, state).any(|it| it == to))
        };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let (tcp, udp) = (listener.local_addr().unwrap(), socket.local_addr().unwrap());
        assert!(found(tcp) && found(udp));
        let network = Network::private();
        assert!(is_open(&[at("127.0.0.1:1"), tcp], &network));
        // A port of services of the nineteen-eighties.
        assert!(!found(at("127.0.0.1:1")) && !is_open(&[at("127.0.0.1:1")], &network));
    }

    #[test]
    fn loopback_target_alone_is_waited_for_and_only_once() {
        let (network, awaited, others) =
            (Network::private(), Awaited::default(), Awaited::default());
        let is_new = |target: &[SocketAddr]| awaited.is_new(target, &network);
        assert!(!is_new(&[at("192.0.2.1:389")]));
        assert!(!is_new(&[at("127.0.0.1:7"), at("192.0.2.1:7")]));
        assert!(!is_new(&[]));
        let both = [at("127.0.0.1:7"), at("[::1]:7")];
        assert!(is_new(&both));
        assert!(!is_new(&both) && !is_new(&[at("[::1]:7")]));
        assert!(others.is_new(&both, &network), "another command waits for itself");
    }

    #[test]
    fn wait_for_a_listener_is_reported_with_its_length() {
        let to = [at("127.0.0.1:1389")];
        assert_eq!(
            message(&to, Duration::from_millis(340)),
            "nothing listened at 127.0.0.1:1389 yet, so the load waited 0.34 s for it"
        );
        assert_eq!(
            message(&to, LONGEST),
            "nothing listens at 127.0.0.1:1389; the load waited 3 s for it"
        );
    }
}
