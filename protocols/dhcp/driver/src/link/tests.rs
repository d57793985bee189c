//! Links against the running kernel, between the two ends of a virtual cable in a separate network namespace.
//!
//! One end, `clients`, has no address; at the other, `server`, an ordinary UDP socket stands in for a DHCP server, so
//! that the kernel's own stack judges the frames: it drops frames with a wrong checksum, sends ARP requests, and
//! remembers the answers. This requires root. Without it these tests print that they did not run; in continuous
//! integration, where the output of passing tests is not read, they fail.

use super::*;
use brunt_dhcp_wire::dhcp4::{BOOTREPLY, Header, MessageType, at, option};
use brunt_exchange::Monotonic;
use socket2::{Domain, Protocol, Socket, Type};
use std::future::Future;
use std::net::UdpSocket;
use std::process::Command;

const PATIENCE: Duration = Duration::from_secs(20);
const SERVER: Ipv4Addr = Ipv4Addr::new(10, 99, 0, 1);
const EVERYBODY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::BROADCAST), 67);
/// Long enough for a virtual cable on one machine.
const WIRE: Duration = Duration::from_secs(5);

/// Runs a test in a network namespace that has a cable; the namespace ends with the thread.
fn with_cable(test: impl FnOnce() + Send + 'static) {
    if !rustix::process::geteuid().is_root() {
        assert!(std::env::var_os("CI").is_none(), "links can be tested by root only");
        eprintln!("not tested: a network namespace of one's own takes root");
        return;
    }
    let thread = std::thread::spawn(|| {
        nix::sched::unshare(nix::sched::CloneFlags::CLONE_NEWNET).unwrap();
        for command in [
            "link add clients type veth peer name server",
            "addr add 10.99.0.1/16 dev server",
            "link set server up",
            "link set clients up",
        ] {
            ip(command);
        }
        // The carrier is detected some time after the ends are up.
        let (clock, mut running) = (Monotonic::new(), false);
        while !running && clock.now().since_origin() < WIRE {
            running = ["clients", "server"].iter().all(|it| Interface::named(it).unwrap().running);
        }
        test();
    });
    thread.join().unwrap();
}

/// The output of `ip` in the namespace of this thread.
fn ip(arguments: &str) -> String {
    let output = Command::new("ip").args(arguments.split(' ')).output().unwrap();
    assert!(output.status.success(), "ip {arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, future).await.unwrap() })
}

fn options() -> Options {
    Options::new(Interface::named("clients").unwrap())
}

/// A link that has room to send.
async fn open(options: &Options) -> Link {
    let link = Bound::open(&Network::private(), options).unwrap().register().unwrap();
    link.writable().await.unwrap();
    link
}

/// A server's socket on the other end. Bound to an address it receives only what is sent to that address; otherwise
/// broadcasts too.
fn server(address: Ipv4Addr) -> UdpSocket {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP)).unwrap();
    socket.bind_device(Some(b"server")).unwrap();
    socket.set_broadcast(true).unwrap();
    socket.bind(&SocketAddr::from((address, 67)).into()).unwrap();
    socket.set_read_timeout(Some(WIRE)).unwrap();
    socket.into()
}

fn mac(client: u8) -> Mac {
    [2, 0, 0, 0, 1, client]
}

fn leased(client: u8) -> Ipv4Addr {
    Ipv4Addr::new(10, 99, 1, client)
}

fn message(op: u8, kind: MessageType, client: u8, address: Option<(usize, Ipv4Addr)>) -> Vec<u8> {
    let mut bytes = Vec::new();
    Header::request().write(&mut bytes);
    bytes[at::OP] = op;
    bytes[at::CHADDR..at::CHADDR + 6].copy_from_slice(&mac(client));
    bytes.extend([option::MESSAGE_TYPE, 1, kind.byte()]);
    match address {
        Some((place, address)) if place < bytes.len() => {
            bytes[place..place + 4].copy_from_slice(&address.octets());
        }
        Some((_, address)) => {
            bytes.extend([option::REQUESTED_ADDRESS, 4]);
            bytes.extend(address.octets());
        }
        None => {}
    }
    bytes.push(option::END);
    bytes
}

/// The position of an address that is an option and not a field.
const REQUESTED: usize = usize::MAX;

fn discover(client: u8) -> Vec<u8> {
    message(1, MessageType::Discover, client, None)
}

fn ack(client: u8) -> Vec<u8> {
    message(BOOTREPLY, MessageType::Ack, client, Some((at::YIADDR, leased(client))))
}

fn send(link: &Link, bytes: &[u8], to: SocketAddr) {
    assert_eq!(link.try_send([OutgoingDatagram { bytes, to }].into_iter()).unwrap(), 1);
}

/// The content and the sender of the next datagram to the server.
fn received(server: &UdpSocket) -> (Vec<u8>, SocketAddr) {
    let mut buffer = [0; 2048];
    let (length, from) = server.recv_from(&mut buffer).unwrap();
    (buffer[..length].to_vec(), from)
}

async fn replies(link: &Link, count: usize) -> Vec<(Vec<u8>, SocketAddr)> {
    let (mut inbox, mut found) = (Inbox::new(), Vec::new());
    let clock = Monotonic::new();
    while found.len() < count {
        link.receive(&mut inbox, &clock).await.unwrap();
        found.extend(inbox.iter().map(|it| (it.bytes.to_vec(), it.from)));
    }
    found
}

/// Lets the link answer the kernel's requests until `server` has returned.
async fn alive<T: Send + 'static>(link: &Link, server: impl FnOnce() -> T + Send + 'static) -> T {
    let namespace = std::fs::File::open("/proc/thread-self/ns/net").unwrap();
    let (done, mut result) = tokio::sync::oneshot::channel();
    let thread = std::thread::spawn(move || {
        nix::sched::setns(namespace, nix::sched::CloneFlags::CLONE_NEWNET).unwrap();
        drop(done.send(server()));
    });
    let (mut inbox, clock) = (Inbox::new(), Monotonic::new());
    let result = loop {
        tokio::select! {
            result = &mut result => break result.unwrap(),
            received = link.receive(&mut inbox, &clock) => received.unwrap(),
        }
    };
    thread.join().unwrap();
    result
}

#[test]
fn clients_without_an_address_send_and_receive() {
    with_cable(|| {
        run(async {
            let (link, server) = (open(&options()).await, server(Ipv4Addr::UNSPECIFIED));
            let sent: Vec<_> = (1..=100).map(discover).collect();
            let mut left = &sent[..];
            while !left.is_empty() {
                let datagrams = left.iter().map(|bytes| OutgoingDatagram { bytes, to: EVERYBODY });
                left = &left[link.try_send(datagrams).unwrap()..];
            }
            for each in &sent {
                let (bytes, from) = received(&server);
                assert_eq!(&bytes, each);
                assert_eq!(from, SocketAddr::from(([0, 0, 0, 0], 68)));
            }
            for client in 1..=100 {
                server.send_to(&ack(client), (Ipv4Addr::BROADCAST, 68)).unwrap();
            }
            let received = replies(&link, 100).await;
            for (client, (bytes, from)) in (1..=100).zip(received) {
                assert_eq!(bytes, ack(client));
                assert_eq!(from, SocketAddr::from((SERVER, 67)));
            }
            assert_eq!(link.overflowed(), 0);
            assert_eq!(link.local_addr(), SocketAddr::from(([0, 0, 0, 0], 68)));
        });
    });
}

#[test]
fn client_with_an_address_answers_arp_and_renews() {
    with_cable(|| {
        run(async {
            let (link, server) = (open(&options()).await, server(Ipv4Addr::UNSPECIFIED));
            let request = message(1, MessageType::Request, 7, Some((REQUESTED, leased(7))));
            send(&link, &request, EVERYBODY);
            assert_eq!(received(&server).0, request);
            server.send_to(&ack(7), (Ipv4Addr::BROADCAST, 68)).unwrap();
            replies(&link, 1).await;
            // The server's kernel sends an ARP request for the address before it sends to it for the first time.
            let other = server.try_clone().unwrap();
            other.send_to(&ack(7), (leased(7), 68)).unwrap();
            assert_eq!(replies(&link, 1).await[0].0, ack(7));
            let neighbours = ip("neigh show dev server");
            assert!(neighbours.contains("10.99.1.7 lladdr 02:00:00:00:01:07"), "{neighbours}");
            // Unicast, to the hardware address of the reply's sender.
            let renewal = message(1, MessageType::Request, 7, Some((at::CIADDR, leased(7))));
            send(&link, &renewal, SocketAddr::from((SERVER, 67)));
            assert_eq!(received(&server), (renewal, SocketAddr::from((leased(7), 68))));
            // After its release no client has the address: the kernel gets no answer when it asks again.
            let release = message(1, MessageType::Release, 7, Some((at::CIADDR, leased(7))));
            send(&link, &release, SocketAddr::from((SERVER, 67)));
            assert_eq!(received(&server).1, SocketAddr::from((leased(7), 68)));
            ip("neigh flush dev server");
            other.send_to(b"anybody", (leased(7), 68)).unwrap();
            let quiet = tokio::time::timeout(Duration::from_millis(300), replies(&link, 1)).await;
            assert!(quiet.is_err(), "{quiet:?}");
            assert!(!ip("neigh show dev server").contains("lladdr 02:00:00:00:01:07"));
        });
    });
}

#[test]
fn address_of_another_host_is_not_answered() {
    with_cable(|| {
        run(async {
            let (link, server) = (open(&options()).await, server(Ipv4Addr::UNSPECIFIED));
            // Another host's acknowledgement, which all hosts on the link receive.
            server.send_to(&ack(9), (Ipv4Addr::BROADCAST, 68)).unwrap();
            replies(&link, 1).await;
            server.send_to(b"is anybody there", (leased(9), 68)).unwrap();
            let quiet = tokio::time::timeout(Duration::from_millis(300), replies(&link, 1)).await;
            assert!(quiet.is_err(), "{quiet:?}");
        });
    });
}

#[test]
fn unknown_server_is_resolved_by_arp() {
    with_cable(|| {
        run(async {
            let (link, socket) = (open(&options()).await, server(SERVER));
            let to = SocketAddr::from((SERVER, 67));
            let release = |client| {
                message(1, MessageType::Release, client, Some((at::CIADDR, leased(client))))
            };
            for client in 1..=3 {
                send(&link, &release(client), to);
            }
            let on_message =
                move || ([received(&socket), received(&socket), received(&socket)], socket);
            let (got, socket) = alive(&link, on_message).await;
            for (client, (bytes, from)) in (1..).zip(got) {
                assert_eq!(
                    (bytes, from),
                    (release(client), SocketAddr::from((leased(client), 68)))
                );
            }
            // The hardware address is known now, so the next frame is sent at once.
            send(&link, &release(4), to);
            assert_eq!(received(&socket).0, release(4));
        });
    });
}

#[test]
fn absent_server_gets_three_arp_requests() {
    with_cable(|| {
        run(async {
            let link = open(&options()).await;
            let watch = open(&Options { port: 9, ..options_of("server") }).await;
            let nobody = SocketAddr::from(([10, 99, 0, 200], 67));
            send(
                &link,
                &message(1, MessageType::Release, 1, Some((at::CIADDR, leased(1)))),
                nobody,
            );
            let (mut inbox, clock) = (Inbox::new(), Monotonic::new());
            let long_enough = Duration::from_millis(3500);
            let silence = tokio::time::timeout(long_enough, link.receive(&mut inbox, &clock));
            assert!(silence.await.is_err());
            assert!(!link.segment.borrow().waits_for_arp(), "it was given up");
            let mut questions = 0;
            let mut frames = mmsg::Incoming::new(2048);
            while let Ok(count) = frames.receive(watch.inner.as_fd(), 1) {
                assert_eq!(count, 1);
                let wanted = frame::Frame::Arp(arp::Arp::question(
                    (mac(1), leased(1)),
                    [10, 99, 0, 200].into(),
                ));
                questions +=
                    u32::from(frame::read(frames.buffer(0), frame::Trust::Checked) == Some(wanted));
            }
            assert_eq!(questions, 3);
        });
    });
}

fn options_of(interface: &str) -> Options {
    Options::new(Interface::named(interface).unwrap())
}

#[test]
fn unrelated_traffic_is_filtered() {
    with_cable(|| {
        run(async {
            let (link, server) = (open(&options()).await, server(Ipv4Addr::UNSPECIFIED));
            for port in [67, 69, 5353] {
                server.send_to(b"not for clients", (Ipv4Addr::BROADCAST, port)).unwrap();
            }
            // Messages of our own clients are not received by them.
            send(&link, &discover(1), EVERYBODY);
            server.send_to(b"for clients", (Ipv4Addr::BROADCAST, 68)).unwrap();
            assert_eq!(replies(&link, 1).await[0].0, b"for clients");
            let nothing = link.inner.get_ref().recv(&mut [std::mem::MaybeUninit::uninit(); 64]);
            assert_eq!(nothing.unwrap_err().kind(), io::ErrorKind::WouldBlock);
        });
    });
}

#[test]
fn frames_lost_by_the_link_are_counted() {
    const SENT: usize = 300;
    with_cable(|| {
        run(async {
            let small = Options { receive_buffer: 16_384, ..options() };
            let (link, server) = (open(&small).await, server(Ipv4Addr::UNSPECIFIED));
            for _ in 0..SENT {
                server.send_to(&ack(1), (Ipv4Addr::BROADCAST, 68)).unwrap();
            }
            let (mut inbox, mut received, clock) = (Inbox::new(), 0, Monotonic::new());
            while link.take(link.inner.get_ref(), &mut inbox, &clock).is_ok() {
                received += inbox.len();
            }
            assert!(received > 0 && received < SENT, "{received}");
            assert_eq!(link.overflowed(), (SENT - received) as u64);
        });
    });
}

#[test]
fn frames_have_kernel_timestamps() {
    with_cable(|| {
        run(async {
            let stamped = Options { kernel_stamps: true, ..options() };
            let (link, server) = (open(&stamped).await, server(Ipv4Addr::UNSPECIFIED));
            let (mut inbox, clock) = (Inbox::new(), Monotonic::new());
            let mut stamp = async || {
                let before = clock.now();
                server.send_to(&ack(1), (Ipv4Addr::BROADCAST, 68)).unwrap();
                let sent = clock.now();
                while clock.now() - sent < Duration::from_millis(20) {}
                link.receive(&mut inbox, &clock).await.unwrap();
                (before, sent, inbox.iter().next().unwrap().at.unwrap())
            };
            // Both clocks are read one after the other, and the wall clock may be slewed in between.
            let slack = Duration::from_millis(1);
            // The kernel begins to stamp some time after it is requested.
            while let (_, sent, at) = stamp().await
                && at > sent + slack
            {}
            let (before, sent, at) = stamp().await;
            assert!(at + slack >= before && at <= sent + slack, "{before:?} {at:?} {sent:?}");
        });
    });
}

#[test]
fn oversized_message_is_refused_and_the_rest_sent() {
    with_cable(|| {
        run(async {
            let (link, server) = (open(&options()).await, server(Ipv4Addr::UNSPECIFIED));
            let v6 = SocketAddr::from(([0xff02, 0, 0, 0, 0, 0, 1, 2], 547));
            let (one, long, two) = (discover(1), vec![0; 70_000], discover(2));
            let datagrams = [
                OutgoingDatagram { bytes: &one, to: EVERYBODY },
                OutgoingDatagram { bytes: &long, to: EVERYBODY },
                OutgoingDatagram { bytes: &one, to: v6 },
                OutgoingDatagram { bytes: &two, to: EVERYBODY },
            ];
            let (mut at, mut faults) = (0, Vec::new());
            while at < datagrams.len() {
                match link.try_send(datagrams[at..].iter().copied()) {
                    Ok(sent) => at += sent,
                    Err(error) => {
                        faults.push((at, error.raw_os_error()));
                        at += 1;
                    }
                }
            }
            assert_eq!(faults, [(1, Some(libc::EMSGSIZE)), (2, Some(libc::EAFNOSUPPORT))]);
            assert_eq!([received(&server).0, received(&server).0], [one, two]);
        });
    });
}

#[test]
fn message_longer_than_a_frame_is_fragmented() {
    with_cable(|| {
        run(async {
            let (link, server) = (open(&options()).await, server(Ipv4Addr::UNSPECIFIED));
            let (mut long, short) = (discover(1), discover(2));
            long.resize(1800, 7);
            let datagrams = [&short, &long, &short];
            let mut at = 0;
            while at < datagrams.len() {
                let rest = datagrams[at..].iter();
                let rest = rest.map(|bytes| OutgoingDatagram { bytes, to: EVERYBODY });
                at += link.try_send(rest).unwrap();
            }
            assert_eq!(received(&server).0, short);
            assert_eq!(received(&server).0, long);
            assert_eq!(received(&server).0, short);
        });
    });
}

#[test]
fn interface_down_or_not_ethernet_is_refused() {
    with_cable(|| {
        ip("link set clients down");
        let error = Bound::open(&Network::private(), &options()).unwrap_err().to_string();
        assert!(error.contains("ip link set clients up"), "{error}");
        let error = Bound::open(&Network::private(), &options_of("lo")).unwrap_err().to_string();
        assert!(error.contains("'lo'") && error.contains("no Ethernet"), "{error}");
    });
}

#[test]
fn raw_socket_without_privilege_names_the_command() {
    let interface =
        Interface { mac: Some(mac(1)), running: true, ..Interface::named("lo").unwrap() };
    let thread = std::thread::spawn(move || {
        brunt_testbed::renounce();
        Bound::open(&Network::private(), &Options::new(interface)).unwrap_err().to_string()
    });
    let error = thread.join().unwrap();
    let exe = std::env::current_exe().unwrap();
    let command =
        format!("sudo setcap cap_net_bind_service,cap_net_raw,cap_net_admin+ep {}", exe.display());
    assert!(error.contains("'lo'") && error.contains(&command), "{error}");
}
