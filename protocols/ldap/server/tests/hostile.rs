//! Hostile clients, and great numbers of clients.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use brunt_ldap_server::{Config, Operation, Server};
use brunt_ldap_wire::{request, response};

use client::{Client, bind, search};

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn invalid_ldap_is_answered_and_disconnected() {
    let running = Server::start(Config { users: 10, ..Config::default() }).unwrap();
    let attacks: [&[u8]; 6] = [
        b"GET / HTTP/1.1\r\n\r\n",
        // Two gigabytes announced.
        &[0x30, 0x84, 0x7f, 0xff, 0xff, 0xff, 0x02, 0x01, 0x01],
        // More than the server accepts, although it would fit a length.
        &[0x30, 0x84, 0x00, 0x20, 0x00, 0x00, 0x02, 0x01, 0x01],
        // An indefinite length.
        &[0x30, 0x80, 0x02, 0x01, 0x01],
        // A bind without its password.
        &[0x30, 0x0a, 0x02, 0x01, 0x01, 0x60, 0x05, 0x02, 0x01, 0x03, 0x04, 0x00],
        // A tag that means nothing.
        &[0x30, 0x05, 0x02, 0x01, 0x01, 0x41, 0x00],
    ];
    for attack in attacks {
        let mut client = Client::connect(running.address());
        client.stream.write_all(attack).unwrap();
        let notice = client.receive().unwrap();
        assert!(response::scan(&notice.bytes).unwrap().is_notice_of_disconnection(), "{attack:?}");
        assert_eq!(notice.code, Some(2));
        assert!(client.receive().is_err());
    }
    assert_eq!(running.stats().malformed, attacks.len() as u64);
    assert_eq!(Client::connect(running.address()).exchange(1, &bind()).code, Some(0));
}

#[test]
fn random_and_mangled_requests_are_handled() {
    let running = Server::start(Config { users: 10, ..Config::default() }).unwrap();
    let mut state = 1_u64;
    let mut random = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut requests = Vec::new();
    for skeleton in [bind(), search("(&(uid=*a*b)(!(cn>=x))(sn:dn:=y))"), request::who_am_i(&[])] {
        skeleton.encode(1, &[][..] as &[&str], &mut requests);
    }
    for round in 0..300 {
        let mut bytes = requests.clone();
        for _ in 0..=random() % 4 {
            let at = random() % bytes.len();
            bytes[at] = random() as u8;
        }
        if round % 3 == 0 {
            bytes = (0..random() % 500).map(|_| random() as u8).collect();
        }
        let mut stream = TcpStream::connect(running.address()).unwrap();
        // The connection may be reset while we write or read; only the survival of the server matters.
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
    assert_eq!(Client::connect(running.address()).exchange(1, &bind()).code, Some(0));
}

#[test]
fn client_that_does_not_read_is_not_read_from() {
    let running = Server::start(Config { users: 2000, ..Config::default() }).unwrap();
    let mut client = Client::connect(running.address());
    client.stream.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    let mut request = Vec::new();
    search("(objectClass=*)").encode(1, &[][..] as &[&str], &mut request);
    let before = resident_kib();
    // All of these would be answered with tens of gigabytes.
    let all = request.repeat(300_000);
    assert!(client.stream.write_all(&all).is_err());
    assert!(running.stats().requests_of(Operation::Search) < 2000);
    let grown = resident_kib().saturating_sub(before);
    assert!(grown < 1 << 20, "{grown} KiB");
}

#[test]
fn thousands_of_connections_are_served() {
    let running = Server::start(Config { users: 10, threads: 2, ..Config::default() }).unwrap();
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let raised = rustix::process::Rlimit { current: limit.maximum, maximum: limit.maximum };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, raised).unwrap();
    let mut clients: Vec<_> = (0..2000).map(|_| Client::connect(running.address())).collect();
    for (id, client) in (1..).zip(&mut clients) {
        client.send(id, &bind());
    }
    for (id, client) in (1..).zip(&mut clients) {
        let received = client.receive().unwrap();
        assert_eq!((received.id, received.code), (id, Some(0)));
    }
    let stats = running.stats();
    assert_eq!((stats.connections_accepted, stats.answers_of(Operation::Bind, 0)), (2000, 2000));
    drop(clients);
    let stats = running.shutdown();
    assert_eq!((stats.connections_closed, stats.connections_refused), (2000, 0));
}

#[test]
fn connections_and_idle_time_are_limited() {
    let idle_limit = Some(Duration::from_secs(2));
    let config = Config { users: 1, connections_max: 2, idle_limit, ..Config::default() };
    let running = Server::start(config).unwrap();
    let mut first = Client::connect(running.address());
    let mut second = Client::connect(running.address());
    assert_eq!(first.exchange(1, &request::who_am_i(&[])).code, Some(0));
    assert_eq!(second.exchange(1, &request::who_am_i(&[])).code, Some(0));
    let mut third = Client::connect(running.address());
    assert!(third.receive().is_err());
    // Neither sends anything, so both are closed, and there is room again.
    assert!(first.receive().is_err() && second.receive().is_err());
    let stats = running.shutdown();
    assert_eq!(
        (stats.connections_accepted, stats.connections_closed, stats.connections_refused),
        (2, 2, 1)
    );
}
