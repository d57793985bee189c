//! Clients send byte for byte what perfdhcp 2.2.0 sent to Kea, and understand Kea's answers.

use super::super::{BaseDuid, Client, Lease, Plan, Relay, Setup, Wanted};
use super::{MAC, Player, done, outgoing};
use crate::{Dialogue, Kind, Population, Stage};
use brunt_dhcp_wire::dhcp6::relay::unwrap;
use brunt_dhcp_wire::dhcp6::{Message, MessageType, set_xid};
use brunt_exchange::Outcome;

const CAPTURE: &str = include_str!("../../../../wire/testdata/dhcp6/perfdhcp.hex");

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// The captured datagrams of a command line: those sent, and those received.
fn exchange(command: &str) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let mut lines = CAPTURE.lines().skip_while(|line| *line != format!("# perfdhcp -6 {command}"));
    assert!(lines.next().is_some(), "{command}");
    let lines: Vec<&str> = lines.take_while(|line| !line.starts_with('#')).collect();
    let of = |sign| lines.iter().filter(move |line| line.starts_with(sign));
    let datagrams = |sign| of(sign).map(|line| bytes(&line[2..])).collect();
    (datagrams('>'), datagrams('<'))
}

/// The settings of the client that sent this datagram: the start of the run is in its DUID.
fn setup(datagram: &[u8], range: u64) -> Setup {
    let duid = unwrap(datagram).unwrap().message.client_id().unwrap();
    let started = u32::from_be_bytes(duid[4..8].try_into().unwrap());
    Setup::new(Population::cycle(MAC, range), BaseDuid::Time(started))
}

/// Performs one exchange and compares the messages sent.
fn play(plan: &Plan, number: u64, sent: &[&[u8]], received: &[&[u8]]) -> Lease {
    let mut player = Player::default();
    let first = outgoing(player.begin(plan, Kind::Acquire, number, None));
    assert_eq!(first.stage, Stage::First);
    assert_eq!(player.out, sent[0]);
    let (xid, advertise) = Client::open(plan, received[0]).unwrap();
    assert_eq!((xid, Client::answers(advertise)), (first.xid, Some(Stage::First)));
    let second = outgoing(player.receives(plan, advertise));
    assert_eq!((second.stage, second.offered), (Stage::Second, player.client.offered()));
    assert_eq!(player.out, sent[1]);
    let (xid, reply) = Client::open(plan, received[1]).unwrap();
    assert_eq!((xid, Client::answers(reply)), (second.xid, None));
    let end = done(player.receives(plan, reply));
    assert_eq!((end.outcome, end.answered, end.anomaly), (Outcome::Ok(7), true, None));
    let lease = end.lease.unwrap();
    assert_eq!(Some(lease.server()), Client::server(reply));
    assert_eq!(Some(lease.address().into()), player.client.offered());
    lease
}

fn all(datagrams: &[Vec<u8>]) -> Vec<&[u8]> {
    datagrams.iter().map(Vec::as_slice).collect()
}

#[test]
fn four_messages_equal_the_original_tool() {
    for (command, wanted) in [
        ("-r 1 -n 1", Wanted::Addresses),
        ("-e address-and-prefix -r 1 -n 1", Wanted::Both),
        ("-e prefix-only -r 1 -n 1", Wanted::Prefixes),
    ] {
        let (sent, received) = exchange(command);
        let mut setup = setup(&sent[0], 1);
        setup.wanted = wanted;
        let plan = Plan::compile(setup).unwrap();
        let lease = play(&plan, 0, &all(&sent), &all(&received));
        assert_eq!((lease.t1().as_secs(), lease.t2().as_secs()), (1000, 2000));
        assert_eq!(lease.valid().as_secs(), 4000);
        let first = if wanted.addresses() { "2001:db8:77::1" } else { "2001:db8:100:" };
        assert!(lease.address().to_string().starts_with(first), "{}", lease.address());
        assert_eq!(lease.addresses().is_empty(), !wanted.addresses());
        assert_eq!(lease.prefixes().is_empty(), !wanted.prefixes());
    }
}

#[test]
fn relay_messages_equal_the_original_tool() {
    let (sent, received) = exchange("-A 1 -r 1 -n 1");
    let mut setup = setup(&sent[0], 1);
    let here = "2001:db8:77::1".parse().unwrap();
    setup.relays = vec![Relay { link: here, peer: here, options: vec![], varied: vec![] }];
    let plan = Plan::compile(setup).unwrap();
    play(&plan, 0, &all(&sent), &all(&received));
}

#[test]
fn custom_options_are_placed_like_the_original_tool() {
    let (sent, received) = exchange("-o 15,00056b656c6c79 -o 17,0000000a -c -i -r 1 -n 1");
    let mut rapid = setup(&sent[0], 1);
    rapid.options = vec![(15, bytes("00056b656c6c79")), (17, bytes("0000000a"))];
    (rapid.rapid_commit, rapid.first_half) = (true, true);
    let plan = Plan::compile(rapid).unwrap();
    let mut player = Player::default();
    outgoing(player.begin(&plan, Kind::Acquire, 0, None));
    assert_eq!(player.out, sent[0]);
    let end = done(player.receives(&plan, &received[0]));
    assert_eq!((end.outcome, end.answered), (Outcome::Ok(2), true), "Kea does not commit at once");
    assert!(end.lease.is_none());

    let (sent, received) = exchange("-o 6,0019 -r 1 -n 1");
    let mut twice = setup(&sent[0], 1);
    twice.options = vec![(6, vec![0, 0x19])];
    play(&Plan::compile(twice).unwrap(), 0, &all(&sent), &all(&received));
}

#[test]
fn renew_and_release_equal_the_original_tool() {
    let (sent, received) = exchange("-o 15,00056b656c6c79 -R 3 -f 2 -F 2 -r 4 -p 3");
    let mut setup = setup(&sent[0], 3);
    setup.options = vec![(15, bytes("00056b656c6c79"))];
    let plan = Plan::compile(setup).unwrap();
    let leases: Vec<Lease> = (0..3)
        .map(|n| {
            let at = n * 2..n * 2 + 2;
            play(&plan, n as u64, &all(&sent[at.clone()]), &all(&received[at]))
        })
        .collect();
    let by_xid = |all: &[Vec<u8>], xid| {
        let of = |bytes: &&Vec<u8>| Message::parse(bytes).unwrap().xid() == xid;
        all.iter().find(of).unwrap().clone()
    };
    for (kind, theirs, client, message) in
        [(Kind::Renew, 7, 1, MessageType::RENEW), (Kind::Release, 8, 0, MessageType::RELEASE)]
    {
        let mut player = Player::default();
        let lease = Some(leases[client].clone());
        let opening = outgoing(player.begin(&plan, kind, 12_345, lease));
        assert_eq!(opening.xid, 24_690);
        assert_eq!((player.message().xid(), player.message().kind()), (24_690, message));
        let mut ours = player.out.clone();
        set_xid(&mut ours, theirs);
        assert_eq!(ours, by_xid(&sent, theirs));
        let end = done(player.receives(&plan, &by_xid(&received, theirs)));
        assert_eq!((end.outcome, end.answered, end.anomaly), (Outcome::Ok(7), true, None));
        let address = end.lease.map(|lease| lease.address());
        let renewed = (kind == Kind::Renew).then(|| leases[1].address());
        assert_eq!(address, renewed);
    }
}
