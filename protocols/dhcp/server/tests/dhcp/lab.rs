//! Clients without a relay, which broadcast: on a link between two network namespaces made for the test.
//!
//! A namespace belongs to a thread here. The thread that made it sees only that link and nothing else of this machine,
//! so no other machine can receive the broadcasts.

use std::net::{Ipv6Addr, SocketAddr, SocketAddrV6, UdpSocket};
use std::process::Command;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use brunt_dhcp_server::{Config, RequestKind, Server, Stats, V4};
use brunt_testbed::skip;
use dhcproto::{Encodable, v4, v6};
use nix::sched::{CloneFlags, unshare};
use socket2::{Domain, Protocol, Socket, Type};

use crate::client::{discover, given, read4, read6, request, solicit};

const WIRE: [&str; 2] = ["brunt-s", "brunt-c"];

fn ip(arguments: &str) {
    let done = Command::new("ip").args(arguments.split(' ')).output().unwrap();
    assert!(done.status.success(), "ip {arguments}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Assigns this thread's end of the link its addresses.
fn connect(end: &str, number: u8) {
    ip(&format!("addr add 10.55.0.{number}/16 dev {end}"));
    ip(&format!("link set {end} up"));
    ip(&format!("addr add fe80::{number}/64 dev {end} nodad"));
}

/// The server's side: makes the link, serves until the client is done, and returns the counts.
fn serve(client: &Receiver<nix::libc::pid_t>, ready: &Sender<()>, done: &Receiver<()>) -> Stats {
    unshare(CloneFlags::CLONE_NEWNET).unwrap();
    let [ours, theirs] = WIRE;
    let id = client.recv().unwrap();
    ip(&format!("link add {ours} type veth peer name {theirs} netns {id}"));
    connect(ours, 1);
    let running = Server::start(&Config {
        listen: ["0.0.0.0:67", "[::]:547"].map(|address| address.parse().unwrap()).to_vec(),
        lab: true,
        interface: Some(ours.to_owned()),
        v4: V4 { pools: vec!["10.55.1.0/24".parse().unwrap()], ..V4::default() },
        ..Config::default()
    });
    let running = running.unwrap();
    ready.send(()).unwrap();
    // An error means that the client failed, which it reports itself.
    let _ = done.recv();
    running.shutdown()
}

/// A socket at a client's port, bound to its end of the link.
fn socket(address: SocketAddr) -> UdpSocket {
    let socket =
        Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP)).unwrap();
    socket.bind_device(Some(WIRE[1].as_bytes())).unwrap();
    socket.bind(&address.into()).unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    socket.into()
}

/// Asks until there is an answer: a link that was just connected transmits nothing for a moment.
fn exchange(socket: &UdpSocket, to: SocketAddr, bytes: &[u8]) -> (Vec<u8>, SocketAddr) {
    let mut answer = vec![0; 1500];
    for _ in 0..100 {
        socket.send_to(bytes, to).unwrap();
        if let Ok((length, from)) = socket.recv_from(&mut answer) {
            answer.truncate(length);
            return (answer, from);
        }
    }
    panic!("{to} does not answer");
}

/// The client's side: broadcasts a request, and is answered.
fn shout() {
    connect(WIRE[1], 2);
    let socket4 = socket("0.0.0.0:68".parse().unwrap());
    socket4.set_broadcast(true).unwrap();
    let everybody = "255.255.255.255:67".parse().unwrap();
    let (offer, from) = exchange(&socket4, everybody, &discover(1).to_vec().unwrap());
    assert_eq!(from, "10.55.0.1:67".parse().unwrap());
    let offer = read4(&offer);
    let id = v4::DhcpOption::ServerIdentifier([10, 55, 0, 1].into());
    assert_eq!(offer.opts().get(v4::OptionCode::ServerIdentifier), Some(&id));
    let (ack, _) = exchange(&socket4, everybody, &request(1, &offer).to_vec().unwrap());
    assert_eq!(read4(&ack).yiaddr(), offer.yiaddr());

    let socket6 = socket("[::]:546".parse().unwrap());
    let index = nix::net::if_::if_nametoindex(WIRE[1]).unwrap();
    for group in ["ff02::1:2", "ff05::1:3"] {
        let group = SocketAddrV6::new(group.parse().unwrap(), 547, 0, index);
        let (advertise, from) = exchange(&socket6, group.into(), &solicit(1).to_vec().unwrap());
        assert_eq!(
            from,
            SocketAddrV6::new(Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 1), 547, 0, index).into()
        );
        let advertise = read6(&advertise);
        assert_eq!(advertise.msg_type(), v6::MessageType::Advertise);
        assert_eq!(given(&advertise).0.len(), 1);
    }
}

#[test]
fn broadcasts_and_multicasts_are_received_in_lab_mode() {
    let allowed = thread::spawn(|| unshare(CloneFlags::CLONE_NEWNET)).join().unwrap();
    if let Err(error) = allowed {
        return skip(&format!("no right to make a network namespace: {error}"));
    }
    let (id, client) = channel();
    let (ready, wire) = channel();
    let (finish, done) = channel();
    let server = thread::spawn(move || serve(&client, &ready, &done));
    let shouter = thread::spawn(move || {
        unshare(CloneFlags::CLONE_NEWNET).unwrap();
        id.send(nix::unistd::gettid().as_raw()).unwrap();
        wire.recv().unwrap();
        shout();
        finish.send(()).unwrap();
    });
    shouter.join().unwrap();
    let stats = server.join().unwrap();
    let received =
        [RequestKind::Discover, RequestKind::Request].map(|act| stats.v4.received_of(act));
    assert!(
        received.iter().all(|count| *count > 0) && stats.v6.received_of(RequestKind::Discover) > 1
    );
    assert_eq!((stats.v4.relayed, stats.v4.malformed, stats.v6.malformed), (0, 0, 0));
}
