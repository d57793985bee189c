//! Sockets to other processes are opened in crates/net: the rule, and what still opens its own.
//!
//! There the addresses that a run may reach, its files, its source addresses and the class of its packets hold for
//! every socket. A socket that is opened elsewhere is one for which they do not. What listens is not meant.

use std::sync::LazyLock;

use regex::Regex;

use crate::statics::{expression, wrong};

/// What still opens sockets, how many, and why. A file may only lose some.
const SOCKETS: &[(&str, usize, &str)] = &[
    (
        "protocols/dhcp/driver/src/link/packet.rs",
        1,
        "frames of a link are no datagrams of the system",
    ),
    ("protocols/dhcp/server/src/socket.rs", 1, "a server answers whoever asks it"),
];

/// What opens a socket.
static OPENS: LazyLock<Regex> = LazyLock::new(|| {
    let connects = r"\b(TcpStream|UnixStream|UnixDatagram)::connect";
    let made = r"\bUdpSocket::bind\(|\bUnixDatagram::(bind|unbound)\(|\b(Tcp)?Socket::new(_v4|_v6|_raw)?\(";
    expression(&format!("{connects}|{made}"))
});

/// How many sockets a piece of code opens.
fn sockets(code: &str) -> usize {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| OPENS.find_iter(line).count()).sum()
}

/// The same outside the crate that opens them for all.
fn sockets_elsewhere(path: &str, code: &str) -> usize {
    if path.starts_with("crates/net/") { 0 } else { sockets(code) }
}

#[test]
fn sockets_are_opened_only_through_net() {
    let wrong = wrong(SOCKETS, sockets_elsewhere);
    assert!(
        wrong.is_empty(),
        "sockets opened outside crates/net, other than tests/tidy/sockets.rs says: connect through brunt_net::Network \
         or brunt_net::unix: {wrong:#?}"
    );
}

#[test]
fn socket_is_found_and_a_listener_is_not() {
    for code in [
        "let stream = TcpStream::connect(to)?;",
        "std::net::TcpStream::connect_timeout(&to, limit)",
        "UnixStream::connect(path).await",
        "UdpSocket::bind((ip, 0))",
        "let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;",
        "UnixDatagram::unbound()?;",
    ] {
        assert_eq!(sockets(code), 1, "{code}");
    }
    for code in [
        "let listener = TcpListener::bind(to)?;",
        "DaemonSocket::new(path, limit)",
        "// UnixStream::connect(path)",
        "network.connect(to).await",
        "UnixStream::pair()?",
    ] {
        assert_eq!(sockets(code), 0, "{code}");
    }
    assert_eq!(sockets_elsewhere("crates/net/src/unix.rs", "UnixStream::connect(path)"), 0);
}
