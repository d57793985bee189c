//! How many leases a second the server gives, printed and not judged, because the figures depend on the machine.
//!
//! `cargo test --release -p brunt-dhcp-server --test dhcp speed -- --nocapture` shows it.

use std::io::{IoSlice, IoSliceMut};
use std::net::Ipv4Addr;
use std::os::fd::AsRawFd as _;
use std::time::{Duration, Instant};

use brunt_dhcp_server::{Answer, RequestKind};
use brunt_dhcp_wire::dhcp4::{Draft, Header, Message, MessageType, option, patch};
use nix::sys::socket::{MsgFlags, MultiHeaders, SockaddrIn, recvmmsg, sendmmsg};

use crate::client::{Client, start};

const BATCH: usize = 64;

/// How long the server's thread has run (proc(5), schedstat).
fn busy() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let nanos = tasks.filter_map(|task| {
        let read = |name: &str| std::fs::read_to_string(task.path().join(name)).ok();
        let ours = read("comm")?.trim() == "dhcp";
        ours.then(|| read("schedstat")?.split(' ').next()?.parse::<u64>().ok()).flatten()
    });
    Duration::from_nanos(nanos.sum())
}

#[expect(clippy::disallowed_methods, reason = "a test of time as it passes")]
fn now() -> Instant {
    Instant::now()
}

/// Sends all messages at once and passes on the answers, until there is one for each.
fn exchange(client: &Client, messages: &[Vec<u8>], mut answer: impl FnMut(&Message<'_>)) {
    let fd = client.socket.as_raw_fd();
    let mut headers = MultiHeaders::<SockaddrIn>::preallocate(BATCH, None);
    let slices: Vec<_> = messages.iter().map(|message| [IoSlice::new(message)]).collect();
    let sent = sendmmsg(fd, &mut headers, &slices, [None; BATCH], [], MsgFlags::empty()).unwrap();
    assert_eq!(sent.count(), messages.len());
    let mut left = messages.len();
    while left > 0 {
        let mut room = vec![[0_u8; 600]; left];
        let lengths: Vec<_> = {
            let mut slices: Vec<_> = room.iter_mut().map(|it| [IoSliceMut::new(it)]).collect();
            let flags = MsgFlags::MSG_WAITFORONE;
            let answers = recvmmsg(fd, &mut headers, &mut slices, flags, None).unwrap();
            answers.map(|message| message.bytes).collect()
        };
        for (room, length) in room.iter().zip(&lengths) {
            answer(&Message::scan(&room[..*length]).unwrap());
        }
        left -= lengths.len();
    }
}

/// Leases an address to each of `clients` clients, in batches.
fn lease(client: &Client, clients: usize) {
    let draft = Draft::new(Header::request(), MessageType::Discover);
    let discover = draft.to_bytes();
    let draft = Draft::new(Header::request(), MessageType::Request)
        .with(option::REQUESTED_ADDRESS, &[0; 4])
        .with(option::SERVER_ID, &Ipv4Addr::LOCALHOST.octets());
    let request = draft.to_bytes();
    let mut options = Message::scan(&request).unwrap().options().flatten();
    let address = options.find(|it| it.code == option::REQUESTED_ADDRESS).unwrap();
    let address_at = address.value_at().start;
    for first in (0..clients).step_by(BATCH) {
        let mut offered = [Ipv4Addr::UNSPECIFIED; BATCH];
        let fill = |template: &[u8], n: usize| {
            let mut message = template.to_vec();
            patch::xid(&mut message, n as u32);
            patch::chaddr(
                &mut message,
                &[2, 0, (n >> 24) as u8, (n >> 16) as u8, (n >> 8) as u8, n as u8],
            );
            message
        };
        let batch: Vec<_> = (first..first + BATCH).map(|n| fill(&discover, n)).collect();
        exchange(client, &batch, |offer| offered[offer.xid() as usize - first] = offer.yiaddr());
        let batch: Vec<_> = (first..first + BATCH)
            .map(|n| {
                let mut message = fill(&request, n);
                patch::put(&mut message, address_at, &offered[n - first].octets());
                message
            })
            .collect();
        exchange(client, &batch, |ack| {
            assert_eq!(ack.yiaddr(), offered[ack.xid() as usize - first]);
        });
    }
}

#[test]
fn leases_are_given_to_thousands_of_clients() {
    let (running, client, _) = start(|config| {
        config.v4.pools = vec!["10.0.0.0/8".parse().unwrap()];
    });
    client.socket.connect(client.server).unwrap();
    let clients = if cfg!(debug_assertions) { 64 * 100 } else { 64 * 8000 };
    let (begin, before) = (now(), busy());
    lease(&client, clients);
    let (took, busy) = (begin.elapsed().as_secs_f64(), busy().saturating_sub(before).as_secs_f64());
    let leases = running.leases();
    let addresses: std::collections::BTreeSet<_> = leases.iter().map(|it| it.address).collect();
    assert_eq!(addresses.len(), clients);
    let stats = running.shutdown().v4;
    assert_eq!(stats.received_of(RequestKind::Discover), clients as u64);
    assert_eq!(stats.sent_of(Answer::Ack), clients as u64);
    let count = clients as f64;
    println!(
        "{:.0} leases/s, {:.2} us of the server's core each: {:.0}/s on a core of its own",
        count / took,
        busy / count * 1e6,
        count / busy
    );
}
